import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure, makePlace, type Place } from './testing.ts';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

async function refused(content: string) {
  const file = await place.write('some.yaml', content);
  const error = await failure(place.load({ overrides: { configFile: file } }));
  return { ...error.facts, kind: error.kind, message: error.message, path: file };
}

describe('a misspelt key', () => {
  it.each([
    ['agnets: {}', 1, 'agnets', 'agents'],
    ['agents:\n  coding:\n    max_step: 3', 3, 'agents.coding.max_step', 'agents.coding.max_steps'],
    ['models:\n  m:\n    temprature: 1', 3, 'models.m.temprature', 'models.m.temperature'],
    [
      'models:\n  m:\n    timeouts: {idel: 1}',
      3,
      'models.m.timeouts.idel',
      'models.m.timeouts.idle',
    ],
    [
      'model_providers:\n  x:\n    baseurl: y',
      3,
      'model_providers.x.baseurl',
      'model_providers.x.base_url',
    ],
    ['lakeview:\n  modl: x', 2, 'lakeview.modl', 'lakeview.model'],
    ['permissions:\n  mode: ask\n  alow: []', 3, 'permissions.alow', 'permissions.allow'],
    ['sandbox:\n  netwrok: on', 2, 'sandbox.netwrok', 'sandbox.network'],
    ['network:\n  allow_domain: []', 2, 'network.allow_domain', 'network.allow_domains'],
    ['limits:\n  max_cots: 1', 2, 'limits.max_cots', 'limits.max_cost'],
    ['limits:\n  files: {read_mb: 1}', 2, 'limits.files.read_mb', 'limits.files.read_mib'],
    ['python:\n  index: x', 2, 'python.index', 'python.index_url'],
    ['data:\n  four_eye: true', 2, 'data.four_eye', 'data.four_eyes'],
    ['search:\n  provder: x', 2, 'search.provder', 'search.provider'],
    ['skills:\n  disable: []', 2, 'skills.disable', 'skills.disabled'],
    ['subagents:\n  enable: true', 2, 'subagents.enable', 'subagents.enabled'],
    ['lsp:\n  servers:\n    a: {arg: []}', 3, 'lsp.servers.a.arg', 'lsp.servers.a.args'],
    ['hooks:\n  before_tol: []', 2, 'hooks.before_tol', 'hooks.before_tool'],
    ['mcp_servers:\n  a:\n    comand: x', 3, 'mcp_servers.a.comand', 'mcp_servers.a.command'],
    ['server:\n  prot: 1', 2, 'server.prot', 'server.port'],
    ['allow_mcp_server: []', 1, 'allow_mcp_server', 'allow_mcp_servers'],
  ])('in %j names file, line, key and the nearest known key', async (text, line, key, near) => {
    const error = await refused(text);
    expect(error).toMatchObject({ kind: 'config', line, key, nearest: near });
    expect(error.message).toContain(`${error.path}:${line}: unknown key "${key}"`);
    expect(error.message).toContain(`"${near}"`);
    expect(error.message).not.toContain('\n');
  });
});

describe('a wrong value', () => {
  it.each([
    ['limits:\n  max_cost: cheap', 2, 'limits.max_cost', 'a number of at least 0'],
    ['limits:\n  max_tokens: 1.5', 2, 'limits.max_tokens', 'a whole number of at least 1'],
    ['agents:\n  coding: {max_steps: 0}', 2, 'agents.coding.max_steps', 'at least 1'],
    ['sandbox:\n  network: true', 2, 'sandbox.network', 'one of off, on'],
    ['permissions:\n  deny: bash', 2, 'permissions.deny', 'a list of text'],
    ['permissions:\n  deny:\n    - ok\n    - 3', 4, 'permissions.deny.1', 'text'],
    ['permissions: 3', 1, 'permissions', 'a section with keys of its own'],
    ['- a\n- b', null, '', 'a section'],
    ['model_providers:\n  x: {base_url: nowhere}', 2, 'model_providers.x.base_url', 'an address'],
    ['hooks:\n  stop:\n    - command: []', 3, 'hooks.stop.0.command', 'a list that is not empty'],
    ['hooks:\n  stop:\n    - comand: [a]', 3, 'hooks.stop.0', 'a section with "command"'],
    [
      'permissions:\n  extra_roots:\n    - {path: /x, wirte: true}',
      3,
      'permissions.extra_roots.0.wirte',
      'only path, write here',
    ],
  ])('in %j says where and what was expected', async (text, line, key, expected) => {
    const error = await refused(text);
    expect(error).toMatchObject({ kind: 'config', line, key });
    expect(error.message).toContain(expected);
  });

  it('is refused in flags and variables by their names', async () => {
    const flag = await failure(place.load({ overrides: { values: { 'limits.max_cost': -1 } } }));
    expect(flag.message).toContain('--max-cost');
    const env = { TOOLWRIGHT_DATA_REVIEW: 'never' };
    expect((await failure(place.load({ env }))).message).toContain('TOOLWRIGHT_DATA_REVIEW');
  });
});

describe('a file that cannot be used', () => {
  it('is refused with its name: missing, folder, syntax, bytes, aliases without end, forbidden names', async () => {
    const named = (configFile: string) => failure(place.load({ overrides: { configFile } }));
    expect((await named('nowhere.yaml')).message).toContain('does not exist');
    await mkdir(join(place.cwd, 'folder'));
    expect((await named('folder')).message).toContain('is not a file');
    expect((await refused('a: [1\nb: 2')).message).toMatch(/some\.yaml:\d: not valid YAML/);
    expect((await refused('limits: {max_cost: 1, max_cost: 2}')).message).toContain(':1: ');
    const bomb = `a: &a [x]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [${'*a,'.repeat(9)}]`).join('\n')}`;
    expect((await refused(bomb)).kind).toBe('config');
    expect(await refused('models: {__proto__: {model: x}}')).toMatchObject({
      key: 'models.__proto__',
    });
    expect(Object.hasOwn(Object.prototype, 'model')).toBe(false);
  });

  it('is not followed when the working directory holds a link', async () => {
    const target = await place.write('elsewhere.yml', 'limits: {max_cost: 1}');
    await symlink(target, join(place.cwd, 'toolwright.yaml'));
    const config = await place.load();
    expect(config.get('limits.max_cost')).toBeUndefined();
    expect(config.notices.join()).toContain('toolwright.yaml is not a regular file');
  });
});
