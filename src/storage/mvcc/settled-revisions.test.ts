import { expect, test } from 'vitest';
import { revision } from '../../meta/revision.ts';
import { SettledRevisions } from './settled-revisions.ts';

test('a write is settled as it was noted, until a thousand others came', () => {
  const settled = new SettledRevisions();
  const at = 5_000_000_000;
  settled.note(revision(at), true);
  settled.note(revision(at + 1), false);
  expect(settled.has(revision(at))).toBe(true);
  expect(settled.has(revision(at + 1))).toBe(false);
  expect(settled.has(revision(at + 1024))).toBe(false);
  expect(settled.has(revision(at - 1024))).toBe(false);
  settled.note(revision(at + 1024), false);
  expect(settled.has(revision(at))).toBe(false);
});

test('no write is settled before one was noted', () => {
  const settled = new SettledRevisions();
  for (const at of [0, 1, 1023, 1024, 2 ** 40]) expect(settled.has(revision(at))).toBe(false);
});

test('threads that share the memory see what one of them notes', () => {
  const memory = new SharedArrayBuffer(16 + SettledRevisions.bytes);
  new SettledRevisions(memory, 16).note(revision(7), true);
  expect(new SettledRevisions(memory, 16).has(revision(7))).toBe(true);
});
