// PodCertificateRequest: what must hold of a new one, and the key that it is about.

import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type CertificateRequest, parseRequestBytes } from '../../../codec/pkcs10.ts';
import { UnusableRequest } from '../../../codec/unusable-request.ts';
import { invalidAt, invalidValue, required, tooLong } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { maxAnnotationBytes } from '../../../meta/metadata-rules.ts';
import { checkQualifiedName, checkSubdomain } from '../../../meta/names.ts';
import type { StrategyContext } from '../../../schema/strategy.ts';
import { checked, type ValidationErrors } from '../../rules.ts';
import { validateSignerName } from '../v1/signer-name.ts';
import type { PodCertificateRequest } from './pod-certificate-request-type.ts';

export type Spec = NonNullable<PodCertificateRequest['spec']>;

export const specOf = (object: PodCertificateRequest): Spec => object.spec ?? {};

const shortestSeconds = 3600;
const longestSeconds = 91 * 24 * 3600;
const longestSystemSeconds = 24 * 3600;
const maxUidLength = 128;
const maxKeyBytes = 10 * 1024;
const uidFields = ['podUID', 'serviceAccountUID', 'nodeUID'] as const;
const nameFields = ['podName', 'serviceAccountName', 'nodeName'] as const;

export function validateNew(object: PodCertificateRequest, { dialect }: StrategyContext): ValidationErrors {
  const spec = specOf(object);
  const { signerName = '', maxExpirationSeconds: seconds } = spec;
  const longest = signerName.startsWith(`${dialect.labelDomain}/`) ? longestSystemSeconds : longestSeconds;
  const found = [
    ...validateSignerName(signerName, 'spec.signerName'),
    ...validateUserAnnotations(spec.unverifiedUserAnnotations ?? {}, 'spec.unverifiedUserAnnotations'),
    ...nameFields.flatMap((name) => checked(`spec.${name}`, spec[name] ?? '', checkSubdomain)),
    ...uidFields.flatMap((name) => validateUid(spec[name] ?? '', `spec.${name}`)),
  ];
  if (seconds === undefined) return [...found, required('spec.maxExpirationSeconds', 'must be set')];
  const isOdd = seconds < shortestSeconds || seconds > longest;
  const range = `must be in the range [${shortestSeconds}, ${longest}]`;
  return [
    ...found,
    ...(isOdd ? [invalidValue('spec.maxExpirationSeconds', seconds, range)] : []),
    ...validateKeys(spec),
  ];
}

/** Each has its own key in the domain of who reads it. compat: keys of user annotations are shown in small letters */
function validateUserAnnotations(annotations: Readonly<Record<string, string>>, at: string): ValidationErrors {
  const size = Object.entries(annotations)
    .flat()
    .reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
  return [
    ...findEach(Object.keys(annotations), (given) => validateUserKey(given.toLowerCase(), at)),
    ...(size > maxAnnotationBytes ? [tooLong(at, maxAnnotationBytes)] : []),
  ];
}

function validateUserKey(key: string, at: string): ValidationErrors {
  if (key === '') return [required(at)];
  const wrong = checkQualifiedName(key);
  if (wrong.length > 0) return wrong.map((why) => invalidValue(at, key, why));
  return key.includes('/') ? [] : [invalidValue(at, key, 'must be a domain-prefixed key (such as "acme.io/foo")')];
}

function validateUid(uid: string, at: string): ValidationErrors {
  if (uid === '') return [invalidValue(at, uid, 'must not be empty')];
  return uid.length > maxUidLength ? [tooLong(at, maxUidLength)] : [];
}

const bytesOf = (text: string | null | undefined) => Buffer.from(text ?? '', 'base64');
const oneWay = 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set';

/** The key comes in a request that it signed, or next to what it signed. */
function validateKeys({
  stubPKCS10Request: stub,
  pkixPublicKey: key,
  proofOfPossession: proof,
  podUID,
}: Spec): ValidationErrors {
  if (stub && !key && !proof) return validateStub(bytesOf(stub));
  if (!stub && key && proof) return validateKey(bytesOf(key), bytesOf(proof), podUID ?? '');
  return [invalidAt('spec', oneWay)];
}

function validateStub(der: Buffer): ValidationErrors {
  const at = 'spec.stubPKCS10Request';
  if (der.length > maxKeyBytes) return [tooLong(at, maxKeyBytes)];
  const request = readStub(der);
  if (request === undefined) return [invalidAt(at, 'must be a valid PKCS#10 CSR')];
  const found = validateStrength(request.publicKey, at);
  const isSigned = found.length === 0 && request.signatureProblem() === undefined;
  return found.length > 0 || isSigned ? found : [invalidAt(at, 'invalid signature')];
}

/** Undefined when the bytes are no request. */
function readStub(der: Buffer): CertificateRequest | undefined {
  try {
    return parseRequestBytes(der);
  } catch (error) {
    if (error instanceof UnusableRequest) return undefined;
    throw error;
  }
}

function validateKey(der: Buffer, proof: Buffer, signed: string): ValidationErrors {
  const [at, proofAt] = ['spec.pkixPublicKey', 'spec.proofOfPossession'];
  if (der.length > maxKeyBytes) return [tooLong(at, maxKeyBytes)];
  if (proof.length > maxKeyBytes) return [tooLong(proofAt, maxKeyBytes)];
  const key = readKey(der);
  if (key === undefined)
    return [invalidValue(at, der.toString('base64'), 'must be a valid PKIX-serialized public key')];
  const found = validateStrength(key, at);
  if (found.length > 0 || proves(key, proof, signed)) return found;
  return [invalidAt(proofAt, 'could not verify proof-of-possession signature')];
}

/** Undefined when the bytes are no key. */
function readKey(der: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

const curves = ['prime256v1', 'secp384r1', 'secp521r1'];
const moduli = [3072, 4096];

function validateStrength(key: KeyObject | undefined, at: string): ValidationErrors {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = key ?? {};
  const { namedCurve = '', modulusLength = 0 } = details;
  if (type === 'ed25519') return [];
  if (type === 'ec') {
    const detail = 'elliptic public keys must use curve P256, P384, or P521';
    return curves.includes(namedCurve) ? [] : [invalidValue(at, `curve ${namedCurve}`, detail)];
  }
  if (type === 'rsa') {
    const detail = 'RSA keys must have modulus size 3072 or 4096';
    return moduli.includes(modulusLength) ? [] : [invalidValue(at, `${modulusLength}-bit modulus`, detail)];
  }
  return [invalidAt(at, 'unknown public key type; supported types are Ed25519, ECDSA, and RSA')];
}

function proves(key: KeyObject, proof: Buffer, signed: string): boolean {
  const data = Buffer.from(signed);
  if (key.asymmetricKeyType === 'ed25519') return verify(null, data, key, proof);
  if (key.asymmetricKeyType === 'ec') return verify('sha256', data, key, proof);
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  return verify('sha256', data, { key, padding, saltLength: constants.RSA_PSS_SALTLEN_AUTO }, proof);
}

/** The key of a request that was accepted. */
export function requestedKey({ stubPKCS10Request: stub, pkixPublicKey: key }: Spec): KeyObject | undefined {
  return stub ? readStub(bytesOf(stub))?.publicKey : readKey(bytesOf(key));
}
