// ResourceClaimTemplate: a pattern from which a separate claim is made for each pod.

import type { ApiObject } from '../../../meta/object.ts';
import type { KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, struct } from '../../../schema/types.ts';
import { convertedKind } from '../../converted-kind.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { resourceClaimTemplate as stored } from '../v1/resource-claim-template.ts';
import { defaultRequests, templateConversion } from './conversion.ts';
import { resourceClaimSpec } from './device-claim.ts';

const home = 'resource/v1beta1';

export const resourceClaimTemplateSpec = struct(
  home,
  'ResourceClaimTemplateSpec',
  'Content of the claims made from a template.',
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, resourceClaimSpec, { always: true, required: true, about: 'Copied unchanged into each claim.' }),
  },
);

export const resourceClaimTemplateType = struct(
  home,
  'ResourceClaimTemplate',
  'A pattern from which a separate claim is made for each pod.',
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, resourceClaimTemplateSpec, {
      always: true,
      required: true,
      about: 'Metadata and content of the claims; immutable.',
    }),
  },
);

export type ResourceClaimTemplate = ApiObject & Infer<typeof resourceClaimTemplateType>;

export const resourceClaimTemplate: KindDefinition = convertedKind(stored, {
  type: resourceClaimTemplateType,
  conversion: templateConversion,
  defaults(object) {
    const { spec = {} } = object as ResourceClaimTemplate;
    return { ...object, spec: { ...spec, spec: defaultRequests(spec.spec) } };
  },
});
