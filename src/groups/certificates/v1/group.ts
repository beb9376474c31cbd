// The certificates group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { certificateSigningRequest } from './certificate-signing-request.ts';

export const certificatesV1: GroupVersionSpec = {
  group: 'certificates',
  version: 'v1',
  priority: { group: 17300, version: 15 },
  kinds: [certificateSigningRequest],
};
