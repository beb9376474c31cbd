// Types of certificates/v1, made from the data of its kinds by built-in-kinds.test.ts.

import type { ObjectMeta } from './meta-v1.ts';

export interface CertificateSigningRequest {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: CertificateSigningRequestSpec;
  readonly status?: CertificateSigningRequestStatus;
}

interface CertificateSigningRequestCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

interface CertificateSigningRequestSpec {
  readonly request?: string;
  readonly signerName?: string;
  readonly expirationSeconds?: number;
  readonly usages?: readonly string[];
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

interface CertificateSigningRequestStatus {
  readonly conditions?: readonly CertificateSigningRequestCondition[];
  readonly certificate?: string;
}
