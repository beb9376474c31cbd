// What a signing request asks for, for plugins that look into it.

import { type CertificateRequest, parseCertificateRequest } from '../../codec/pkcs10.ts';
import { UnusableRequest } from '../../codec/unusable-request.ts';
import type { CertificateSigningRequest } from '../../groups/certificates/v1/certificate-signing-request-type.ts';
import { type AdmissionRequest, refusal } from '../plugin.ts';

/** Refuses a request that cannot be read; `failure` says that in the plugin's words. */
export function askedCertificate(request: AdmissionRequest, failure: string): CertificateRequest {
  const { spec } = request.object as CertificateSigningRequest;
  try {
    return parseCertificateRequest(spec?.request ?? '');
  } catch (error) {
    if (error instanceof UnusableRequest) throw refusal(request, `${failure}: ${error.message}`);
    throw error;
  }
}
