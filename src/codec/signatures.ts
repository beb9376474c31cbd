// Signatures of certificates and certificate requests: which algorithms and keys are believed.

import { type AsymmetricKeyDetails, constants, type KeyObject, verify } from 'node:crypto';

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

/** A client proves with its own key that it has it: SHA-1 will do for that, as it does in Go. */
const requestAlgorithms: typeof algorithms = new Map([
  ...algorithms,
  ['1.2.840.113549.1.1.5', [{ key: 'rsa', hash: 'sha1' }]],
  ['1.3.14.3.2.29', [{ key: 'rsa', hash: 'sha1' }]],
  ['1.2.840.10045.4.1', [{ key: 'ec', hash: 'sha1' }]],
]);

const md5WithRsa = '1.2.840.113549.1.1.4';

export interface Signed {
  readonly algorithm: string;
  readonly data: Buffer;
  readonly signature: Buffer;
}

/** Whether the key made the signature; false for an algorithm that is not trusted or belongs to another kind of key. */
export function isSignedWith(key: KeyObject, signed: Signed): boolean {
  return isMadeBy(key, signed, algorithms.get(signed.algorithm) ?? []);
}

function isMadeBy(key: KeyObject, { data, signature }: Signed, forms: readonly SignatureForm[]): boolean {
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
  return type === 'rsa' && rsaProblem(details) === undefined;
}

const names = {
  rsa: { algorithm: 'RSA', type: '*rsa.PublicKey', failure: 'crypto/rsa: verification error' },
  ec: { algorithm: 'ECDSA', type: '*ecdsa.PublicKey', failure: 'x509: ECDSA verification failure' },
  ed25519: { algorithm: 'Ed25519', type: 'ed25519.PublicKey', failure: 'x509: Ed25519 verification failure' },
} as const;

/** Why a certificate request is not signed with the key it is about, in the words of Go; undefined when it is. */
export function signatureProblem(key: KeyObject | undefined, signed: Signed): string | undefined {
  const cannot = 'x509: cannot verify signature';
  if (signed.algorithm === md5WithRsa) return `${cannot}: insecure algorithm MD5-RSA`;
  const forms = requestAlgorithms.get(signed.algorithm);
  const own = names[key?.asymmetricKeyType as keyof typeof names];
  if (key === undefined || own === undefined || forms?.[0] === undefined) return `${cannot}: algorithm unimplemented`;
  const wanted = forms[0].key;
  if (wanted !== key.asymmetricKeyType)
    return `x509: signature algorithm specifies an ${names[wanted].algorithm} public key, but have public key of type ${own.type}`;
  const problem = wanted === 'rsa' ? rsaProblem(key.asymmetricKeyDetails) : undefined;
  return problem ?? (isMadeBy(key, signed, forms) ? undefined : own.failure);
}

/** In the words of Go. A large exponent makes each signature as slow to check as to make. */
function rsaProblem(details: AsymmetricKeyDetails | undefined): string | undefined {
  const { modulusLength = 0, publicExponent = 0n } = details ?? {};
  if (modulusLength < rsaBits.least)
    return `crypto/rsa: ${modulusLength}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`;
  if (modulusLength > rsaBits.most) return `crypto/rsa: ${modulusLength}-bit keys are too large, use ${rsaBits.most}`;
  if (publicExponent < 2n) return 'crypto/rsa: public exponent too small or negative';
  if (publicExponent % 2n === 0n) return 'crypto/rsa: public exponent is even';
  return publicExponent > 2n ** 31n - 1n ? 'crypto/rsa: public exponent too large' : undefined;
}
