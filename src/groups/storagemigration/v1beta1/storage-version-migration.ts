// StorageVersionMigration: rewrites all stored objects of a resource in its current storage version.

import { invalidValue, required } from '../../../meta/field-errors.ts';
import { checkLetterFirstLabel, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { plainNameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, type Infer, listOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { textColumn } from '../../columns.ts';
import { validateConditionList } from '../../meta/v1/condition-rules.ts';
import { condition, groupResource, objectMeta } from '../../meta/v1/types.ts';
import { immutable, type ValidationErrors } from '../../rules.ts';
import { statusAlone } from '../../subresources.ts';

const home = 'storagemigration/v1beta1';

const storageVersionMigrationSpec = struct(home, 'StorageVersionMigrationSpec', 'What is to be migrated.', () => ({
  resource: field(1, groupResource, {
    always: true,
    required: true,
    about: 'API group and plural name of the resource whose objects are rewritten.',
  }),
}));

const storageVersionMigrationStatus = struct(
  home,
  'StorageVersionMigrationStatus',
  'Observed progress of a migration.',
  () => ({
    conditions: field(1, listOf(condition), {
      listType: 'map',
      mapKeys: ['type'],
      patchStrategy: 'merge',
      patchMergeKey: 'type',
      about: 'Current observations: Running, Succeeded or Failed.',
    }),
    resourceVersion: field(2, string, {
      about: 'Objects stored at or before this resource version have to be rewritten.',
    }),
  }),
);

const storageVersionMigrationType = struct(
  home,
  'StorageVersionMigration',
  'Rewrites all stored objects of a resource in its current storage version.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, storageVersionMigrationSpec, { always: true, about: 'The resource to rewrite; immutable.' }),
    status: field(3, storageVersionMigrationStatus, {
      always: true,
      about: 'Progress of the migration; set by the controller.',
    }),
  }),
);

export type StorageVersionMigration = ApiObject & Infer<typeof storageVersionMigrationType>;

const statusOf = (object: StorageVersionMigration) => object.status ?? {};

const holds = (object: StorageVersionMigration, type: string) =>
  (statusOf(object).conditions ?? []).some((one) => one.type === type && one.status === 'True');

/** A migration ends once, one way or the other, and starts from one version. */
function validateStatus(next: StorageVersionMigration, old: StorageVersionMigration): ValidationErrors {
  const at = 'status.conditions';
  const { conditions, resourceVersion = '' } = statusOf(next);
  const both = 'Both success and failed conditions cannot be true at the same time';
  const ended = endings.filter(({ type }) => holds(old, type) && !holds(next, type));
  return [
    ...validateVersion(resourceVersion),
    ...validateConditionList(conditions, at),
    ...(statusOf(old).resourceVersion
      ? immutable('status.resourceVersion', resourceVersion, statusOf(old).resourceVersion)
      : []),
    ...(holds(next, 'Succeeded') && holds(next, 'Failed') ? [invalidValue(at, conditions, both)] : []),
    ...ended.map(({ told }) =>
      invalidValue(at, conditions, `${told} condition cannot be set to false once it is true`),
    ),
  ];
}

const endings = [
  { type: 'Succeeded', told: 'Success' },
  { type: 'Failed', told: 'Failed' },
] as const;

function validateVersion(version: string): ValidationErrors {
  if (version === '' || /^[1-9][0-9]*$/.test(version)) return [];
  return [invalidValue('status.resourceVersion', version, `resource version is not well formed: ${version}`)];
}

function validate({ spec }: StorageVersionMigration): ValidationErrors {
  const { resource = '', group = '' } = spec?.resource ?? {};
  return [
    ...(resource === ''
      ? [required('spec.resource.resource', 'resource is required to be set')]
      : checked('spec.resource.resource', resource, checkLetterFirstLabel(resource))),
    ...(group === '' ? [] : checked('spec.resource.group', group, checkSubdomain(group))),
  ];
}

const checked = (at: string, value: string, problems: readonly string[]): ValidationErrors =>
  problems.length === 0 ? [] : [invalidValue(at, value, problems.join(','))];

/** The last condition that holds. */
function phaseOf(object: StorageVersionMigration): string {
  return ['Running', 'Failed', 'Succeeded'].filter((type) => holds(object, type)).at(-1) ?? 'Unknown';
}

export const storageVersionMigration = defineKind(storageVersionMigrationType, {
  kind: 'StorageVersionMigration',
  plural: 'storageversionmigrations',
  featureGate: 'StorageVersionMigrator',
  namespaced: false,
  verbs: allVerbs,
  deprecated: { since: 38, removed: 41 },
  checkName: checkSubdomain,
  quirks: { conditionalUpdateOnly: true },
  columns: [
    plainNameColumn,
    textColumn<StorageVersionMigration>('Resource', 'What is stored again.', ({ spec }) => {
      const { group = '', resource = '' } = spec?.resource ?? {};
      return group === '' ? resource : `${resource}.${group}`;
    }),
    textColumn<StorageVersionMigration>('Status', 'How far the migration is.', phaseOf),
  ],
  subresources: [{ ...statusAlone, validateUpdate: validateStatus }],
  strategy: {
    updateChecks: { newFirst: true },
    validate,
    validateUpdate: (next, old) => immutable('spec', next['spec'], old['spec']),
  },
});
