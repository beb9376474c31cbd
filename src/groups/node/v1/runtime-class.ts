// RuntimeClass: names a container runtime setup that pods choose with runtimeClassName.

import { duplicate } from '../../../meta/field-errors.ts';
import { findEach, findEachEntry } from '../../../meta/find-each.ts';
import { checkLabelName, checkLabelValue, checkQualifiedName, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import type { StrategyContext } from '../../../schema/strategy.ts';
import { field, type Infer, listOf, mapOf, quantity, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { inReferenceForm } from '../../../wording/types/reference-form.ts';
import { ageColumn, textColumn, undescribed } from '../../columns.ts';
import { toleration } from '../../core/v1/pod/affinity.ts';
import { labelWarnings } from '../../core/v1/pod/node-label-warnings.ts';
import { validateTolerations } from '../../core/v1/pod/placement-rules.ts';
import { validateResources } from '../../core/v1/pod/resource-rules.ts';
import { mostAmounts } from '../../core/v1/pod/rounded-amounts.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { checked, immutable, requiredChecked, type ValidationErrors } from '../../rules.ts';

const home = 'node/v1';

const overhead = struct(home, 'Overhead', 'Resources that the runtime itself needs for each pod.', () => ({
  podFixed: field(1, mapOf(quantity, mostAmounts), {
    goType: 'v1.ResourceList',
    about: 'Fixed amounts per pod, by resource name, such as memory 120Mi.',
  }),
}));

const scheduling = struct(home, 'Scheduling', 'Places pods of a runtime class on nodes that support it.', () => ({
  nodeSelector: field(1, mapOf(string), {
    mapType: 'atomic',
    about: "Node labels required, merged with the pod's own; a contradiction rejects the pod.",
  }),
  tolerations: field(2, listOf(toleration), {
    listType: 'atomic',
    about: 'Tolerations added to every pod of this class.',
  }),
}));

const runtimeClassType = struct(
  home,
  'RuntimeClass',
  'Names a container runtime setup that pods choose with runtimeClassName.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    handler: field(2, string, {
      always: true,
      required: true,
      about: 'Runtime configuration on the node to use, as a lowercase DNS label; immutable.',
    }),
    overhead: field(3, overhead, { pointer: true, about: 'Extra resources counted for every pod of this class.' }),
    scheduling: field(4, scheduling, {
      pointer: true,
      about: 'Which nodes support this class; unset means all of them.',
    }),
  }),
);

export type RuntimeClass = ApiObject & Infer<typeof runtimeClassType>;

const noClaims: ReadonlySet<string> = new Set();

function validate(object: RuntimeClass, { dialect }: StrategyContext): ValidationErrors {
  const { handler = '', overhead: extra, scheduling: places } = object;
  return [
    ...requiredChecked('handler', handler, checkLabelName),
    // compat: what is wrong with overhead.podFixed is reported as if the amounts were limits of a container
    ...(extra ? validateResources({ limits: extra.podFixed ?? {} }, 'overhead', noClaims, dialect) : []),
    ...findEachEntry(places?.nodeSelector ?? {}, (key, value) => [
      ...checked('scheduling.nodeSelector', key, checkQualifiedName),
      ...checked('scheduling.nodeSelector', value, checkLabelValue),
    ]),
    ...validateTolerations(places?.tolerations ?? [], 'scheduling.tolerations'),
    ...repeatedTolerations(places?.tolerations ?? []),
  ];
}

type Toleration = Infer<typeof toleration>;

/** Those that are the same but for how long something is tolerated. */
function repeatedTolerations(tolerations: readonly Toleration[]): ValidationErrors {
  const seen = new Set<string>();
  return findEach(tolerations, (one, index) => {
    const key = JSON.stringify([one.key ?? '', one.operator ?? '', one.value ?? '', one.effect ?? '']);
    const isRepeated = seen.has(key);
    seen.add(key);
    const shown = inReferenceForm('Toleration', one);
    return isRepeated ? [duplicate(`scheduling.tolerations[${index}]`, shown)] : [];
  });
}

export const runtimeClass = defineKind(runtimeClassType, {
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  namespaced: false,
  verbs: allVerbs,
  checkName: checkSubdomain,
  quirks: { conditionalUpdateOnly: true, createOnUpdate: true, plainFinalizers: true },
  columns: [nameColumn, textColumn('Handler', undescribed, (o) => o.handler ?? ''), ageColumn],
  strategy: {
    validate,
    validateUpdate: (next, old) => immutable('handler', next['handler'], old['handler']),
    warnings: (next, _, { dialect }) =>
      labelWarnings(next.scheduling?.nodeSelector, dialect, () => 'scheduling.nodeSelector'),
  },
});
