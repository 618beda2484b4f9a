import { describe, expect, it } from 'vitest';
import type { Profile } from '../profile-types.ts';
import { patchProfile } from '../profiles/defaults.ts';
import {
  assistant,
  CHAT,
  call,
  image,
  normalise,
  picture,
  result,
  user,
} from '../testing/histories.ts';
import type { ImageBlock } from '../types.ts';

describe('text', () => {
  it('is well-formed wherever an emoji was cut', () => {
    const emoji = 'a\u{1f468}\u200d\u{1f469}\0b';
    for (let end = 0; end <= emoji.length; end++) {
      const piece = emoji.slice(0, end);
      const one = call({ raw_arguments: JSON.stringify({ [piece]: piece }), arguments: {} });
      const history = normalise([
        user(`x${piece}`),
        assistant(`y${piece}`, one),
        user(result(one, { text: piece })),
      ]);
      const body = JSON.stringify(history.turns);
      expect(JSON.stringify(JSON.parse(body))).toBe(body);
      expect(body).not.toMatch(/(?<!\\)(?:\\\\)*\\u(?:d[89a-f]|0000)/);
    }
  });

  it('of an empty result is (no output), and a result of 5 MB is cut to its ends (G21)', () => {
    const [a, b] = [call(), call()];
    const long = `HEAD${'\u{1f600}'.repeat(1_250_000)}TAIL`;
    const history = normalise([
      user('t'),
      assistant(a, b),
      user(result(a, { text: ' \n' }), result(b, { text: long })),
    ]);
    const [, empty, cut = ''] = picture(history)[2] ?? [];
    expect(empty).toBe('<(no output)');
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(256 * 1024 + 1);
    expect(cut).toMatch(/^<HEAD.*bytes omitted.*TAIL$/s);
    expect(cut.isWellFormed()).toBe(true);
  });
});

describe('images', () => {
  const one = call();
  const messages = [user('t'), assistant(one), user(result(one, { images: [image()] }), 'note')];

  it('of results stand where the vendor takes them (G13)', () => {
    const place = (toolResults: Profile['images']['toolResults'], input = true) =>
      normalise(messages, { profile: patchProfile(CHAT, { images: { toolResults, input } }) })
        .turns[2];
    expect(place('inline')).toMatchObject({
      results: [{ images: [image()] }],
      blocks: [{ text: 'note' }],
    });
    expect(place('user_message')).toMatchObject({
      results: [{ images: [] }],
      blocks: [{ text: 'Images in the result of get:' }, image(), { text: 'note' }],
    });
    for (const turn of [place('placeholder'), place('inline', false)]) {
      expect(JSON.stringify(turn)).toContain('[image removed: 10x10, ');
    }
  });

  it('beyond a limit become a line of text, the oldest first (G14)', () => {
    const removedOf = (images: readonly ImageBlock[]) => {
      const { turns, warnings } = normalise(images.map((item) => user('look', item)));
      const removed = turns.flatMap((turn, index) =>
        turn.blocks.some((block) => block.type === 'image') ? [] : [index],
      );
      expect(warnings).toHaveLength(removed.length);
      return removed;
    };
    const many = (length: number, side = 10) => Array.from({ length }, () => image(side, side));
    expect(removedOf(many(100))).toEqual([]);
    expect(removedOf(many(102))).toEqual([0, 1]);
    expect(removedOf([image(8001), image(8000)])).toEqual([0]);
    expect(removedOf([{ ...image(), data: 'A'.repeat(7_000_000) }])).toEqual([0]);
    expect(removedOf(many(20, 3000))).toEqual([]);
    expect(removedOf(many(23, 3000))).toEqual([0, 1, 2]);
    expect(removedOf([...many(20), image(3000)])).toEqual([0]);
  });
});
