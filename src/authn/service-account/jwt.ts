// Signed JSON web tokens: just what service account tokens need, on Node's own cryptography.

import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { isJsonObject, type JsonValue } from '../../base/json.ts';

/** A key that signatures are checked with, and the name under which tokens refer to it. */
export interface VerificationKey {
  readonly id: string;
  readonly algorithm: Algorithm;
  readonly publicKey: KeyObject;
}

export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject;
}

export type Algorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

const curves: Readonly<Record<string, Algorithm>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/** Throws for keys of a kind that no token is signed with. */
export function verificationKey(key: KeyObject): VerificationKey {
  const publicKey = key.type === 'public' ? key : createPublicKey(key);
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const id = createHash('sha256').update(der).digest('base64url');
  return { id, algorithm: algorithmOf(publicKey), publicKey };
}

export const signingKey = (privateKey: KeyObject): SigningKey => ({ ...verificationKey(privateKey), privateKey });

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): Algorithm {
  if (asymmetricKeyType === 'rsa') return 'RS256';
  const algorithm = asymmetricKeyType === 'ec' ? curves[asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
  if (algorithm === undefined) throw new Error('only RSA keys and ECDSA keys on P-256, P-384 or P-521 are supported');
  return algorithm;
}

const hashOf = (algorithm: Algorithm) => `sha${algorithm.slice(2)}`;
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

export function signJwt(claims: object, { algorithm, id, privateKey }: SigningKey): string {
  const content = `${encode({ alg: algorithm, kid: id })}.${encode(claims)}`;
  const signature = sign(hashOf(algorithm), Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${content}.${signature.toString('base64url')}`;
}

export interface Jwt {
  readonly header: Readonly<Record<string, JsonValue>>;
  readonly claims: Readonly<Record<string, JsonValue>>;
  /** What is signed, and the signature. */
  readonly content: string;
  readonly signature: Buffer;
}

/** Larger tokens fit into no header. */
const maxLength = 64 * 1024;

/** The parts of a token, believed by nobody yet; undefined for anything that is none. */
export function parseJwt(token: string): Jwt | undefined {
  const [head = '', body = '', signature = '', ...more] = token.length > maxLength ? [] : token.split('.');
  if (signature === '' || more.length > 0) return undefined;
  const [header, claims] = [decode(head), decode(body)];
  if (header === undefined || claims === undefined) return undefined;
  return { header, claims, content: `${head}.${body}`, signature: Buffer.from(signature, 'base64url') };
}

function decode(part: string): Readonly<Record<string, JsonValue>> | undefined {
  try {
    const value = JSON.parse(Buffer.from(part, 'base64url').toString()) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether one of the keys signed the token, with the algorithm of that key and no other. */
export function isSigned({ header, content, signature }: Jwt, keys: readonly VerificationKey[]): boolean {
  const candidates = typeof header['kid'] === 'string' ? keys.filter(({ id }) => id === header['kid']) : keys;
  return (candidates.length === 0 ? keys : candidates).some(({ algorithm, publicKey }) => {
    if (header['alg'] !== algorithm) return false;
    return verify(hashOf(algorithm), Buffer.from(content), { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
  });
}

/** The public half of keys, as others download it. */
export function jsonWebKeys(keys: readonly VerificationKey[]): object {
  return {
    keys: keys.map(({ id, algorithm, publicKey }) => {
      const { kty, ...numbers } = publicKey.export({ format: 'jwk' });
      return { use: 'sig', kty, kid: id, alg: algorithm, ...numbers };
    }),
  };
}
