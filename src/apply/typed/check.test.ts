// Whether a configuration fits its type: the same in steps, where it is large, as at once.

import { describe, expect, test } from 'vitest';
import type { Steps } from '../../base/steps.ts';
import { checkFit, checkingFit } from './check.ts';
import type { Topology } from './topology.ts';

const text: Topology = { is: 'scalar', accepts: 'string' };
const texts: Topology = { is: 'map', atomic: false, of: text };
const list = (of: Topology): Topology => ({ is: 'list', of });
const type: Topology = { is: 'map', atomic: false, of: { is: 'map', atomic: false, of: list(texts) } };

const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const named = (count: number, value: unknown) => Object.fromEntries(many(count, (i) => [`n${i}`, value]));

function outcome(check: () => void): string {
  try {
    check();
    return 'fits';
  } catch (error) {
    return (error as Error).message;
  }
}

function run(steps: Steps<void>): number {
  let count = 0;
  while (!steps.next().done) count++;
  return count;
}

describe('a large configuration', () => {
  test.each<readonly [string, object]>([
    ['a long list', { a: { b: many(5000, () => ({ c: 'd' })) } }],
    ['a large map', { a: { b: [named(5000, 'text')] } }],
    ['a wrong value at the end of a long list', { a: { b: [...many(5000, () => ({ c: 'd' })), { e: 5 }] } }],
    ['wrong values in a large map', { a: { b: [{ ...named(5000, 'text'), x: 1, y: {} }] } }],
    ['more wrong values than are told', { a: { b: [named(5000, 1)] } }],
    ['something else that is large', { a: named(5000, 'text'), b: many(5000, () => 1) }],
  ])('with %s is judged in steps as it is at once', (_title, config) => {
    const atOnce = outcome(() => checkFit(type, config));
    let steps = 0;
    const inSteps = outcome(() => {
      for (const _ of checkingFit(type, config)) steps++;
    });
    expect(inSteps).toBe(atOnce);
    expect(steps).toBeGreaterThan(5);
  });

  test('is refused for the wrong values in it', () => {
    expect(() => run(checkingFit(type, { a: { b: [{ ...named(5000, 'x'), y: 1 }] } }))).toThrow('.a.b[0].y: expected');
  });
});

test('a small configuration is judged at once', () => {
  expect(run(checkingFit(type, { a: { b: many(50, () => ({ c: 'd' })) } }))).toBe(0);
});
