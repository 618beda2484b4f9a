import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storeAllowRule } from './store-allow-rule.ts';
import { failure, makePlace, type Place } from './testing.ts';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const file = () => join(place.home, 'config.yaml');
const content = () => readFile(file(), 'utf8');

async function stored(before: string, rule = 'bash(npm test)'): Promise<string> {
  await place.write('user', before);
  await storeAllowRule(place.home, rule);
  return content();
}

describe('a rule to keep', () => {
  it('is in force for the next start, from a file made for it', async () => {
    await storeAllowRule(place.home, 'bash(npm run build)');
    expect(await content()).toBe('permissions:\n  allow:\n    - bash(npm run build)\n');
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect((await place.load()).rules).toMatchObject([
      { list: 'allow', text: 'bash(npm run build)', scope: 'user' },
    ]);
  });

  it('leaves comments, order, quotes and indentation as they are', async () => {
    const before = `# my settings
agents:
    coding:   # the usual one
        max_steps: 50

permissions:
    mode: 'ask'
    # what I trust
    allow:
    - "bash(make test)"  # every day
    deny: [web_fetch]

limits: {max_cost: 2}
`;
    const added = before.replace('every day\n', 'every day\n    - bash(npm test)\n');
    expect(await stored(before)).toBe(added);
  });

  it.each([
    ['', 'permissions:\n  allow:\n    - bash(npm test)\n'],
    ['# only a comment\n', '# only a comment\npermissions:\n  allow:\n    - bash(npm test)\n'],
    ['permissions:\n', 'permissions:\n  allow:\n    - bash(npm test)\n'],
    ['permissions:\n  mode: ask\n', 'permissions:\n  mode: ask\n  allow:\n    - bash(npm test)\n'],
    [
      'permissions:\n  allow: [bash(ls -l)]\n',
      'permissions:\n  allow: [bash(ls -l), "bash(npm test)"]\n',
    ],
    [
      '{"permissions": {"mode": "ask"}}',
      '{ "permissions": { "mode": "ask", allow: [ bash(npm test) ] } }\n',
    ],
    [
      'permissions:\n  mode: ask # now',
      'permissions:\n  mode: ask # now\n  allow:\n    - bash(npm test)\n',
    ],
    ['permissions:\n  allow:\n', 'permissions:\n  allow:\n    - bash(npm test)\n'],
    [
      'permissions:\r\n  allow:\r\n    - a\r\n',
      'permissions:\r\n  allow:\r\n    - a\r\n    - bash(npm test)\r\n',
    ],
  ])('goes into %j', async (before, after) => {
    expect(await stored(before)).toBe(after);
  });

  it('that needs quotes gets them, and one already there is not added twice', async () => {
    const rule = 'bash(echo "a: b # c" {x})';
    const once = await stored('', rule);
    expect((await place.load()).rules.map(({ text }) => text)).toEqual([rule]);
    await storeAllowRule(place.home, rule);
    expect(await content()).toBe(once);
  });

  it('keeps the mode of the file and follows a link', async () => {
    const real = await place.write('elsewhere.yaml', 'permissions:\n  mode: ask\n');
    await chmod(real, 0o640);
    await mkdir(place.home, { recursive: true });
    await symlink(real, file());
    await storeAllowRule(place.home, 'bash(npm test)');
    expect(await readFile(real, 'utf8')).toContain('bash(npm test)');
    expect((await stat(real)).mode & 0o777).toBe(0o640);
  });

  it('of twenty at once none is lost, and nothing is left behind', async () => {
    const rules = Array.from({ length: 20 }, (_, n) => `bash(make target-${n})`);
    await Promise.all(rules.map((rule) => storeAllowRule(place.home, rule)));
    const texts = (await place.load()).rules.map(({ text }) => text);
    expect(texts.sort()).toEqual(rules.sort());
    expect(await readdir(place.home)).toEqual(['config.yaml']);
  }, 15_000);

  it.each([
    ['permissions: {allow: [a', /not valid YAML/],
    ['permissions: 3\n', /permissions are not a section/],
    ['permissions:\n  allow: all\n', /permissions\.allow is not a list/],
    ['- a\n', /its content/],
  ])('that does not fit into %j is refused, the file stays', async (before, why) => {
    await place.write('user', before);
    const { message } = await failure(storeAllowRule(place.home, 'bash(npm test)'));
    expect(message).toMatch(why);
    expect(message).toContain(file());
    expect(await content()).toBe(before);
  });

  it('that cannot be written is an error that names the place', async () => {
    await writeFile(place.home, 'a file where the folder should be');
    expect((await failure(storeAllowRule(place.home, 'x'))).message).toContain(place.home);
  });
});
