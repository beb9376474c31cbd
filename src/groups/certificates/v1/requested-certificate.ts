// The certificate that a signing request asks for.

import { type CertificateRequest, parseCertificateRequest } from '../../../codec/pkcs10.ts';
import { UnusableRequest } from '../../../codec/unusable-request.ts';
import type { CertificateSigningRequest } from './certificate-signing-request-type.ts';

type Requested =
  | { readonly problem: string }
  | { readonly problem: undefined; readonly certificate: CertificateRequest };

/** What it asks for, or why that cannot be read. */
export function requestedCertificate({ spec }: Pick<CertificateSigningRequest, 'spec'>): Requested {
  try {
    return { problem: undefined, certificate: parseCertificateRequest(spec?.request ?? '') };
  } catch (error) {
    if (error instanceof UnusableRequest) return { problem: error.message };
    throw error;
  }
}
