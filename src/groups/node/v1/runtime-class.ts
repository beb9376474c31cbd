// RuntimeClass: names a container runtime setup that pods choose with runtimeClassName.

import { invalidValue } from '../../../meta/field-errors.ts';
import { checkLabelName, checkLabelValue, checkQualifiedName, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, listOf, mapOf, quantity, string, struct } from '../../../schema/types.ts';
import { ageColumn, textColumn, undescribed } from '../../columns.ts';
import { toleration } from '../../core/v1/affinity.ts';
import { labelWarnings } from '../../core/v1/node-label-warnings.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { checked, type Findings, immutable, oneOf } from '../../rules.ts';

const home = 'node/v1';

export const overhead = struct(home, 'Overhead', 'Resources that the runtime itself needs for each pod.', {
  podFixed: field(1, mapOf(quantity), { about: 'Fixed amounts per pod, by resource name, such as memory 120Mi.' }),
});

export const scheduling = struct(home, 'Scheduling', 'Places pods of a runtime class on nodes that support it.', {
  nodeSelector: field(1, mapOf(string), {
    mapType: 'atomic',
    about: "Node labels required, merged with the pod's own; a contradiction rejects the pod.",
  }),
  tolerations: field(2, listOf(toleration), {
    listType: 'atomic',
    about: 'Tolerations added to every pod of this class.',
  }),
});

export const runtimeClassType = struct(
  home,
  'RuntimeClass',
  'Names a container runtime setup that pods choose with runtimeClassName.',
  {
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
  },
);

export type RuntimeClass = ApiObject & Infer<typeof runtimeClassType>;

function validate(object: ApiObject): Findings {
  const { handler = '', overhead: extra, scheduling: places } = object as RuntimeClass;
  return [
    ...checked('handler', handler, checkLabelName),
    ...Object.entries(extra?.podFixed ?? {}).flatMap(([name, amount]) => validateOverhead(name, amount)),
    ...Object.entries(places?.nodeSelector ?? {}).flatMap(([key, value]) => [
      ...checked('scheduling.nodeSelector', key, checkQualifiedName),
      ...checked('scheduling.nodeSelector', value, checkLabelValue),
    ]),
    ...(places?.tolerations ?? []).flatMap(validateToleration),
  ];
}

function validateOverhead(name: string, amount: string): Findings {
  const at = `overhead.podFixed[${name}]`;
  return amount.startsWith('-') ? [invalidValue(at, amount, 'must be greater than or equal to 0')] : [];
}

type Toleration = Infer<typeof toleration>;

function validateToleration(one: Toleration, index: number): Findings {
  const { key = '', operator = 'Equal', value = '', effect = '', tolerationSeconds } = one;
  const at = `scheduling.tolerations[${index}]`;
  return [
    ...(key === '' ? [] : checked(`${at}.key`, key, checkQualifiedName)),
    ...(key === '' && operator !== 'Exists'
      ? [
          invalidValue(
            `${at}.operator`,
            operator,
            'operator must be Exists when `key` is empty, which means "match all values and all keys"',
          ),
        ]
      : []),
    ...(operator === 'Exists' && value !== ''
      ? [invalidValue(`${at}.operator`, one, "value must be empty when `operator` is 'Exists'")]
      : []),
    ...(tolerationSeconds !== undefined && effect !== 'NoExecute'
      ? [invalidValue(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")]
      : []),
    ...oneOf(`${at}.operator`, operator, ['Equal', 'Exists']),
    ...(effect === '' ? [] : oneOf(`${at}.effect`, effect, ['NoSchedule', 'PreferNoSchedule', 'NoExecute'])),
  ];
}

export const runtimeClass: KindDefinition = {
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  namespaced: false,
  verbs: allVerbs,
  type: runtimeClassType,
  checkName: checkSubdomain,
  conditionalUpdateOnly: true,
  columns: [nameColumn, textColumn('Handler', undescribed, (o) => (o as RuntimeClass).handler ?? ''), ageColumn],
  strategy: {
    validate,
    validateUpdate: (next, old) => immutable('handler', next['handler'], old['handler']),
    warnings: (next, _, { dialect }) =>
      labelWarnings((next as RuntimeClass).scheduling?.nodeSelector, dialect, () => 'scheduling.nodeSelector'),
  },
};
