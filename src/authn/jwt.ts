// Signed JSON web tokens, of this server and of others, on Node's own cryptography.

import { isUtf8 } from 'node:buffer';
import { constants, createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../base/json/json.ts';
import { parseJsonText } from '../base/json/json-scan.ts';

/** Signatures with a public key: tokens with shared secrets and unsigned tokens are refused. */
export const signatureAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
] as const;
export type Algorithm = (typeof signatureAlgorithms)[number];

/** A key that signatures are checked with, and the name under which tokens refer to it. */
export interface VerificationKey {
  /** Empty where the key has no name. */
  readonly id: string;
  /** What the key may have signed with, the first being the usual. */
  readonly algorithms: readonly Algorithm[];
  readonly publicKey: KeyObject;
}

export interface SigningKey extends VerificationKey {
  readonly algorithm: Algorithm;
  readonly privateKey: KeyObject;
}

const rsa = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const;
const curves: Readonly<Record<string, Algorithm>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/** A key of this server's own tokens. Throws for keys of a kind that no token is signed with. */
export function verificationKey(key: KeyObject): VerificationKey {
  const publicKey = key.type === 'public' ? key : createPublicKey(key);
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const id = createHash('sha256').update(der).digest('base64url');
  return { id, algorithms: [usualAlgorithm(publicKey)], publicKey };
}

export function signingKey(privateKey: KeyObject): SigningKey {
  const key = verificationKey(privateKey);
  return { ...key, algorithm: usualAlgorithm(key.publicKey), privateKey };
}

/** What a key can sign with; empty for keys of another kind. */
export function algorithmsOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): readonly Algorithm[] {
  if (asymmetricKeyType === 'rsa') return rsa;
  const algorithm = asymmetricKeyType === 'ec' ? curves[asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
  return algorithm === undefined ? [] : [algorithm];
}

function usualAlgorithm(key: KeyObject): Algorithm {
  const [algorithm] = algorithmsOf(key);
  if (algorithm === undefined) throw new Error('only RSA keys and ECDSA keys on P-256, P-384 or P-521 are supported');
  return algorithm;
}

const hashOf = (algorithm: Algorithm) => `sha${algorithm.slice(2)}`;
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** How Node has to use a key for an algorithm. */
function usage(algorithm: Algorithm, key: KeyObject) {
  if (algorithm.startsWith('ES')) return { key, dsaEncoding: 'ieee-p1363' } as const;
  if (algorithm.startsWith('RS')) return { key, padding: constants.RSA_PKCS1_PADDING };
  return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
}

export function signJwt(claims: object, { algorithm, id, privateKey }: SigningKey): string {
  const content = `${encode({ alg: algorithm, kid: id })}.${encode(claims)}`;
  const signature = sign(hashOf(algorithm), Buffer.from(content), usage(algorithm, privateKey));
  return `${content}.${signature.toString('base64url')}`;
}

export type Claims = Readonly<JsonObject>;

export interface Jwt {
  readonly header: Readonly<JsonObject>;
  readonly claims: Claims;
  /** The signed part, and the signature. */
  readonly content: string;
  readonly signature: Buffer;
}

/** Larger tokens fit into no header. */
const maxLength = 64 * 1024;

/** Only letters of the encoding: a token has one spelling. */
const compact = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/** The parts of a token, before its signature is checked; undefined for other text. */
export function parseJwt(token: string): Jwt | undefined {
  const [, head, body, signature] = token.length > maxLength ? [] : (compact.exec(token) ?? []);
  if (head === undefined || body === undefined || signature === undefined) return undefined;
  const [header, claims, signed] = [decode(head), decode(body), fromBase64Url(signature)];
  if (header === undefined || claims === undefined || signed === undefined) return undefined;
  return { header, claims, content: `${head}.${body}`, signature: signed };
}

/** Undefined unless the text is the one spelling of its bytes: no padding, no other letters, no bits left over. */
export function fromBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

function decode(part: string): JsonObject | undefined {
  const bytes = fromBase64Url(part);
  if (bytes === undefined || !isUtf8(bytes)) return undefined;
  try {
    const value = parseJsonText(bytes.toString());
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether one of the keys signed the token, with an algorithm of that key and no other. */
export function isSigned({ header, content, signature }: Jwt, keys: readonly VerificationKey[]): boolean {
  const { alg, kid, crit } = header;
  // what the signer calls critical has to be understood, and nothing beyond the plain form is
  if (crit !== undefined) return false;
  const named = typeof kid === 'string' ? keys.filter(({ id }) => id === kid) : keys;
  return (named.length === 0 ? keys : named).some(({ algorithms, publicKey }) => {
    const algorithm = algorithms.find((one) => one === alg);
    if (algorithm === undefined) return false;
    return verify(hashOf(algorithm), Buffer.from(content), usage(algorithm, publicKey), signature);
  });
}

/** The public half of keys, as others download it. */
export function jsonWebKeys(keys: readonly VerificationKey[]): object {
  return {
    keys: keys.map(({ id, algorithms: [alg], publicKey }) => {
      const { kty, ...numbers } = publicKey.export({ format: 'jwk' });
      return { use: 'sig', kty, kid: id, alg, ...numbers };
    }),
  };
}
