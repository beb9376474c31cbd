// PodTemplate: a stored template for creating pods.

import { checkSubdomain } from '../../../../meta/names.ts';
import type { ApiObject } from '../../../../meta/object.ts';
import type { Column } from '../../../../schema/column.ts';
import { nameColumn } from '../../../../schema/columns.ts';
import { defineKind } from '../../../../schema/define-kind.ts';
import type { Strategy } from '../../../../schema/strategy.ts';
import { field, type Infer, struct } from '../../../../schema/types.ts';
import { allVerbs } from '../../../../schema/verbs.ts';
import { formatLabels } from '../../../columns.ts';
import { objectMeta } from '../../../meta/v1/types.ts';
import { isNewOrChanged } from '../owner-warnings.ts';
import { defaultPodTemplate } from './pod-defaults.ts';
import { validatePodTemplate } from './pod-rules.ts';
import { type PodTemplateSpec, podTemplateSpec } from './pod-spec.ts';
import { templateWarnings } from './pod-warnings.ts';
import { containerColumns } from './template-columns.ts';

const home = 'core/v1';

const podTemplateType = struct(home, 'PodTemplate', 'A stored template for creating pods.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  template: field(2, podTemplateSpec, { always: true, about: 'The pods made from this template.' }),
}));

type PodTemplate = ApiObject & Infer<typeof podTemplateType>;

const podLabelsColumn: Column<PodTemplate> = {
  name: 'Pod Labels',
  type: 'string',
  about: 'Labels that pods made from the template get.',
  priority: 0,
  cell: (object) => formatLabels(templateOf(object).metadata?.labels),
};

const templateOf = (object: PodTemplate): PodTemplateSpec => object.template ?? {};

const strategy: Strategy<PodTemplate> = {
  defaults: (object) => ({ ...object, template: defaultPodTemplate(templateOf(object)) }),
  updateChecks: { meta: 0 },
  validate: (object, context) => validatePodTemplate(templateOf(object), 'template', context),
  warnings: (next, old, { dialect }) =>
    isNewOrChanged(next, old) ? templateWarnings(templateOf(next), dialect, 'template') : [],
};

export const podTemplate = defineKind(podTemplateType, {
  kind: 'PodTemplate',
  plural: 'podtemplates',
  namespaced: true,
  verbs: allVerbs,
  checkName: checkSubdomain,
  quirks: { returnsDeleted: true },
  generationIgnores: [],
  columns: [
    nameColumn,
    ...containerColumns((object: PodTemplate) => templateOf(object).spec ?? {}, 0),
    podLabelsColumn,
  ],
  strategy,
});
