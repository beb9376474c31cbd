import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { type UnreadAnswer, UnreadAnswers } from './unread-answers.ts';

const limits = { unreadBytes: 1000, unreadMs: 60_000 };

function open() {
  const clock = new FakeClock();
  const unread = new UnreadAnswers(limits, clock);
  const givenUp: string[] = [];
  const answer = (name: string, isLasting = false): UnreadAnswer => ({ isLasting, giveUp: () => givenUp.push(name) });
  return { clock, unread, givenUp, answer };
}

describe('answers that are not read', () => {
  test('hold so many bytes: beyond that the one of which nothing was taken for longest is given up', () => {
    const { unread, givenUp, answer } = open();
    const [a, b, c] = [answer('a'), answer('b'), answer('c')];
    unread.add(a, new Uint8Array(400));
    unread.add(b, new Uint8Array(400));
    unread.took(a);
    unread.add(c, new Uint8Array(400));
    expect(givenUp).toEqual(['b']);
    unread.add(b, new Uint8Array(600));
    expect(givenUp).toEqual(['b', 'a']);
  });

  test('count bytes once that are in many of them', () => {
    const { unread, givenUp, answer } = open();
    const shared = new Uint8Array(400);
    const answers = Array.from({ length: 50 }, (_, at) => answer(String(at)));
    for (const one of answers) unread.add(one, shared);
    unread.add(answer('other'), new Uint8Array(600));
    expect(givenUp).toEqual([]);
    for (const one of answers) unread.tookPiece(one);
    unread.add(answer('last'), new Uint8Array(400));
    expect(givenUp).toEqual([]);
  });

  test('wait for a minute, and longer only where something is taken meanwhile, or where they have no end', () => {
    const { clock, unread, givenUp, answer } = open();
    const [slow, watch] = [answer('slow'), answer('watch', true)];
    unread.add(watch, new Uint8Array(1));
    unread.add(answer('never'), new Uint8Array(1));
    unread.add(slow, new Uint8Array(1));
    clock.advance(40_000);
    unread.took(slow);
    clock.advance(40_000);
    expect(givenUp).toEqual(['never']);
    clock.advance(20_001);
    expect(givenUp).toEqual(['never', 'slow']);
    clock.advance(600_000);
    expect(givenUp).toEqual(['never', 'slow']);
  });

  test('are forgotten when they were sent', () => {
    const { clock, unread, givenUp, answer } = open();
    const [whole, pieces] = [answer('whole'), answer('pieces')];
    unread.hold(whole, {}, 500);
    unread.add(pieces, new Uint8Array(250));
    unread.add(pieces, new Uint8Array(250));
    unread.forget(whole);
    unread.tookPiece(pieces);
    unread.tookPiece(pieces);
    unread.add(answer('next'), new Uint8Array(1000));
    expect(givenUp).toEqual([]);
    clock.advance(60_000);
    expect(givenUp).toEqual(['next']);
  });
});
