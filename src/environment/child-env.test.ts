import { describe, expect, it } from 'vitest';
import { childEnvironment } from './child-env.ts';

const parent = {
  PATH: '.:/usr/bin::relative:/bin:/usr/bin',
  HOME: '/home/u',
  LC_TIME: 'C',
  ANTHROPIC_API_KEY: 'k',
  GITHUB_TOKEN: 't',
  LD_PRELOAD: 'x',
  PYTHONPATH: 'p',
  GIT_DIR: 'g',
  EDITOR: 'vim',
  MY_SECRET: 's',
  http_proxy: 'proxy',
  CI: '',
};

describe('childEnvironment', () => {
  it('passes only what is listed', () => {
    const env = childEnvironment({ parent, allowed: [], network: false });
    expect(Object.keys(env).sort()).toEqual(
      [
        ...['CI', 'DEBIAN_FRONTEND', 'EDITOR', 'GIT_EDITOR', 'GIT_PAGER'],
        ...['GIT_TERMINAL_PROMPT', 'HOME', 'LC_TIME', 'PAGER', 'PATH', 'TERM'],
      ].sort(),
    );
    expect(env.EDITOR).toBe('false');
  });

  it('keeps absolute folders of PATH, each once', () => {
    expect(childEnvironment({ parent, allowed: [], network: false }).PATH).toBe('/usr/bin:/bin');
    expect(childEnvironment({ parent: {}, allowed: [], network: false }).PATH).toContain(
      '/usr/bin',
    );
  });

  it('passes names of sandbox.env, but none that changes what programs load', () => {
    const allowed = ['MY_SECRET', 'LD_PRELOAD', 'PYTHONPATH', 'GIT_DIR'];
    const env = childEnvironment({ parent, allowed, network: false });
    expect(env.MY_SECRET).toBe('s');
    expect(env.LD_PRELOAD ?? env.PYTHONPATH ?? env.GIT_DIR).toBeUndefined();
  });

  it('passes proxies with the network only', () => {
    expect(childEnvironment({ parent, allowed: [], network: false }).http_proxy).toBeUndefined();
    expect(childEnvironment({ parent, allowed: [], network: true }).http_proxy).toBe('proxy');
  });
});
