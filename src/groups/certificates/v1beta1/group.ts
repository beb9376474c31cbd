// The certificates group, v1beta1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { certificateSigningRequestV1beta1 } from './certificate-signing-request.ts';
import { clusterTrustBundle } from './cluster-trust-bundle.ts';
import { podCertificateRequest } from './pod-certificate-request.ts';

export const certificatesV1beta1: GroupVersionSpec = {
  group: 'certificates',
  version: 'v1beta1',
  priority: { group: 17300, version: 9 },
  offByDefault: true,
  kinds: [certificateSigningRequestV1beta1, clusterTrustBundle, podCertificateRequest],
};
