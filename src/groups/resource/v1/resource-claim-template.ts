// ResourceClaimTemplate: a pattern from which a separate claim is made for each pod.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ObjectMeta } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn } from '../../columns.ts';
import { validateTemplateMeta } from '../../core/v1/volume/claim-template-rules.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { immutableByMeaning } from '../../rules.ts';
import { resourceClaimSpec } from './device-claim.ts';
import { defaultClaimSpec, validateClaimSpec } from './device-claim-rules.ts';

const home = 'resource/v1';

const resourceClaimTemplateSpec = struct(
  home,
  'ResourceClaimTemplateSpec',
  'Content of the claims made from a template.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, resourceClaimSpec, { always: true, required: true, about: 'Copied unchanged into each claim.' }),
  }),
);

const resourceClaimTemplateType = struct(
  home,
  'ResourceClaimTemplate',
  'A pattern from which a separate claim is made for each pod.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, resourceClaimTemplateSpec, {
      always: true,
      required: true,
      about: 'Metadata and content of the claims; immutable.',
    }),
  }),
);

export const resourceClaimTemplate = defineKind(resourceClaimTemplateType, {
  kind: 'ResourceClaimTemplate',
  plural: 'resourceclaimtemplates',
  namespaced: true,
  verbs: allVerbs,
  checkName: checkSubdomain,
  quirks: { returnsDeleted: true },
  columns: [nameColumn, ageColumn],
  strategy: {
    updateChecks: { newFirst: true },
    defaults(object) {
      const { spec = {} } = object;
      return { ...object, spec: { ...spec, spec: defaultClaimSpec(spec.spec ?? {}) } };
    },
    validate(object) {
      const { metadata = {}, spec = {} } = object.spec ?? {};
      return [
        ...validateTemplateMeta(metadata as ObjectMeta, 'spec.metadata'),
        ...validateClaimSpec(spec, 'spec.spec'),
      ];
    },
    validateUpdate: (next, old) => immutableByMeaning('spec', resourceClaimTemplateSpec, next['spec'], old['spec']),
    validateExpressions: async (next, _, { versions }, run) =>
      (await import('./selector-rules.ts')).validateClaimSelectors(next.spec?.spec ?? {}, 'spec.spec', versions, run),
  },
});
