import { beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { RepeatedFailures } from './repeated-failures.ts';

let lines: [level: string, fields: object, message: string][];
let clock: FakeClock;
let failures: RepeatedFailures;
beforeEach(() => {
  lines = [];
  clock = new FakeClock();
  const at = (level: string) => (fields: object, message: string) => lines.push([level, fields, message]);
  failures = new RepeatedFailures({ info: at('info'), warn: at('warn'), error: at('error') }, clock);
});

const lost = (port = 1) => failures.tell('warn', { err: new Error(`no answer at port ${port}`) }, 'etcd is lost');

describe('a failure that goes on', () => {
  test('is told once, then as a count at growing distances, and when it is over', () => {
    for (let second = 0; second < 600; second += 2) {
      lost(second);
      clock.advance(2000);
    }
    const counts = lines.map(([, fields]) => (fields as { repeated?: number }).repeated);
    expect(counts).toEqual([undefined, 30, 60, 120]);
    clock.advance(120_000);
    expect(lines.at(-1)).toEqual(['info', { failures: 300, seconds: 598 }, 'over: etcd is lost']);
    lost();
    expect(lines.at(-1)?.[0]).toBe('warn');
    expect(lines).toHaveLength(6);
  });

  test('and comes seldom is not over between two of them', () => {
    for (let hour = 0; hour < 3; hour++) {
      lost();
      clock.advance(50_000);
    }
    expect(lines.filter(([level]) => level === 'info')).toEqual([]);
  });

  test('once needs no second line', () => {
    lost();
    clock.advance(10 * 60_000);
    expect(lines).toHaveLength(1);
  });
});

test('failures of different things, or for different reasons, are told apart', () => {
  failures.tell('warn', { authorizer: 'a', err: new Error('refused') }, 'no answer');
  failures.tell('warn', { authorizer: 'b', err: new Error('refused') }, 'no answer');
  failures.tell('warn', { authorizer: 'a', err: new Error('late') }, 'no answer');
  failures.tell('error', { key: '/pods/a', why: 'x' }, 'unreadable');
  failures.tell('error', { key: '/pods/b', why: 'y' }, 'unreadable');
  expect(lines).toHaveLength(4);
});

test('clients cannot make it remember without end, and nothing runs after close', () => {
  for (let i = 0; i < 2000; i++) failures.tell('warn', { issuer: 'x'.repeat(i) }, 'unknown');
  expect(lines).toHaveLength(2000);
  failures.tell('warn', { issuer: 'x'.repeat(1999) }, 'unknown');
  expect(lines).toHaveLength(2000);
  failures.close();
  clock.advance(10 * 60_000);
  expect(lines).toHaveLength(2000);
});
