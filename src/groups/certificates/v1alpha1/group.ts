// The certificates group, v1alpha1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { clusterTrustBundle } from '../v1beta1/cluster-trust-bundle.ts';

const home = 'certificates/v1alpha1';

export const certificatesV1alpha1: GroupVersionSpec = {
  group: 'certificates',
  version: 'v1alpha1',
  priority: { group: 17300, version: 1 },
  offByDefault: true,
  kinds: [sameShape(clusterTrustBundle, home, { since: 34, removed: 37 })],
};
