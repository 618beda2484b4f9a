import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { SessionEvent } from './events.ts';
import { nodeLogFileSystem } from './group-commit.ts';
import { readEvents } from './read-log.ts';
import { createRedactor } from './redact.ts';
import { freshPaths, linesOf, openSession, removeHomes } from './testing/session-fixture.ts';
import type { EventLog } from './types.ts';

afterAll(removeHomes);

const NONE = { run_id: null };

function warn(log: EventLog, message: string) {
  return log.append(NONE, 'warning', { code: 'test', message });
}

describe('appending', () => {
  it('numbers without gaps over reopenings and gives back what was appended', async () => {
    const paths = await freshPaths();
    for (const part of ['a', 'b', 'c']) {
      const session = await openSession(paths);
      expect(warn(session.log, part).event).toMatchObject({ message: part, session_id: 'test' });
      warn(session.log, `${part}2`);
      await session.close();
    }
    const { events } = await readEvents(paths.events);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    expect((await linesOf(paths)).map((line) => JSON.parse(line).epoch)).toEqual([
      1, 1, 2, 2, 3, 3,
    ]);
    expect((await stat(paths.events)).mode & 0o777).toBe(0o600);
  });

  it('takes a snapshot: later changes of the payload change nothing', async () => {
    const session = await openSession(await freshPaths());
    const shown: SessionEvent[] = [];
    session.log.subscribe((event) => shown.push(event));
    const server = { server: 's', state: 'ready', tools: 1 };
    const receipt = session.log.append(NONE, 'mcp_status', server);
    server.state = 'changed';
    await receipt.acknowledged;
    expect(receipt.event).toMatchObject({ state: 'ready' });
    expect(shown[0]).toMatchObject({ state: 'ready' });
    expect(await session.log.events()).toEqual(shown);
    await session.close();
  });

  it('writes one batch for what is appended together, and syncs less often than it writes', async () => {
    const calls: string[] = [];
    const session = await openSession(await freshPaths(), {
      fs: {
        write(fd, bytes) {
          calls.push('write');
          return nodeLogFileSystem.write(fd, bytes);
        },
        async datasync(fd) {
          calls.push('sync begins');
          await nodeLogFileSystem.datasync(fd);
          calls.push('sync ends');
        },
      },
    });
    for (let index = 0; index < 50; index += 1) warn(session.log, `${index}`);
    await session.log.flush();
    expect(calls).toEqual(['write', 'sync begins', 'sync ends']);
    await session.close();
  });

  it('resolves written before acknowledged', async () => {
    const syncing = Promise.withResolvers<() => void>();
    const session = await openSession(await freshPaths(), {
      fs: {
        write: nodeLogFileSystem.write,
        datasync: () => new Promise((resolve) => syncing.resolve(resolve)),
      },
    });
    const order: string[] = [];
    const receipt = warn(session.log, 'x');
    void receipt.acknowledged.then(() => order.push('acknowledged'));
    await receipt.written;
    order.push('written');
    const release = await syncing.promise;
    release();
    await receipt.acknowledged;
    expect(order).toEqual(['written', 'acknowledged']);
    await session.close();
  });
});

describe('listeners', () => {
  it('see durable events in order once acknowledged, transient ones at once with seq and sub', async () => {
    const session = await openSession(await freshPaths());
    const seen: [string, number, number | undefined][] = [];
    session.log.subscribe((event) => seen.push([event.type, event.seq, event.sub]));
    const delta = { message_id: 'm', text: 'x' };
    session.log.emit(NONE, 'text_delta', delta);
    const first = warn(session.log, 'one');
    session.log.emit(NONE, 'text_delta', delta);
    await first.acknowledged;
    session.log.emit(NONE, 'text_delta', delta);
    session.log.emit(NONE, 'text_delta', delta);
    await warn(session.log, 'two').acknowledged;
    expect(seen).toEqual([
      ['text_delta', 0, 1],
      ['text_delta', 0, 2],
      ['warning', 1, undefined],
      ['text_delta', 1, 1],
      ['text_delta', 1, 2],
      ['warning', 2, undefined],
    ]);
    expect(await linesOf(session.paths)).toHaveLength(2);
    await session.close();
  });

  it('that throw are removed with one warning, and the others go on', async () => {
    const session = await openSession(await freshPaths());
    const good: string[] = [];
    session.log.subscribe(() => {
      throw new Error('broken view');
    });
    session.log.subscribe((event) => good.push(event.type === 'warning' ? event.code : '?'));
    await warn(session.log, 'x').acknowledged;
    await warn(session.log, 'y').acknowledged;
    await session.log.flush();
    expect(good.sort()).toEqual(['listener_removed', 'test', 'test']);
    await session.close();
  });
});

describe('what is stored', () => {
  it('holds no known secret, neither in lines nor in blobs nor shown to listeners', async () => {
    const redactor = createRedactor();
    const secret = 'canary-"93x7\\q';
    redactor.add('CANARY', secret);
    const session = await openSession(await freshPaths(), { redactor });
    const shown: string[] = [];
    session.log.subscribe((event) => shown.push(JSON.stringify(event)));
    warn(session.log, `a ${secret} b`);
    warn(session.log, `${'long '.repeat(20_000)}${secret}`);
    warn(session.log, JSON.stringify({ arguments: JSON.stringify({ key: secret }) }));
    session.log.emit(NONE, 'text_delta', { message_id: 'm', text: secret });
    await session.log.flush();
    const stored = (await linesOf(session.paths)).join('');
    for (const text of [stored, shown.join('')]) {
      expect(text).not.toContain('93x7');
      expect(text).toContain('[redacted:CANARY]');
    }
    const [blob] = await readdir(session.paths.blobs);
    expect(JSON.stringify(await session.log.events())).not.toContain('93x7');
    expect(blob).toMatch(/^[0-9a-f]{64}$/);
    await session.close();
  });

  it('moves long values and binary content to blobs and puts them back', async () => {
    const session = await openSession(await freshPaths());
    const image = {
      type: 'image' as const,
      mime: 'image/png',
      data: Buffer.from('not really').toString('base64'),
      width: 1,
      height: 1,
    };
    const block = { type: 'text' as const, text: '日本'.repeat(40_000) };
    const message = {
      message_id: 'm',
      role: 'user' as const,
      origin: 'user' as const,
      content: [block, image, { type: 'text' as const, text: '\ud800'.repeat(70_000) }],
    };
    const receipt = session.log.append(NONE, 'message_added', { message });
    const many = Array.from({ length: 5000 }, (_, index) => `path/${index}/of/a/file`);
    session.log.append(NONE, 'history_rewound', {
      to_session_step: 1,
      restored: many,
      conflicts: [],
    });
    await session.log.flush();
    const lines = await linesOf(session.paths);
    for (const line of lines) expect(line.length).toBeLessThan(2000);
    expect(lines[0]).toContain('"media_type":"image/png","encoding":"base64"');
    const events = await session.log.events();
    expect(events[0]).toEqual(receipt.event);
    expect(events[0]).toMatchObject({ message });
    expect(events[1]).toMatchObject({ restored: many });
    expect(await readdir(session.paths.blobs)).toHaveLength(4);
    await session.close();
  });

  it('never takes a value a model wrote for a reference, and keeps no prototype keys', async () => {
    const session = await openSession(await freshPaths());
    const hostile = JSON.parse(
      '{"_blob":"0000","x":{"_blob":"","value":{"_blob":"1"}},"__proto__":{"admin":true},"y":1}',
    );
    session.log.append(NONE, 'state_changed', { store: 's', change: hostile });
    await session.log.flush();
    const [event] = await session.log.events();
    const { ['__proto__']: _dropped, ...rest } = hostile;
    expect(event).toMatchObject({ change: rest });
    expect(JSON.stringify(event)).not.toContain('admin');
    await session.close();
  });

  it('reports a blob that is gone instead of failing', async () => {
    const session = await openSession(await freshPaths());
    warn(session.log, 'z'.repeat(100_000));
    await session.close();
    const { rm } = await import('node:fs/promises');
    for (const name of await readdir(session.paths.blobs)) {
      await rm(join(session.paths.blobs, name));
    }
    const read = await readEvents(session.paths.events);
    expect(read.damage).toEqual([{ line: 1, reason: 'missing_blob' }]);
    expect(JSON.stringify(read.events)).toContain('[missing blob ');
  });
});
