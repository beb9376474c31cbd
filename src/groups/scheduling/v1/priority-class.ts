// PriorityClass: gives a name to a pod priority number.

import { forbiddenField } from '../../../meta/field-errors.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { bool, field, type Infer, int32, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, column, numberColumn, textColumn } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { immutable, requiredOneOf, type ValidationErrors } from '../../rules.ts';

const home = 'scheduling/v1';

const priorityClassType = struct(home, 'PriorityClass', 'Gives a name to a pod priority number.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  value: field(2, int32, {
    always: true,
    about: 'The priority; higher is more important. Own classes may use at most 1000000000. Immutable.',
  }),
  globalDefault: field(3, bool, {
    about: 'When true, pods that name no class get this one; only one class should set it.',
  }),
  description: field(4, string, { about: 'Free text telling when to use this class.' }),
  preemptionPolicy: field(5, string, {
    goType: 'v1.PreemptionPolicy',
    pointer: true,
    enum: ['PreemptLowerPriority', 'Never'],
    about: 'PreemptLowerPriority (default) may evict less important pods; Never only waits for room.',
  }),
}));

export type PriorityClass = ApiObject & Infer<typeof priorityClassType>;

/** Above it are the classes of the system. */
const highestValue = 1_000_000_000;

interface SystemPriorityClass {
  readonly name: string;
  readonly value: number;
  readonly description: string;
}

/** Classes that every cluster has, and the only ones with names like theirs. */
export const systemPriorityClasses: readonly SystemPriorityClass[] = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'For pods that their node cannot do without, and that cannot run on another one.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description: 'For pods that the cluster cannot do without; they may move to another node.',
  },
];

function validateCreate(object: PriorityClass): ValidationErrors {
  const { metadata, value = 0, preemptionPolicy: policy } = object;
  const policies = ['PreemptLowerPriority', 'Never'];
  return [
    ...(metadata.name?.startsWith('system-') ? validateSystemClass(object) : validateValue(value)),
    ...(policy === undefined ? [] : requiredOneOf('preemptionPolicy', policy, policies)),
  ];
}

function validateValue(value: number): ValidationErrors {
  if (value <= highestValue) return [];
  return [forbiddenField('value', `maximum allowed value of a user defined priority is ${highestValue}`)];
}

function validateSystemClass({ metadata: { name = '' }, value, globalDefault }: PriorityClass): ValidationErrors {
  const known = systemPriorityClasses.find((one) => one.name === name);
  const refuse = (why: string) => [
    forbiddenField(
      'metadata.name',
      `priority class names with 'system-' prefix are reserved for system use only. error: ${why}`,
    ),
  ];
  if (known === undefined) return refuse(`${name} is not a known system priority class`);
  if (value !== known.value) return refuse(`value of ${name} PriorityClass must be ${known.value}`);
  return globalDefault ? refuse(`globalDefault of ${name} PriorityClass must be false`) : [];
}

export const priorityClass = defineKind(priorityClassType, {
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  namespaced: false,
  shortNames: ['pc'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  deletion: {
    refusal: (name) =>
      systemPriorityClasses.some((one) => one.name === name)
        ? { at: 'request', because: 'this is a system priority class and cannot be deleted' }
        : undefined,
  },
  // fixed when it is created: what may change of a class does not count
  generationIgnores: ['value', 'globalDefault', 'description', 'preemptionPolicy'],
  columns: [
    nameColumn,
    numberColumn('Value', 'The priority.', (o) => o.value ?? 0),
    column('boolean', 'Global-Default', 'Whether pods without a class get it.', (o) => o['globalDefault'] === true),
    ageColumn,
    textColumn('PreemptionPolicy', 'Whether it makes room for itself.', (o) => o.preemptionPolicy ?? ''),
  ],
  strategy: {
    defaults: (object) => ({ preemptionPolicy: 'PreemptLowerPriority', ...object }),
    updateChecks: { meta: 0 },
    validateCreate,
    validateUpdate: (next, old) => [
      ...(next['value'] === old['value'] ? [] : [forbiddenField('value', 'may not be changed in an update.')]),
      ...immutable('preemptionPolicy', next['preemptionPolicy'], old['preemptionPolicy']),
    ],
  },
});
