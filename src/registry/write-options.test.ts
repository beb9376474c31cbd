// Warnings on their way to the client.

import { expect, test } from 'vitest';
import { sendWarnings } from './write-options.ts';

const list = (length: number) => Array.from({ length }, (_, i) => `${i}`);

test.each([
  [100, 100],
  [10_000, 200],
])('of %d warnings the client gets the first %d', (length, sent) => {
  const texts: string[] = [];
  sendWarnings((text) => texts.push(text), list(length));
  expect(texts).toEqual(list(sent));
});
