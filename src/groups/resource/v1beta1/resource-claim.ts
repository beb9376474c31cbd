// ResourceClaim and ResourceClaimTemplate as v1beta1 had them.

import type { ApiObject } from '../../../meta/object.ts';
import type { KindDefinition } from '../../../schema/resource.ts';
import { convertedKind } from '../../converted-kind.ts';
import { rehome } from '../../same-shape.ts';
import { resourceClaim as stored } from '../v1/resource-claim.ts';
import { resourceClaimTemplate as storedTemplate } from '../v1/resource-claim-template.ts';
import { claimConversion, defaultRequests, templateConversion } from './conversion.ts';
import { deprecated, deviceRequest, home } from './device-types.ts';

type Fields = Readonly<Record<string, unknown>>;
type Specified = ApiObject & { readonly spec?: Fields & { readonly spec?: Fields } };

export const resourceClaim: KindDefinition = convertedKind(stored, {
  type: rehome(stored.type, home, [deviceRequest]),
  conversion: claimConversion,
  deprecated,
  defaults: (object: Specified) => ({ ...object, spec: defaultRequests(object.spec) }),
});

export const resourceClaimTemplate: KindDefinition = convertedKind(storedTemplate, {
  type: rehome(storedTemplate.type, home, [deviceRequest]),
  conversion: templateConversion,
  deprecated,
  defaults(object: Specified) {
    const { spec = {} } = object;
    return { ...object, spec: { ...spec, spec: defaultRequests(spec.spec) } };
  },
});
