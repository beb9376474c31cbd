// Outdated parts of another server's certificate: names in the wrong place, signatures by SHA-1.

import type { TLSSocket } from 'node:tls';
import { readCertificate } from '../codec/certificate.ts';

export type CertificateFlaw = 'missingSan' | 'insecureSha1';

/** Called once for each request or failed connection with a flaw. */
export type FlawObserver = (flaw: CertificateFlaw) => void;

const sha1Signatures = new Set(['1.2.840.113549.1.1.5', '1.2.840.10045.4.1']);
/** Why OpenSSL refuses a signature of that kind. */
const sha1Refused = 'CA_MD_TOO_WEAK';

export const legacyName = 'certificate relies on legacy Common Name field, use SANs instead';

/** The flaws of a trusted certificate. */
export function flawsOf(socket: TLSSocket): readonly CertificateFlaw[] {
  const raw = socket.getPeerX509Certificate()?.raw;
  if (raw === undefined) return [];
  try {
    const { hasAlternativeNames, signed, subjectBytes, issuerBytes } = readCertificate(raw);
    const isWeak = sha1Signatures.has(signed.algorithm) && !subjectBytes.equals(issuerBytes);
    return [...(hasAlternativeNames ? [] : ['missingSan' as const]), ...(isWeak ? ['insecureSha1' as const] : [])];
  } catch {
    return [];
  }
}

/** Why a connection was not made, where that is such a flaw. */
export function flawBehind(error: unknown): CertificateFlaw | undefined {
  const { message = '', code } = error as { readonly message?: string; readonly code?: string };
  if (message.includes(legacyName)) return 'missingSan';
  return code === sha1Refused ? 'insecureSha1' : undefined;
}
