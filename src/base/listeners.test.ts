import { expect, test } from 'vitest';
import { Listeners } from './listeners.ts';

test('every callback is called until it is closed, also behind one that throws', () => {
  const seen: string[] = [];
  const listeners = new Listeners<string>((error) => seen.push((error as Error).message));
  listeners.add(() => {
    throw new Error('broken');
  });
  const subscription = listeners.add((event) => seen.push(event));
  listeners.call('first');
  subscription.close();
  listeners.call('second');
  expect(seen).toEqual(['broken', 'first', 'broken']);
});
