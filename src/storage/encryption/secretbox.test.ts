import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openBox, sealBox } from './secretbox.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** The test of crypto_secretbox that NaCl is published with. */
const published = {
  key: hex('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389'),
  nonce: hex('69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37'),
  message: hex(
    'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffc' +
      'e5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb31' +
      '0e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde' +
      '048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f93776384864' +
      '5e0705',
  ),
  box: hex(
    'f3ffc7703f9400e52a7dfb4b3d3305d9' +
      '8e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186a' +
      'c0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738' +
      'b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da' +
      '99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74' +
      'e355a5',
  ),
};

test('a box is the one that NaCl makes, and opens', () => {
  const { key, nonce, message, box } = published;
  expect(sealBox(message, nonce, key).toString('hex')).toBe(box.toString('hex'));
  expect(openBox(box, nonce, key)?.equals(message)).toBe(true);
});

test('a box that was changed anywhere, or is for another key or nonce, does not open', () => {
  const { key, nonce, box } = published;
  const changed = (bytes: Buffer, at: number) => {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] as number) ^ 1;
    return copy;
  };
  for (const at of box.keys()) expect(openBox(changed(box, at), nonce, key)).toBeUndefined();
  expect(openBox(box, changed(nonce, 20), key)).toBeUndefined();
  expect(openBox(box, nonce, changed(key, 31))).toBeUndefined();
  expect(openBox(box.subarray(0, 15), nonce, key)).toBeUndefined();
});

test.each([0, 1, 31, 32, 33, 63, 64, 65, 1000, 100_000])('a message of %i bytes comes back', (length) => {
  const message = randomBytes(length);
  const nonce = randomBytes(24);
  const key = randomBytes(32);
  expect(openBox(sealBox(message, nonce, key), nonce, key)?.equals(message)).toBe(true);
});
