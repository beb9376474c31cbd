// Client certificates: their users, and the CAs that sign them. Checked for every request of a connection: a
// certificate may end, and a CA be taken from the file, while the connection stays open.

import { createHash } from 'node:crypto';
import { memoized } from '../base/memoized.ts';
import type { Clock } from '../base/time/clock.ts';
import { type Certificate, readCertificate } from '../codec/certificate.ts';
import type { ClientCertificate } from '../meta/exchange.ts';
import { unauthorized } from '../meta/status.ts';
import { authenticated, type UserInfo } from '../meta/user.ts';
import type { Authenticator } from './authenticator.ts';
import { type Authorities, findPath, isValidAt, type Sent, type Validity } from './certificate-path.ts';

/** Honest clients send fewer; the rest is ignored. */
const maxSentAlong = 32;

/** Holds between the two moments. */
interface Verdict extends Validity {
  readonly isTrusted: boolean;
}

/** The certificate of one connection, with cached verdicts about it. */
class ShownCertificate {
  readonly #sent: Sent | undefined;
  readonly #verdicts = new WeakMap<Authorities, Verdict>();
  #user: UserInfo | undefined;

  constructor({ chain }: ClientCertificate) {
    this.#sent = readSent(chain);
  }

  get commonName(): string {
    return this.#sent?.leaf.subject.commonName ?? '';
  }

  /** When the certificate ends, in milliseconds since the epoch; undefined for one that cannot be read. */
  get notAfter(): number | undefined {
    return this.#sent?.leaf.notAfter;
  }

  isTrustedBy(authorities: Authorities, now: number): boolean {
    let verdict = this.#verdicts.get(authorities);
    if (verdict === undefined || !isValidAt(verdict, now)) {
      verdict = judge(this.#sent, authorities, now);
      this.#verdicts.set(authorities, verdict);
    }
    return verdict.isTrusted;
  }

  user(credentialKey: string): UserInfo | undefined {
    if (this.#sent !== undefined && this.commonName !== '') this.#user ??= userOf(this.#sent.leaf, credentialKey);
    return this.#user;
  }
}

/** The client's own has to be readable; others that are not lead nowhere. */
function readSent([own, ...others]: readonly Uint8Array[]): Sent | undefined {
  const leaf = own === undefined ? undefined : readOrNone(own);
  if (leaf === undefined) return undefined;
  const readable = others.slice(0, maxSentAlong).map(readOrNone);
  return { leaf, others: readable.filter((one) => one !== undefined) };
}

function readOrNone(der: Uint8Array): Certificate | undefined {
  try {
    return readCertificate(Buffer.from(der.buffer, der.byteOffset, der.length));
  } catch {
    return undefined;
  }
}

const always = { notBefore: Number.NEGATIVE_INFINITY, notAfter: Number.POSITIVE_INFINITY };

function judge(sent: Sent | undefined, authorities: Authorities, now: number): Verdict {
  if (sent === undefined) return { isTrusted: false, ...always };
  const path = findPath(sent, authorities, now);
  if (path !== undefined) return { isTrusted: true, ...path };
  return { isTrusted: false, ...untilChange([sent.leaf, ...sent.others, ...authorities.certificates], now) };
}

/** A path that is not there may be there as soon as one of the certificates begins or ends. */
function untilChange(certificates: readonly Certificate[], now: number): Validity {
  const begins = certificates.map(({ notBefore }) => notBefore);
  const ends = certificates.map(({ notAfter }) => notAfter);
  return {
    notBefore: Math.max(...begins.filter((at) => at <= now), ...ends.filter((at) => at < now).map((at) => at + 1)),
    notAfter: Math.min(...begins.filter((at) => at > now).map((at) => at - 1), ...ends.filter((at) => at >= now)),
  };
}

/** The attribute of a subject with the uid of the user. */
const uidAttribute = '1.3.6.1.4.1.57683.2';

function userOf({ subject, raw }: Certificate, credentialKey: string): UserInfo {
  const { commonName: name, organizations: groups } = subject;
  const [uid, ...more] = subject.valuesOf(uidAttribute);
  if (uid === '' || more.length > 0) throw unauthorized();
  const credential = `X509SHA256=${createHash('sha256').update(raw).digest('hex')}`;
  return authenticated({
    name,
    ...(uid === undefined ? {} : { uid }),
    groups,
    extra: { [credentialKey]: [credential] },
  });
}

/** One per connection: verdicts are cached as long as the connection. */
const shownBy = memoized((certificate: ClientCertificate): ShownCertificate => new ShownCertificate(certificate));

/** CAs as they are now. */
export type AuthoritiesNow = () => Authorities;

interface CertificateConfig {
  /** Key under which extra information names the credential. */
  readonly credentialKey: string;
  /** The CAs that sign certificates of users. */
  readonly authorities: AuthoritiesNow;
  readonly clock: Clock;
  /** Called for each certificate with the seconds for which it is still valid. */
  onShown?(secondsLeft: number): void;
}

/** Subject of a verified client certificate: the common name is the user, organizations are groups. */
export function clientCertificate({ credentialKey, authorities, clock, onShown }: CertificateConfig): Authenticator {
  return ({ peer: { certificate } }) => {
    if (certificate === undefined) return undefined;
    const certificateState = shownBy(certificate);
    const now = clock.now();
    if (certificateState.notAfter !== undefined) onShown?.((certificateState.notAfter - now) / 1000);
    return certificateState.isTrustedBy(authorities(), now) ? certificateState.user(credentialKey) : undefined;
  };
}

/** The common name of a certificate that one of the CAs vouches for now; undefined for any other. */
export function trustedName(
  certificate: ClientCertificate | undefined,
  authorities: Authorities,
  now: number,
): string | undefined {
  if (certificate === undefined) return undefined;
  const certificateState = shownBy(certificate);
  return certificateState.isTrustedBy(authorities, now) ? certificateState.commonName : undefined;
}

interface TrustedBundle {
  readonly authorities: AuthoritiesNow;
  /** Common names; none for any. */
  readonly allowedNames?: readonly string[];
}

/**
 * Refuses a client with an untrusted certificate and no other credentials, as kube-apiserver does: each
 * of users and proxies has its CAs, and a certificate that one of them does not trust is an error, and so is the name of
 * no proxy.
 */
export function refuseBadCertificate(bundles: readonly TrustedBundle[], clock: Clock): Authenticator {
  return ({ peer: { certificate } }) => {
    if (certificate === undefined) return undefined;
    const certificateState = shownBy(certificate);
    const now = clock.now();
    const trustsCertificate = ({ authorities, allowedNames = [] }: TrustedBundle) =>
      certificateState.isTrustedBy(authorities(), now) &&
      (allowedNames.length === 0 || allowedNames.includes(certificateState.commonName));
    if (bundles.every(trustsCertificate)) return undefined;
    throw unauthorized();
  };
}
