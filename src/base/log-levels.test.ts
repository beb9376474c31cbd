import { describe, expect, test } from 'vitest';
import { LogLevels, parseAreaLevels } from './log-levels.ts';

describe('levels', () => {
  test('of areas are those of the whole unless they have their own', () => {
    const levels = new LogLevels(1, { webhooks: 4 });
    expect([levels.of.requests, levels.of.webhooks]).toEqual([1, 4]);
    levels.verbosity = 3;
    expect([levels.of.requests, levels.of.webhooks]).toEqual([3, 4]);
    levels.areas = { requests: 0 };
    expect([levels.of.requests, levels.of.webhooks]).toEqual([0, 3]);
  });

  test.each([
    ['', {}],
    ['requests=3', { requests: 3 }],
    ['requests=3, caches=0', { requests: 3, caches: 0 }],
  ])('%j is read', (text, areas) => expect(parseAreaLevels(text)).toEqual(areas));

  test.each(['requests', 'requests=', 'requests=-1', 'nothing=3', '__proto__=3', 'requests=3;'])(
    '%j is refused',
    (text) =>
      expect(() => parseAreaLevels(text)).toThrow(
        /is not an area and its level, such as requests=3; areas are server, /,
      ),
  );
});
