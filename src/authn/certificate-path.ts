// From a client's certificate to a trusted CA: each step is a verified signature by a certificate that may
// sign. Other certificates that a client sends do not matter. The rules are those of Go's verifier, which kube-apiserver uses.

import type { Certificate } from '../codec/certificate.ts';
import { isSignedWith, isUsableKey } from '../codec/signatures.ts';

/** CAs that are trusted for one purpose. A changed set is a new object: verdicts are cached per object. */
export class Authorities {
  readonly certificates: readonly Certificate[];
  readonly #byName = new Map<string, Certificate[]>();

  constructor(certificates: readonly Certificate[]) {
    this.certificates = certificates;
    for (const one of certificates) {
      const name = keyOf(one.subjectBytes);
      this.#byName.set(name, [...(this.#byName.get(name) ?? []), one]);
    }
  }

  issuersOf({ issuerBytes }: Certificate): readonly Certificate[] {
    return this.#byName.get(keyOf(issuerBytes)) ?? [];
  }

  has({ raw }: Certificate): boolean {
    return this.certificates.some((one) => one.raw.equals(raw));
  }
}

const keyOf = (name: Buffer) => name.toString('latin1');

/** First and last moment, in milliseconds since the epoch. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface Sent {
  readonly leaf: Certificate;
  /** Other certificates of the client, in any order. */
  readonly others: readonly Certificate[];
}

/** The client chooses the certificates to try: honest clients need two or three checks. */
const maxSignatureChecks = 32;
const maxPathLength = 8;
const clientPurpose = '1.3.6.1.5.5.7.3.2';
const anyPurpose = '2.5.29.37.0';

/** When the path that was found is valid; undefined where none is at this moment. */
export function findPath({ leaf, others }: Sent, authorities: Authorities, now: number): Validity | undefined {
  if (!isAcceptable(leaf, now)) return undefined;
  // as in Go: a certificate that is in the bundle itself is trusted
  if (authorities.has(leaf)) return { notBefore: leaf.notBefore, notAfter: leaf.notAfter };
  return new PathSearch(others, authorities, now).extend([leaf]);
}

export function isValidAt({ notBefore, notAfter }: Validity, now: number): boolean {
  return now >= notBefore && now <= notAfter;
}

/** What every certificate of a path has to be. */
function isAcceptable(certificate: Certificate, now: number): boolean {
  const { demandsUnknown, purposes } = certificate;
  if (demandsUnknown || !isValidAt(certificate, now)) return false;
  return purposes === undefined || purposes.includes(clientPurpose) || purposes.includes(anyPurpose);
}

type Path = readonly [Certificate, ...Certificate[]];

class PathSearch {
  readonly #others: readonly Certificate[];
  readonly #authorities: Authorities;
  readonly #now: number;
  #checks = 0;

  constructor(others: readonly Certificate[], authorities: Authorities, now: number) {
    this.#others = others;
    this.#authorities = authorities;
    this.#now = now;
  }

  /** Extends the path to a trusted CA, directly or through another certificate of the client. */
  extend(path: Path): Validity | undefined {
    const last = path.at(-1) as Certificate;
    for (const authority of this.#authorities.issuersOf(last))
      if (isAuthority(authority, true) && this.#mayFollow(authority, path)) return sharedValidity([...path, authority]);
    if (path.length >= maxPathLength) return undefined;
    for (const other of this.#others) {
      if (!other.subjectBytes.equals(last.issuerBytes) || !isAuthority(other, false)) continue;
      const extended = this.#mayFollow(other, path) ? this.extend([...path, other]) : undefined;
      if (extended !== undefined) return extended;
    }
    return undefined;
  }

  #mayFollow(issuer: Certificate, path: Path): boolean {
    return (
      isAcceptable(issuer, this.#now) &&
      !path.some((one) => isSameHolder(one, issuer)) &&
      path.length - 1 <= (issuer.basicConstraints?.pathLength ?? Number.POSITIVE_INFINITY) &&
      allowsNames(issuer, path) &&
      this.#hasSigned(issuer, path.at(-1) as Certificate)
    );
  }

  #hasSigned(issuer: Certificate, { signed }: Certificate): boolean {
    if (++this.#checks > maxSignatureChecks) return false;
    try {
      const key = issuer.publicKey();
      return isUsableKey(key) && isSignedWith(key, signed);
    } catch {
      // a key that cannot be read has signed nothing
      return false;
    }
  }
}

/** In Go, a trusted CA may have no extensions; other CAs need the basic constraint. */
function isAuthority({ version, basicConstraints, maySignCertificates }: Certificate, isTrusted: boolean): boolean {
  if (maySignCertificates === false) return false;
  return basicConstraints?.isAuthority ?? (isTrusted && version < 3);
}

/** A path that meets the same name and key again leads nowhere. */
function isSameHolder(one: Certificate, other: Certificate): boolean {
  return one.subjectBytes.equals(other.subjectBytes) && one.keyBytes.equals(other.keyBytes);
}

/** Name constraints pass for certificates without alternative names; other constraints always fail. */
function allowsNames({ nameConstraints }: Certificate, path: Path): boolean {
  if (nameConstraints === undefined) return true;
  return nameConstraints === 'names' && !path.some(({ hasAlternativeNames }) => hasAlternativeNames);
}

function sharedValidity(path: Path): Validity {
  return {
    notBefore: Math.max(...path.map(({ notBefore }) => notBefore)),
    notAfter: Math.min(...path.map(({ notAfter }) => notAfter)),
  };
}
