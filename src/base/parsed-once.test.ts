import { expect, test } from 'vitest';
import { ParsedOnce } from './parsed-once.ts';
import type { Steps } from './steps.ts';

function counted() {
  const seen = { runs: 0 };
  const steps = function* (fails: boolean): Steps<string> {
    seen.runs++;
    yield;
    if (fails) throw new Error('malformed');
    return 'parsed';
  };
  return { seen, steps };
}

test('what was parsed in turns is not parsed again', async () => {
  const { seen, steps } = counted();
  const once = new ParsedOnce(steps(false));
  await once.parse();
  await once.parse();
  expect([once.value, once.value]).toEqual(['parsed', 'parsed']);
  expect(seen.runs).toBe(1);
});

test('what cannot be parsed says so each time, and is tried once', async () => {
  const { seen, steps } = counted();
  const once = new ParsedOnce(steps(true));
  await once.parse();
  expect(() => once.value).toThrow('malformed');
  expect(() => once.value).toThrow('malformed');
  expect(seen.runs).toBe(1);
});

test('it is parsed at once for those who did not wait', () => {
  const { seen, steps } = counted();
  const once = new ParsedOnce(steps(false));
  expect([once.value, once.value]).toEqual(['parsed', 'parsed']);
  expect(seen.runs).toBe(1);
});
