// The networking group, v1beta1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { ipAddress } from '../v1/ip-address.ts';
import { serviceCIDR } from '../v1/service-cidr.ts';

const home = 'networking/v1beta1';

export const networkingV1beta1: GroupVersionSpec = {
  group: 'networking',
  version: 'v1beta1',
  priority: { group: 17200, version: 9 },
  offByDefault: true,
  kinds: [sameShape(ipAddress, home), sameShape(serviceCIDR, home)],
};
