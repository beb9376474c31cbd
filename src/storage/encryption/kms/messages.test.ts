import { expect, test } from 'vitest';
import { checkWrapped, decodeEnvelope, type Envelope, encodeEnvelope } from './messages.ts';

const envelope: Envelope = {
  data: Buffer.from('data'),
  ciphertext: Buffer.from('secret'),
  keyId: 'key',
  annotations: new Map([['a.example.com', Buffer.from('1')]]),
  sourceType: 'seed',
};

test.each(['seed', 'key'] as const)('an envelope of a %s is read as it was written', (sourceType) => {
  expect(decodeEnvelope(encodeEnvelope({ ...envelope, sourceType }))).toEqual({ ...envelope, sourceType });
});

test('the bytes are those of the reference', () => {
  const plain: Envelope = { ...envelope, annotations: new Map() };
  expect(encodeEnvelope(plain).toString('latin1')).toBe('\n\x04data\x12\x03key\x1a\x06secret(\x01');
});

test.each([
  [{ keyId: '' }, 'failed to validate key id: keyID is empty'],
  [{ ciphertext: Buffer.alloc(0) }, 'encrypted DEK source is empty'],
  [{ ciphertext: Buffer.alloc(1025) }, 'encrypted DEK source is 1025 bytes, which exceeds the max size of 1024'],
  [{ annotations: new Map([['plain', Buffer.alloc(0)]]) }, 'a key is not a fully qualified domain name'],
  [
    { annotations: new Map([['a.b', Buffer.alloc(32 * 1024)]]) },
    'total size of annotations is 32771, which exceeds the max size of 32768',
  ],
])('limits of the API are kept: %#', (change, message) => {
  expect(() => checkWrapped({ ...envelope, ...change })).toThrow(message);
  expect(() => decodeEnvelope(encodeEnvelope({ ...envelope, ...change }))).toThrow(message);
});

test('damage is an error, never another value', () => {
  const bytes = encodeEnvelope(envelope);
  expect(() => decodeEnvelope(bytes.subarray(0, 9))).toThrow('unexpected EOF');
  expect(() => decodeEnvelope(encodeEnvelope({ ...envelope, data: Buffer.alloc(0) }))).toThrow('data is empty');
  expect(() => decodeEnvelope(Buffer.concat([bytes, Buffer.from([0x28, 7])]))).toThrow(
    'unknown encryptedDEKSourceType: 7',
  );
});
