// Warnings on their way to the client: at once where that is quick, with rests where it is not.

import { expect, test } from 'vitest';
import { isPromise } from '../base/maybe-promise.ts';
import { YieldTimer, yieldTimerFor } from '../base/yield-timer.ts';
import { warnEach } from '../meta/warn-each.ts';
import { sendWarnings } from './write-options.ts';

const list = (length: number) => Array.from({ length }, (_, i) => `${i}`);

class AlwaysDue extends YieldTimer {
  override get isDue(): boolean {
    return true;
  }
}

test('warnings about a small object are told at once', () => {
  const told: string[] = [];
  const texts = warnEach(list(100), (item) => [item]);
  expect(sendWarnings((text) => told.push(text), texts, yieldTimerFor(100))).toBeUndefined();
  expect(told).toEqual(list(100));
});

test('others have their turn between the warnings about a long list', async () => {
  const told: string[] = [];
  const texts = warnEach(list(100), (item) => [item]);
  const sent = sendWarnings((text) => told.push(text), texts, new AlwaysDue());
  expect(isPromise(sent)).toBe(true);
  expect(told.length).toBeLessThan(100);
  await sent;
  expect(told).toEqual(list(100));
});

test('no more is made than can be sent', () => {
  const told: string[] = [];
  let made = 0;
  const texts = warnEach(list(10_000), (item) => {
    made++;
    return [item];
  });
  expect(sendWarnings((text) => told.push(text), texts, yieldTimerFor(100))).toBeUndefined();
  expect(told).toHaveLength(200);
  expect(made).toBe(200);
});
