import { describe, expect, test } from 'vitest';
import { andThen, isPromise, orElse } from './maybe-promise.ts';

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

describe('orElse', () => {
  const fail = (): never => {
    throw new Error('failed');
  };
  const wordsOf = (error: unknown) => (error as Error).message;

  test('returns the value, at once where it is there', async () => {
    expect(orElse(() => 1, fail)).toBe(1);
    expect(await orElse(() => Promise.resolve(1), fail)).toBe(1);
  });

  test('recovers from an error at once and later', async () => {
    expect(orElse<string>(fail, wordsOf)).toBe('failed');
    expect(await orElse(() => Promise.reject<string>(new Error('later')), wordsOf)).toBe('later');
  });
});
