// ServiceCIDR: a range of IP addresses from which Services get their cluster IPs.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, listOf, string, struct } from '../../../schema/types.ts';
import { condition, objectMeta } from '../../meta/v1/types.ts';
import { statusOnly } from '../../subresources.ts';

const home = 'networking/v1';

export const serviceCIDRSpec = struct(home, 'ServiceCIDRSpec', 'Desired configuration of a ServiceCIDR.', {
  cidrs: field(1, listOf(string), {
    listType: 'atomic',
    about: 'One range in CIDR form, or two of different IP families; cannot be changed once set.',
  }),
});

export const serviceCIDRStatus = struct(home, 'ServiceCIDRStatus', 'Observed state of a ServiceCIDR.', {
  conditions: field(1, listOf(condition), {
    listType: 'map',
    mapKeys: ['type'],
    patchStrategy: 'merge',
    patchMergeKey: 'type',
    about: 'Current observations, such as Ready, at most one per type.',
  }),
});

export const serviceCIDRType = struct(
  home,
  'ServiceCIDR',
  'A range of IP addresses from which Services get their cluster IPs.',
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, serviceCIDRSpec, { always: true, about: 'The address ranges to hand out.' }),
    status: field(3, serviceCIDRStatus, {
      always: true,
      about: 'Whether the range is usable, as reported by the controller.',
    }),
  },
);

export type ServiceCIDR = ApiObject & Infer<typeof serviceCIDRType>;

export const serviceCIDR: KindDefinition = {
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  namespaced: false,
  verbs: allVerbs,
  type: serviceCIDRType,
  checkName: checkSubdomain,
  subresources: [statusOnly],
};
