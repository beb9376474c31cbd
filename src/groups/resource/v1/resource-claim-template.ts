// ResourceClaimTemplate: a pattern from which a separate claim is made for each pod.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { resourceClaimSpec } from './device-claim.ts';

const home = 'resource/v1';

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

export const resourceClaimTemplate: KindDefinition = {
  kind: 'ResourceClaimTemplate',
  plural: 'resourceclaimtemplates',
  namespaced: true,
  verbs: allVerbs,
  type: resourceClaimTemplateType,
  checkName: checkSubdomain,
};
