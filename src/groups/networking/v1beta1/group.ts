// The networking group, v1beta1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { ingressClass } from '../v1/ingress-class.ts';
import { ipAddress } from '../v1/ip-address.ts';
import { serviceCIDR } from '../v1/service-cidr.ts';
import { ingressV1beta1 } from './ingress.ts';

const home = 'networking/v1beta1';

export const networkingV1beta1: GroupVersionSpec = {
  group: 'networking',
  version: 'v1beta1',
  priority: { group: 17200, version: 9 },
  offByDefault: true,
  kinds: [
    ingressV1beta1({ since: 19, removed: 22, replacement: { group: 'networking', version: 'v1', kind: 'Ingress' } }),
    sameShape(ingressClass, home, {
      since: 19,
      removed: 22,
      replacement: { group: 'networking', version: 'v1', kind: 'IngressClass' },
    }),
    sameShape(ipAddress, home, { since: 34, removed: 37 }),
    sameShape(serviceCIDR, home, { since: 34, removed: 37 }),
  ],
};
