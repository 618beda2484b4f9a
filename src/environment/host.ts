import { childEnvironment } from './child-env.ts';
import type { EnvironmentOptions } from './environment-options.ts';
import { withLimits } from './limit-wrapper.ts';
import { type Launcher, LocalEnvironment } from './local-environment.ts';
import { isRunning, processTree } from './process-table.ts';
import type { ExecutionEnvironment } from './types.ts';

/** Commands run as the user runs them: own session, clean environment, limits, and no confinement. */
export function createHostEnvironment(options: EnvironmentOptions): ExecutionEnvironment {
  return new LocalEnvironment(options, hostLauncher(options));
}

function hostLauncher(options: EnvironmentOptions): Launcher {
  return {
    capabilities: {
      kind: 'none',
      sandboxed: false,
      network: true,
      memory: 'watcher',
      uid: process.getuid?.() ?? -1,
    },
    files: options.files,
    prepare: () => Promise.resolve(),
    settled: () => Promise.resolve(),
    plan: ({ request, limits }) => {
      const [file = '', ...args] = withLimits(request.argv, limits, false);
      const base = childEnvironment({
        parent: options.parentEnv ?? process.env,
        allowed: options.envNames ?? [],
        network: true,
      });
      return {
        file,
        args,
        cwd: request.cwd,
        env: { ...base, ...request.env },
        awaitReady: false,
      };
    },
    finder: (pid, marked) => ({
      tree: () => processTree(pid),
      inside: () => [...new Set([...processTree(pid), ...marked()])].filter(isRunning),
      holders: () => [-pid],
    }),
    checkProtected: () => Promise.resolve([]),
  };
}
