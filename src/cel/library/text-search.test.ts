import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectProcessorTime } from '../../testing/processor-time.ts';
import { firstIndex, lastIndex, splitText } from './text-search.ts';

/** Long enough that the engine's own search is not used. */
const long = fc
  .tuple(fc.constantFrom('a', 'ab', 'aab'), fc.string({ maxLength: 4 }), fc.integer({ min: 600, max: 900 }))
  .map(([unit, other, count]) => unit.repeat(count) + other + unit.repeat(count));
const part = (text: string, start: number, length: number, end: string) => text.slice(start, start + length) + end;
const searches = fc
  .tuple(
    long,
    fc.nat(1000),
    fc.integer({ min: 600, max: 1000 }),
    fc.constantFrom('', 'b', '\ud83d\ude00'),
    fc.nat(2000),
  )
  .map(([text, start, length, end, from]) => ({ text: text.repeat(2), part: part(text, start, length, end), from }));

describe('a search in long texts finds what that of the engine finds', () => {
  test('from the beginning, from the end and everywhere', () => {
    fc.assert(
      fc.property(searches, ({ text, part, from }) => {
        expect(firstIndex(text, part)).toBe(text.indexOf(part));
        expect(firstIndex(text, part, from)).toBe(text.indexOf(part, from));
        expect(lastIndex(text, part)).toBe(text.lastIndexOf(part));
        expect(lastIndex(text, part, from)).toBe(text.lastIndexOf(part, from));
        expect(splitText(text, part)).toEqual(text.split(part));
      }),
      { numRuns: 300 },
    );
  });

  test('of halves of characters', () => {
    const text = `${'a'.repeat(2000)}\ud83d\ude00${'a'.repeat(2000)}`;
    const half = `${'a'.repeat(1000)}\ud83d`;
    expect([firstIndex(text, half), lastIndex(text, half)]).toEqual([text.indexOf(half), text.lastIndexOf(half)]);
  });
});

test('the time of a search is not the product of both lengths', async () => {
  const text = 'a'.repeat(1_000_000);
  await expectProcessorTime(2000, () => {
    expect(firstIndex(text, `b${'a'.repeat(400_000)}`)).toBe(-1);
    expect(lastIndex(text, `${'a'.repeat(400_000)}b`)).toBe(-1);
    expect(splitText(text, `${'a'.repeat(400_000)}b`)).toHaveLength(1);
  });
});
