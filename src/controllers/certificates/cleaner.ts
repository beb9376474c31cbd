// Deletes signing requests that are done with, and those that no user decides (spec: CSR garbage collection); also
// requests of pods for certificates, which are answered within minutes or not at all.

import type { CertificateSigningRequest } from '../../groups/certificates/v1/certificate-signing-request-type.ts';
import { readCertificate } from '../../groups/certificates/v1/signing-request-rules.ts';
import { type Dialect, groupName } from '../../meta/dialect.ts';
import type { ControllerFactory } from '../controller.ts';
import { expiryController } from '../expiry.ts';
import { only } from '../object-feed.ts';

const minute = 60_000;
const hour = 60 * minute;

export const signingRequestCleaner: ControllerFactory = (context) =>
  expiryController(context, {
    queue: 'certificate_cleaner',
    wants: only(groupName(context.dialect, 'certificates'), 'certificatesigningrequests'),
    mayExpire: () => true,
    endOf: (object) => endOfRequest(object as CertificateSigningRequest, context.dialect),
    propagationPolicy: 'Background',
  });

/** In milliseconds since the epoch; undefined for never. */
export function endOfRequest(
  { metadata, status = {} }: CertificateSigningRequest,
  { rules }: Dialect,
): number | undefined {
  const { conditions = [], certificate = '' } = status;
  if (conditions.length === 0) return after(metadata.creationTimestamp, 24);
  const approvedHours = certificate === '' ? rules.unissuedRequestHours : 1;
  const hours = new Map([
    ['Approved', approvedHours],
    ['Denied', 1],
    ['Failed', 1],
  ]);
  const ends = conditions.flatMap(({ type = '', lastUpdateTime }) => {
    const kept = hours.get(type);
    return kept === undefined ? [] : (after(lastUpdateTime, kept) ?? []);
  });
  const isApproved = conditions.some(({ type }) => type === 'Approved');
  const all = [...ends, ...(isApproved ? endOfCertificate(certificate) : [])];
  return all.length === 0 ? undefined : Math.min(...all);
}

function after(time: string | undefined, hours: number): number | undefined {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? undefined : at + hours * hour;
}

/** Of the first certificate; none where it cannot be read. */
function endOfCertificate(encoded: string): readonly number[] {
  const certificate = encoded === '' ? undefined : readCertificate(Buffer.from(encoded, 'base64'));
  return certificate === undefined ? [] : [Date.parse(certificate.validTo)];
}

const podRequestMs = 15 * minute;

export const podCertificateRequestCleaner: ControllerFactory = (context) =>
  expiryController(context, {
    queue: 'podcertificaterequest_cleaner',
    wants: only(groupName(context.dialect, 'certificates'), 'podcertificaterequests'),
    mayExpire: () => true,
    endOf: ({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') + podRequestMs,
    propagationPolicy: 'Background',
  });
