import { hash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuditLogOptions, openAuditLog } from './audit.ts';
import { encodeAuditLine, FIRST_PREV } from './audit-line.ts';
import { nodeLogFileSystem } from './group-commit.ts';
import { createRedactor } from './redact.ts';
import { freshPaths, openSession, removeHomes } from './testing/session-fixture.ts';
import type { AuditEntry, SessionPaths } from './types.ts';
import { verifySession } from './verify.ts';
import { verifyAudit } from './verify-audit.ts';

afterAll(removeHomes);

function entry(number: number): AuditEntry {
  return {
    run_id: 'run_1',
    step: number,
    call_id: `call_${number}`,
    actor: 'policy',
    event: 'permission',
    tool: 'bash',
    decision: 'allow',
    args_preview: `ls ${number}`,
  };
}

function open(paths: SessionPaths, options: Partial<AuditLogOptions> = {}) {
  return openAuditLog({ paths, sessionId: 'test', redactor: createRedactor(), ...options });
}

async function withEntries(count: number): Promise<SessionPaths> {
  const paths = await freshPaths();
  const audit = await open(paths);
  for (let number = 1; number <= count; number += 1) await audit.write(entry(number));
  await audit.close();
  return paths;
}

describe('the audit log', () => {
  it('chains lines over reopenings, in the members and order of its format', async () => {
    const paths = await withEntries(2);
    const audit = await open(paths);
    expect(audit.head().seq).toBe(2);
    await Promise.all([audit.write(entry(3)), audit.write(entry(4))]);
    const head = audit.head();
    await audit.close();
    const lines = (await readFile(paths.audit, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((l) => JSON.parse(l));
    expect(lines.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(lines[0].prev).toBe(FIRST_PREV);
    expect(lines[3].prev).toBe(lines[2].hash);
    expect(lines[3].hash).toBe(head.hash);
    expect(Object.keys(lines[0])).toEqual(
      'v seq ts user session run_id step call_id actor event tool decision args_preview prev hash'.split(
        ' ',
      ),
    );
    expect(await verifyAudit(paths.audit, [])).toEqual({ status: 'unanchored', ...head });
  });

  it('holds no secret, known or key-shaped, also where the preview is cut', async () => {
    const paths = await freshPaths();
    const redactor = createRedactor();
    redactor.add('CANARY', 'canary-1234567890');
    const audit = await open(paths, { redactor });
    const long = `${'x'.repeat(505)}canary-1234567890`;
    await audit.write({ ...entry(1), args_preview: long });
    await audit.write({
      ...entry(2),
      args_preview: 'curl -H "Authorization: Bearer abcdef0123456789"',
    });
    await audit.close();
    const text = await readFile(paths.audit, 'utf8');
    expect(text).not.toMatch(/canary|abcdef0123/);
    expect(JSON.parse(text.split('\n')[0] ?? '').args_preview.length).toBeLessThanOrEqual(512);
  });

  it('stays failed after a write error, and keeps a torn last line apart on reopening', async () => {
    const paths = await freshPaths();
    let full = false;
    const audit = await open(paths, {
      fs: {
        async write(fd, bytes) {
          if (!full) return nodeLogFileSystem.write(fd, bytes);
          await nodeLogFileSystem.write(fd, bytes.subarray(0, 20));
          throw Object.assign(new Error('ENOSPC: full'), { code: 'ENOSPC' });
        },
        datasync: nodeLogFileSystem.datasync,
      },
    });
    await audit.write(entry(1));
    full = true;
    await expect(audit.write(entry(2))).rejects.toThrow(/only reading goes on/);
    full = false;
    await expect(audit.write(entry(3))).rejects.toThrow(/ENOSPC/);
    await audit.close();
    expect(await verifyAudit(paths.audit, [])).toMatchObject({ status: 'torn_tail', seq: 1 });
    const again = await open(paths);
    await again.write(entry(2));
    await again.close();
    expect(await verifyAudit(paths.audit, [])).toMatchObject({ status: 'unanchored', seq: 2 });
    expect((await readdir(paths.state)).some((name) => name.startsWith('audit.torn-'))).toBe(true);
  });
});

describe('verifying the chain', () => {
  let paths: SessionPaths;
  let lines: string[];
  let anchor: { seq: number; hash: string };
  beforeAll(async () => {
    paths = await withEntries(8);
    lines = (await readFile(paths.audit, 'utf8')).trimEnd().split('\n');
    anchor = { seq: 8, hash: JSON.parse(lines[7] ?? '').hash };
  });

  async function verifyLines(edited: readonly string[]) {
    await writeFile(paths.audit, edited.map((line) => `${line}\n`).join(''));
    return verifyAudit(paths.audit, [anchor]);
  }

  it('accepts the untouched chain', async () => {
    expect(await verifyLines(lines)).toEqual({ status: 'ok', ...anchor });
  });

  it('finds a removed, swapped, repeated or inserted line at its number', async () => {
    for (let index = 0; index < 7; index += 1) {
      const line = lines[index] ?? '';
      const next = lines[index + 1] ?? '';
      const edits: [string[], number][] = [
        [lines.toSpliced(index, 1), index + 1],
        [lines.toSpliced(index, 2, next, line), index + 1],
        [lines.toSpliced(index, 0, line), index + 2],
        [lines.toSpliced(index, 0, next), index + 1],
      ];
      for (const [edited, seq] of edits) {
        expect(await verifyLines(edited)).toMatchObject({ status: 'edited', firstBadSeq: seq });
      }
    }
  });

  it('finds any changed byte of any line', async () => {
    for (const index of [0, 3, 7]) {
      const line = Buffer.from(lines[index] ?? '');
      for (let at = 0; at < line.length; at += 1) {
        const bytes = Buffer.from(line);
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        const edited = lines.with(index, bytes.toString('latin1'));
        expect(await verifyLines(edited)).toMatchObject({
          status: 'edited',
          firstBadSeq: index + 1,
        });
      }
    }
  });

  it('finds a chain that was made anew from some line on, when it is anchored', async () => {
    let prev = JSON.parse(lines[3] ?? '').hash;
    const forged = lines.slice(4).map((line) => {
      const { hash: _old, ...members } = JSON.parse(line);
      const made = encodeAuditLine(JSON.stringify({ ...members, decision: 'deny', prev }));
      prev = made.hash;
      return made.line.trimEnd();
    });
    expect(await verifyLines([...lines.slice(0, 4), ...forged])).toMatchObject({
      status: 'edited',
      firstBadSeq: 8,
    });
  });

  it('calls a cut tail truncated, at each line end and within the last line', async () => {
    for (let length = 0; length < 8; length += 1) {
      expect(await verifyLines(lines.slice(0, length))).toMatchObject({
        status: 'truncated',
        firstBadSeq: length + 1,
        seq: length,
      });
    }
    await writeFile(paths.audit, `${lines.join('\n')}`);
    expect(await verifyAudit(paths.audit, [anchor])).toMatchObject({ status: 'truncated' });
    expect(await verifyAudit(paths.audit, [])).toMatchObject({
      status: 'torn_tail',
      firstBadSeq: 8,
    });
  });

  it('checks 100,000 lines in 2 s (on a loaded machine: in 12 times the hashing alone)', async () => {
    let prev = FIRST_PREV;
    const many: string[] = [];
    for (let seq = 1; seq <= 100_000; seq += 1) {
      const made = encodeAuditLine(JSON.stringify({ v: 1, seq, ...entry(seq), prev }));
      prev = made.hash;
      many.push(made.line);
    }
    await writeFile(paths.audit, many.join(''));
    const hashing = performance.now();
    for (const line of many) hash('sha256', line, 'hex');
    const started = performance.now();
    expect(await verifyAudit(paths.audit, [])).toMatchObject({ seq: 100_000, hash: prev });
    const took = performance.now() - started;
    expect(took).toBeLessThan(Math.max(2000, 12 * (started - hashing)));
  });
});

describe('verifying a session', () => {
  it('reads the anchor from the event log and checks events and blobs', async () => {
    const paths = await withEntries(3);
    const audit = await open(paths);
    const head = audit.head();
    await audit.close();
    const session = await openSession(paths);
    session.log.append({ run_id: null }, 'warning', { code: 'x', message: 'y'.repeat(100_000) });
    session.log.append({ run_id: 'run_1' }, 'run_finished', {
      agent_state: 'completed',
      success: true,
      stop_reason: 'completed',
      final_result: null,
      error: null,
      steps: 0,
      usage: {
        input_tokens: 0,
        output_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        reasoning_tokens: 0,
      },
      cost_usd: 0,
      cost_known_usd: 0,
      duration_ms: 1,
      denials: [],
      patch: null,
      undelivered_messages: [],
      audit: head,
    });
    await session.close();
    expect(await verifySession(paths)).toEqual({
      status: 'ok',
      ...head,
      anchor: head,
      events: { ok: true, count: 2, damage: [] },
      blobs: { ok: true, count: 1, damaged: [] },
    });
    const [name = ''] = await readdir(paths.blobs);
    await writeFile(`${paths.blobs}/${name}`, 'other');
    expect(await verifySession(paths)).toMatchObject({
      events: { ok: false, damage: [{ line: 1, reason: 'missing_blob' }] },
      blobs: { ok: false, damaged: [name] },
    });
  });
});
