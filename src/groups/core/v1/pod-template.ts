// PodTemplate: a stored template for creating pods.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { podTemplateSpec } from './pod-spec.ts';

const home = 'core/v1';

export const podTemplateType = struct(home, 'PodTemplate', 'A stored template for creating pods.', {
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  template: field(2, podTemplateSpec, { always: true, about: 'The pods made from this template.' }),
});

export type PodTemplate = ApiObject & Infer<typeof podTemplateType>;

export const podTemplate: KindDefinition = {
  kind: 'PodTemplate',
  plural: 'podtemplates',
  namespaced: true,
  verbs: allVerbs,
  type: podTemplateType,
  checkName: checkSubdomain,
  returnsDeleted: true,
};
