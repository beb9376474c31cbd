// Public keys (SubjectPublicKeyInfo) that clients choose: the form is checked before OpenSSL reads it.

import { createPublicKey, type KeyObject } from 'node:crypto';
import { contentOf, type Element, elementsOf, oidOf, sequenceOf, tags, wholeBitsOf } from './der.ts';
import { UnusableRequest } from './unusable-request.ts';

/** Undefined for a key of an unknown kind. Throws for a key that is not what its kind says. */
export function readPublicKey(element: Element): KeyObject | undefined {
  const [algorithm, bits] = sequenceOf(element);
  const [id, parameters] = sequenceOf(algorithm);
  const check = checks.get(oidOf(id));
  check?.(wholeBitsOf(bits), parameters);
  try {
    return createPublicKey({ key: element.whole, format: 'der', type: 'spki' });
  } catch {
    if (check === undefined) return undefined;
    throw new UnusableRequest('x509: invalid public key');
  }
}

type Check = (key: Buffer, parameters: Element | undefined) => void;

const nullTag = 0x05;

const checkRsa: Check = (key, parameters) => {
  if (parameters?.tag !== nullTag || parameters.content.length > 0)
    throw new UnusableRequest('x509: RSA key missing NULL parameters');
  const [whole, ...more] = elementsOf(key);
  if (whole?.tag !== tags.sequence || more.length > 0) throw new UnusableRequest('x509: invalid RSA public key');
  const [modulus, exponent] = elementsOf(whole.content);
  checkNumber(modulus, 'modulus');
  if (checkNumber(exponent, 'public exponent').length > 8)
    throw new UnusableRequest('x509: invalid RSA public exponent');
};

function checkNumber(element: Element | undefined, what: string): Buffer {
  const content = contentOf(element, tags.integer);
  const [first = 0, second = 0] = content;
  const isPadded = content.length > 1 && (first === 0 ? second < 128 : first === 255 && second > 127);
  if (content.length === 0 || isPadded) throw new UnusableRequest(`x509: invalid RSA ${what}`);
  if (first > 127 || content.every((byte) => byte === 0))
    throw new UnusableRequest(`x509: RSA ${what} is not a positive number`);
  return content;
}

/** P-224, P-256, P-384, P-521. */
const curves = new Set(['1.3.132.0.33', '1.2.840.10045.3.1.7', '1.3.132.0.34', '1.3.132.0.35']);
const uncompressed = 4;

const checkElliptic: Check = (key, parameters) => {
  if (parameters?.tag !== tags.oid) throw new UnusableRequest('x509: invalid ECDSA parameters');
  if (!curves.has(oidOf(parameters))) throw new UnusableRequest('x509: unsupported elliptic curve');
  if (key[0] !== uncompressed) throw new UnusableRequest('ecdsa: invalid uncompressed public key');
};

const checkEdwards: Check = (key, parameters) => {
  if (parameters !== undefined) throw new UnusableRequest('x509: Ed25519 key encoded with illegal parameters');
  if (key.length !== 32) throw new UnusableRequest('x509: wrong Ed25519 public key size');
};

const checks: ReadonlyMap<string, Check> = new Map([
  ['1.2.840.113549.1.1.1', checkRsa],
  ['1.2.840.10045.2.1', checkElliptic],
  ['1.3.101.112', checkEdwards],
]);
