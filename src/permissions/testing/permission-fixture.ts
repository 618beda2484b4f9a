import { join } from 'node:path';
import type { ResolvedPath, Root } from '../../workspace/types.ts';
import { createPolicy } from '../policy.ts';
import type { PermissionRequest, PolicyOptions, RuleList, RuleScope } from '../types.ts';

/** Requests and policies over one workspace, for tests. */
export function permissionFixture(workspace: () => string) {
  const TOOLS = [
    'bash',
    'read_file',
    'write_file',
    'edit_file',
    'web_fetch',
    'python_package',
    'Skill',
  ];

  function policy(options: Partial<PolicyOptions> = {}) {
    return createPolicy({
      mode: 'ask',
      rules: [],
      sandboxed: true,
      network: false,
      person: true,
      workspace: workspace(),
      home: '/home/nobody/.toolwright',
      knownTools: TOOLS,
      ...options,
    });
  }

  function rule(list: RuleList, text: string, scope: RuleScope = 'user') {
    return { list, text, scope };
  }

  function path(logical: string, intent: ResolvedPath['intent'] = 'write'): ResolvedPath {
    const root: Root = { kind: 'workspace', path: workspace(), write: true, logicalPrefix: '' };
    const absolute = join(workspace(), logical);
    return { root, segments: logical.split('/'), logical, absolute, intent };
  }

  function request(fields: Partial<PermissionRequest> = {}): PermissionRequest {
    const paths = fields.paths ?? [];
    return {
      callId: 'call_1',
      tool: 'write_file',
      class: 'write',
      arguments: {},
      paths,
      realPaths: paths.map((one) => one.absolute),
      cwd: workspace(),
      beforeHashes: [],
      source: 'write_file',
      ...fields,
    };
  }

  const shell = (command: string, fields: Partial<PermissionRequest> = {}) =>
    request({ tool: 'bash', class: 'shell', arguments: { command }, command, ...fields });
  const write = (logical: string) => request({ paths: [path(logical)] });

  return { policy, rule, path, request, shell, write };
}
