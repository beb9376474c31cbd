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
    ['httplog=9', { requests: 9 }],
    ['httplog=9,requests=2', { requests: 9 }],
    ['auth*=4', { authorization: 4 }],
    ['cach?r=5', { caches: 5 }],
    ['web****s=1', { webhooks: 1 }],
    [
      'requests=3,*=1',
      { server: 1, requests: 3, authorization: 1, admission: 1, webhooks: 1, conversions: 1, caches: 1 },
    ],
  ])('%j is read', (text, areas) => expect(parseAreaLevels(text)).toEqual({ areas, unknown: [] }));

  test.each(['nothing=3', '__proto__=3', 'pkg/util/*=3', 'request.=3', '[a-z]+=3'])('%j matches no area', (text) => {
    expect(parseAreaLevels(`${text},requests=2`)).toEqual({
      areas: { requests: 2 },
      unknown: [text.slice(0, text.lastIndexOf('='))],
    });
  });

  test.each(['requests', 'requests=', 'requests=-1', '=3', 'requests=3;'])('%j is refused', (text) =>
    expect(() => parseAreaLevels(text)).toThrow(/is not an area and its level, such as requests=3; areas are server, /),
  );
});
