// Whether a signer kept to the time that a client asked for, as metrics count it.

import { X509Certificate } from 'node:crypto';
import { labelKey } from '../../../meta/dialect.ts';
import type { WriteCount } from '../../../schema/part-subresource.ts';
import type { StrategyContext } from '../../../schema/strategy.ts';
import type { CertificateSigningRequest } from './certificate-signing-request-type.ts';

/** Clocks may differ by so much, and short certificates begin as much earlier. */
const slackSeconds = 5 * 60;

/** Counts once, with the write that brings the certificate. */
export function issuedDuration(
  next: CertificateSigningRequest,
  old: CertificateSigningRequest,
  { dialect }: Pick<StrategyContext, 'dialect'>,
): readonly WriteCount[] {
  const { expirationSeconds: wanted, signerName = '' } = old.spec ?? {};
  const issued = next.status?.certificate;
  if (wanted === undefined || !issued || old.status?.certificate) return [];
  const labels = { signerName: signerName.startsWith(labelKey(dialect, '')) ? signerName : 'other' };
  const requested: WriteCount = { metric: 'csr_requested_duration', labels };
  const seconds = lifetimeOf(Buffer.from(issued, 'base64'));
  const isHonored = Math.abs(wanted - seconds) < slackSeconds + wanted / 20;
  return isHonored ? [requested, { metric: 'csr_honored_duration', labels }] : [requested];
}

function lifetimeOf(pem: Buffer): number {
  const { validFrom, validTo } = new X509Certificate(pem);
  return (Date.parse(validTo) - Date.parse(validFrom)) / 1000;
}
