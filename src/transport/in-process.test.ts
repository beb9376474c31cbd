import { expect, test } from 'vitest';
import type { ApiResponse } from '../meta/exchange.ts';
import { inProcessFetch } from './in-process.ts';

const heldOpen = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

test('the process stays alive while a caller waits for an answer, and no longer', async () => {
  let answer: (response: ApiResponse) => void = () => {};
  const pending = new Promise<ApiResponse>((resolve) => {
    answer = resolve;
  });
  const fetch = inProcessFetch(
    () => pending,
    new AbortController().signal,
    () => false,
  );
  const before = heldOpen();
  const response = fetch('/version');
  expect(heldOpen()).toBe(before + 1);
  answer({ status: 200, headers: {}, body: 'done' });
  expect(await (await response).text()).toBe('done');
  expect(heldOpen()).toBe(before);
});
