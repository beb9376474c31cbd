import { expect, test } from 'vitest';
import { AddressIndex } from './address-index.ts';

test('what a service holds and what its address names agree, or not', () => {
  const index = new AddressIndex();
  index.name('10.0.0.1', 'a');
  expect(index.isInOrder('10.0.0.1')).toBe(false);
  expect(index.hold('a', ['10.0.0.1'])).toEqual([]);
  expect([index.isInOrder('10.0.0.1'), index.isServiceInOrder('a')]).toEqual([true, true]);
  index.name('10.0.0.1', '');
  expect([index.isInOrder('10.0.0.1'), index.isServiceInOrder('a')]).toEqual([false, false]);
  index.name('10.0.0.1', undefined);
  expect([index.isInOrder('10.0.0.1'), index.isServiceInOrder('a')]).toEqual([false, false]);
  expect(index.hold('a', ['10.0.0.2'])).toEqual(['10.0.0.1']);
  expect([index.isInOrder('10.0.0.1'), index.holderOf('10.0.0.2')]).toEqual([true, 'a']);
  expect(index.hold('a', [])).toEqual(['10.0.0.2']);
  expect([...index.services, ...index.addresses]).toEqual([]);
});

test('of two services with one address the later one holds it, and neither is in order before the object says so', () => {
  const index = new AddressIndex();
  index.name('10.0.0.1', 'a');
  index.hold('a', ['10.0.0.1']);
  index.hold('b', ['10.0.0.1']);
  expect([index.isServiceInOrder('a'), index.isServiceInOrder('b')]).toEqual([false, false]);
  index.hold('a', []);
  expect(index.holderOf('10.0.0.1')).toBe('b');
});
