import { describe, expect, test } from 'vitest';
import { andThen, isPromise } from './maybe-promise.ts';

describe('andThen', () => {
  test('goes on at once when the value is there', () => {
    expect(andThen(2, (n) => n * 2)).toBe(4);
  });

  test('waits when it has to', async () => {
    const result = andThen(Promise.resolve(2), (n) => n * 2);
    expect(isPromise(result)).toBe(true);
    expect(await result).toBe(4);
  });

  test('waits when the next step does', async () => {
    expect(await andThen(2, (n) => Promise.resolve(n * 2))).toBe(4);
  });

  test('lets a failure through, in the form in which it came', async () => {
    const fail = (): never => {
      throw new Error('no');
    };
    expect(() => andThen(1, fail)).toThrow('no');
    await expect(andThen(Promise.resolve(1), fail)).rejects.toThrow('no');
    await expect(andThen(Promise.reject(new Error('lost')), fail)).rejects.toThrow('lost');
  });
});
