// Which queues a flow may use. The hash of the flow deals it a hand of queues, as one deals cards: two flows share a few
// queues at most, so a flow that fills its queues leaves others some of theirs.

import { createHash } from 'node:crypto';

/** The first eight bytes, little-endian, of the SHA-256 of both names with a zero byte between them. */
export function flowHash(schema: string, distinguisher: string): bigint {
  return createHash('sha256').update(`${schema}\0${distinguisher}`).digest().readBigUInt64LE();
}

/** Different numbers below `queues`, at most `handSize` of them. */
export function dealHand(hash: bigint, queues: number, handSize: number): readonly number[] {
  const hand: number[] = [];
  const draws: number[] = [];
  let rest = hash;
  for (let i = 0; i < Math.min(handSize, queues); i++) {
    const left = BigInt(queues - i);
    draws.push(Number(rest % left));
    rest /= left;
  }
  for (const [i, draw] of draws.entries()) {
    // a draw counts the queues that were left: earlier draws at or below it move it up
    let queue = draw;
    for (let j = i - 1; j >= 0; j--) if (queue >= (draws[j] as number)) queue++;
    hand.push(queue);
  }
  return hand;
}
