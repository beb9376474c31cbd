// The networking group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { ingress } from './ingress.ts';
import { ingressClass } from './ingress-class.ts';
import { ipAddress } from './ip-address.ts';
import { networkPolicy } from './network-policy.ts';
import { serviceCIDR } from './service-cidr.ts';

export const networkingV1: GroupVersionSpec = {
  group: 'networking',
  version: 'v1',
  priority: { group: 17200, version: 15 },
  kinds: [ingressClass, ingress, ipAddress, networkPolicy, serviceCIDR],
};
