import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure, makePlace, type Place } from './testing.ts';
import { folderTrust, listTrust, revokeTrust, trustDifference } from './trust.ts';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

describe('precedence', () => {
  it('is flag, environment, project, named file, user file, default, each with its source', async () => {
    const review = async (options: Parameters<Place['load']>[0] = {}) => {
      const config = await place.load(options);
      return [config.text('data.review'), config.origin('data.review').from];
    };
    expect(await review()).toEqual(['required', null]);
    const user = await place.write('user', { data: { review: 'auto' } });
    expect(await review()).toEqual(['auto', user]);
    const project = await place.write('project', { data: { review: 'required' } });
    expect(await review()).toEqual(['required', project]);
    const env = { TOOLWRIGHT_DATA_REVIEW: 'auto' };
    expect(await review({ env })).toEqual(['auto', 'TOOLWRIGHT_DATA_REVIEW']);
    const overrides = { values: { 'data.review': 'required' } };
    expect(await review({ env, overrides })).toEqual(['required', '--review']);
  });

  it('lets a named file win over the user file and hides the one found by search', async () => {
    await place.write('user', { limits: { max_cost: 9, max_tokens: 5 } });
    await place.write('project', { limits: { max_cost: 1 } });
    const named = await place.write('mine.yaml', { limits: { max_cost: 7 } });
    const config = await place.load({ env: { TOOLWRIGHT_CONFIG: named } });
    expect(config.number('limits.max_cost')).toBe(7);
    expect(config.number('limits.max_tokens')).toBe(5);
    expect(config.origin('limits.max_cost')).toMatchObject({ scope: 'user', line: 2 });
    const relative = await place.load({ overrides: { configFile: 'mine.yaml' } });
    expect(relative.number('limits.max_cost')).toBe(7);
  });

  it('takes an object in the place of a file, with the same checks', async () => {
    await place.write('user', { limits: { max_cost: 9 } });
    await place.write('project', { models: { m: { model: 'x', model_provider: 'p' } } });
    const config = await place.load({ document: { limits: { max_cost: 2 } } });
    expect(config.number('limits.max_cost')).toBe(2);
    expect(config.origin('limits.max_cost')).toMatchObject({
      scope: 'user',
      from: 'options.config',
    });
    expect(config.get('models')).toBeUndefined();
    const wrong = place.load({ document: { limits: { max_costs: 2 } } });
    await expect(wrong).rejects.toThrow(/options\.config.*max_cost/s);
  });

  it('adds up rules of all scopes, each with its own scope', async () => {
    await place.write('managed', { permissions: { deny: ['bash(rm *)'] } });
    await place.write('user', { permissions: { allow: ['bash(npm test)'], deny: ['web_fetch'] } });
    await place.write('project', { permissions: { ask: ['write_file'] } });
    const config = await place.load({ overrides: { allow: ['x'], deny: ['y'] } });
    const seen = config.rules.map(({ list, text, scope }) => `${scope} ${list} ${text}`).sort();
    expect(seen).toEqual([
      'managed deny bash(rm *)',
      'project ask write_file',
      'user allow bash(npm test)',
      'user allow x',
      'user deny web_fetch',
      'user deny y',
    ]);
    expect(config.list('permissions.deny')).toEqual(['bash(rm *)', 'web_fetch', 'y']);
  });

  it('gives sections, defaults and names with dots', async () => {
    await place.write('user', { models: { 'gpt-4.1': { model: 'gpt-4.1', temperature: 0 } } });
    const config = await place.load();
    expect(config.get('models.gpt-4.1')).toEqual({ model: 'gpt-4.1', temperature: 0 });
    expect(config.get('models.gpt-4.1.temperature')).toBe(0);
    expect(config.get('limits.files')).toMatchObject({ read_mib: 32, depth: 256 });
    expect(config.get('limits.memory_mib')).toBeGreaterThan(0);
    expect(config.get('nothing')).toBeUndefined();
  });
});

describe('a file found in an untrusted folder', () => {
  const mixed = {
    limits: { max_cost: 1 },
    model_providers: { x: { base_url: 'https://x.example' } },
  };

  it('that only tightens is used without a question', async () => {
    await place.write('project', { limits: { max_cost: 1 }, permissions: { mode: 'read-only' } });
    const askTrust = () => Promise.reject(new Error('must not ask'));
    const config = await place.load({ interactive: true, askTrust });
    expect(config.origin('limits.max_cost').scope).toBe('project');
    expect(config.text('permissions.mode')).toBe('read-only');
  });

  it.each([
    [{ models: { m: { model: 'x' } } }],
    [{ model_providers: { x: { base_url: 'https://x.example' } } }],
    [{ mcp_servers: { a: { command: 'x' } } }],
    [{ hooks: { stop: [{ command: ['x'] }] } }],
    [{ permissions: { allow: ['bash(*)'] } }],
    [{ permissions: { mode: 'bypass' } }],
    [{ sandbox: { network: 'on' } }],
    [{ sandbox: { kind: 'none' } }],
  ])('with %j is refused unattended, and used when it is named', async (content) => {
    const file = await place.write('project', content);
    const error = await failure(place.load());
    expect(error.kind).toBe('config');
    expect(error.message).toContain(`--config-file ${file}`);
    expect(error.message).toContain(`toolwright trust ${place.cwd}`);
    const config = await place.load({ overrides: { configFile: file } });
    expect(config.notices).toEqual([]);
  });

  it('is asked about on a terminal: no keeps the tightening values, yes is remembered', async () => {
    await place.write('project', mixed);
    const asked: unknown[] = [];
    const answer = (yes: boolean) => (file: string, ignored: readonly string[]) => {
      asked.push([file.split('/').at(-1), ignored]);
      return Promise.resolve(yes);
    };
    const no = await place.load({ interactive: true, askTrust: answer(false) });
    expect(asked).toEqual([['toolwright.yaml', ['model_providers.x.base_url']]]);
    expect(no.number('limits.max_cost')).toBe(1);
    expect(no.get('model_providers')).toBeUndefined();
    expect(no.notices).toHaveLength(1);
    const yes = await place.load({ interactive: true, askTrust: answer(true) });
    expect(yes.text('model_providers.x.base_url')).toBe('https://x.example');
    const later = await place.load();
    expect(later.text('model_providers.x.base_url')).toBe('https://x.example');
    await place.write('project', { ...mixed, limits: { max_cost: 2 } });
    expect((await failure(place.load())).message).toContain('not trusted');
  });
});

describe('trust', () => {
  it('is bound to every active file, shows what changed, and can be listed and revoked', async () => {
    await place.write('project', 'limits:\n  max_cost: 1\n');
    await place.write('.toolwright/skills/a/SKILL.md', 'one\ntwo\n');
    await place.write('.mcp.json', '');
    await place.trust();
    expect((await folderTrust(place.home, place.cwd)).trusted).toBe(true);
    await place.write('README.md', 'not active');
    expect((await folderTrust(place.home, place.cwd)).trusted).toBe(true);
    await place.write('.toolwright/skills/a/SKILL.md', 'one\ntwo!\nthree\n');
    await place.write('.toolwright/hook.sh', 'x');
    const changed = await folderTrust(place.home, place.cwd);
    expect(changed.trusted).toBe(false);
    if (changed.accepted === null) throw new Error('the earlier acceptance is known');
    expect(trustDifference(changed.accepted, changed.files)).toEqual([
      {
        path: '.toolwright/hook.sh',
        change: 'added',
        newLines: [{ number: 1, text: 'x' }],
        removedLines: 0,
      },
      {
        path: '.toolwright/skills/a/SKILL.md',
        change: 'changed',
        newLines: [
          { number: 2, text: 'two!' },
          { number: 3, text: 'three' },
        ],
        removedLines: 1,
      },
    ]);
    expect(await listTrust(place.home)).toHaveLength(1);
    expect(await revokeTrust(place.home, place.cwd)).toBe(true);
    expect(await revokeTrust(place.home, place.cwd)).toBe(false);
    expect((await folderTrust(place.home, place.cwd)).accepted).toBeNull();
  });

  it('keeps every folder when several are accepted at once', async () => {
    const { acceptTrust } = await import('./trust.ts');
    const { mkdir } = await import('node:fs/promises');
    const folders = Array.from({ length: 6 }, (_, index) => `${place.cwd}/f${index}`);
    await Promise.all(
      folders.map(async (folder) => {
        await mkdir(folder);
        await acceptTrust(place.home, folder, []);
      }),
    );
    expect(await listTrust(place.home)).toHaveLength(6);
  });
});
