// StorageVersionMigration: rewrites all stored objects of a resource in its current storage version.

import { invalidValue, required } from '../../../meta/field-errors.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { plainNameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { allVerbs } from '../../../schema/resource.ts';
import { field, type Infer, listOf, string, struct } from '../../../schema/types.ts';
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

type StorageVersionMigration = ApiObject & Infer<typeof storageVersionMigrationType>;

const statusOf = (object: StorageVersionMigration) => object.status ?? {};

/** A migration ends once, one way or the other, and starts from one version. */
function validateStatus(next: StorageVersionMigration, old: StorageVersionMigration): ValidationErrors {
  const at = 'status.conditions';
  const holds = (object: StorageVersionMigration, type: string) =>
    (statusOf(object).conditions ?? []).some((one) => one.type === type && one.status === 'True');
  const [status, was] = [statusOf(next), statusOf(old)];
  const both = 'Both success and failed conditions cannot be true at the same time';
  const ended = (['Succeeded', 'Failed'] as const).filter((type) => holds(old, type) && !holds(next, type));
  return [
    ...validateConditionList(status.conditions, at),
    ...(was.resourceVersion ? immutable('status.resourceVersion', status.resourceVersion, was.resourceVersion) : []),
    ...(holds(next, 'Succeeded') && holds(next, 'Failed') ? [invalidValue(at, status.conditions, both)] : []),
    ...ended.map((type) => invalidValue(at, status.conditions, `${type} condition cannot be changed`)),
  ];
}

export const storageVersionMigration = defineKind(storageVersionMigrationType, {
  kind: 'StorageVersionMigration',
  plural: 'storageversionmigrations',
  namespaced: false,
  verbs: allVerbs,
  deprecated: { since: 38, removed: 41 },
  checkName: checkSubdomain,
  quirks: { conditionalUpdateOnly: true },
  columns: [
    plainNameColumn,
    textColumn<StorageVersionMigration>('Resource', 'What is stored anew.', ({ spec }) => {
      const { group = '', resource = '' } = spec?.resource ?? {};
      return group === '' ? resource : `${resource}.${group}`;
    }),
  ],
  subresources: [{ ...statusAlone, validateUpdate: validateStatus }],
  strategy: {
    validate(object) {
      const { resource } = object.spec?.resource ?? {};
      return resource ? [] : [required('spec.resource.resource', 'resource is required')];
    },
    validateUpdate: (next, old) => immutable('spec', next['spec'], old['spec']),
  },
});
