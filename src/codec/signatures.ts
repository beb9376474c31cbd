// Signatures of certificates and certificate requests: which algorithms and keys are believed.

import { constants, type KeyObject, verify } from 'node:crypto';

interface SignatureForm {
  readonly key: 'rsa' | 'ec' | 'ed25519';
  readonly hash: string | null;
  readonly pss?: true;
}

/** Algorithms that are still trusted, by their identifiers. */
const algorithms: ReadonlyMap<string, readonly SignatureForm[]> = new Map<string, readonly SignatureForm[]>([
  ['1.2.840.113549.1.1.11', [{ key: 'rsa', hash: 'sha256' }]],
  ['1.2.840.113549.1.1.12', [{ key: 'rsa', hash: 'sha384' }]],
  ['1.2.840.113549.1.1.13', [{ key: 'rsa', hash: 'sha512' }]],
  ['1.2.840.113549.1.1.10', ['sha256', 'sha384', 'sha512'].map((hash) => ({ key: 'rsa', hash, pss: true }))],
  ['1.2.840.10045.4.3.2', [{ key: 'ec', hash: 'sha256' }]],
  ['1.2.840.10045.4.3.3', [{ key: 'ec', hash: 'sha384' }]],
  ['1.2.840.10045.4.3.4', [{ key: 'ec', hash: 'sha512' }]],
  ['1.3.101.112', [{ key: 'ed25519', hash: null }]],
]);

export interface Signed {
  readonly algorithm: string;
  readonly data: Buffer;
  readonly signature: Buffer;
}

/** Whether the key made the signature; false for an algorithm that is not trusted or belongs to another kind of key. */
export function isSignedWith(key: KeyObject, { algorithm, data, signature }: Signed): boolean {
  const forms = algorithms.get(algorithm) ?? [];
  return forms.some(({ key: type, hash, pss }) => {
    if (key.asymmetricKeyType !== type) return false;
    const padding = pss ? { padding: constants.RSA_PKCS1_PSS_PADDING } : {};
    return verify(hash, data, { key, ...padding }, signature);
  });
}

/** Sizes that are neither too weak nor, chosen by a client, too slow. */
const rsaBits = { least: 1024, most: 8192 };
/** A curve that a key brings along itself has no name. */
const curves = new Set(['prime256v1', 'secp224r1', 'secp384r1', 'secp521r1']);

/** Whether signatures of a key may be looked at, also where a client made the key. */
export function isUsableKey({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  if (type === 'ed25519') return true;
  if (type === 'ec') return curves.has(details?.namedCurve ?? '');
  const bits = details?.modulusLength ?? 0;
  return type === 'rsa' && bits >= rsaBits.least && bits <= rsaBits.most;
}
