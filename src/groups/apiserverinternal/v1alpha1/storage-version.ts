// StorageVersion: records in which version each API server stores one resource.

import { invalidValue } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkLabelName, checkSubdomain, type NameCheck } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { dateTime, field, type Infer, int64, listOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, firstFew, textColumn } from '../../columns.ts';
import { observationFields } from '../../condition-fields.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { requiredChecked, type ValidationErrors } from '../../rules.ts';
import { statusAlone } from '../../subresources.ts';

const home = 'apiserverinternal/v1alpha1';

const storageVersionSpec = struct(home, 'StorageVersionSpec', 'Empty by design; it has no fields.', {});

const serverStorageVersion = struct(
  home,
  'ServerStorageVersion',
  'Versions that one API server stores, reads and serves for a resource.',
  () => ({
    apiServerID: field(1, string, { required: true, about: 'Identity of the API server that reports this.' }),
    encodingVersion: field(2, string, {
      required: true,
      about: 'Version in which the server writes objects, such as "apps/v1".',
    }),
    decodableVersions: field(3, listOf(string), {
      required: true,
      listType: 'set',
      about: 'Versions that the server can read back from storage.',
    }),
    servedVersions: field(4, listOf(string), {
      listType: 'set',
      about: 'Versions that the server offers to clients; all must be decodable.',
    }),
  }),
);

const storageVersionCondition = struct(
  home,
  'StorageVersionCondition',
  "One named observation about a resource's storage versions.",
  () => ({
    ...observationFields('Kind of observation, unique within the storage version.', {
      type: 'StorageVersionConditionType',
      status: 'ConditionStatus',
    }),
    observedGeneration: field(3, int64, { about: 'The metadata.generation that this observation was made for.' }),
    lastTransitionTime: field(4, dateTime, {
      always: true,
      about: 'When status last changed from one value to another.',
    }),
    reason: field(5, string, {
      always: true,
      required: true,
      about: 'Short CamelCase word telling why status last changed.',
    }),
    message: field(6, string, { required: true, about: 'Readable details about the last change.' }),
  }),
);

const storageVersionStatus = struct(
  home,
  'StorageVersionStatus',
  'What the API servers reported for a resource.',
  () => ({
    storageVersions: field(1, listOf(serverStorageVersion), {
      listType: 'map',
      mapKeys: ['apiServerID'],
      about: 'One entry for each API server.',
    }),
    commonEncodingVersion: field(2, string, {
      pointer: true,
      about: 'Version that all servers write in; unset while they differ.',
    }),
    conditions: field(3, listOf(storageVersionCondition), {
      listType: 'map',
      mapKeys: ['type'],
      about: 'Current observations, such as AllEncodingVersionsEqual, at most one per type.',
    }),
  }),
);

const storageVersionType = struct(
  home,
  'StorageVersion',
  'Records in which version each API server stores one resource.',
  () => ({
    metadata: field(1, objectMeta, { always: true, required: true, about: 'Standard object metadata.' }),
    spec: field(2, storageVersionSpec, { always: true, about: 'Has no fields; everything is in status.' }),
    status: field(3, storageVersionStatus, { always: true, about: 'What the API servers reported for the resource.' }),
  }),
);

type StorageVersion = ApiObject & Infer<typeof storageVersionType>;

const statusOf = (object: StorageVersion) => object.status ?? {};

/** What a server writes, it must be able to read; what it serves, too. */
function validateStatus(next: StorageVersion): ValidationErrors {
  return findEach(statusOf(next).storageVersions ?? [], (one, index) => {
    const at = `status.storageVersions[${index}]`;
    const { encodingVersion = '', decodableVersions = [], servedVersions = [] } = one;
    const decodable = new Set(decodableVersions);
    const missing = servedVersions.filter((version) => !decodable.has(version));
    return [
      ...requiredChecked(`${at}.apiServerID`, one.apiServerID, checkSubdomain),
      ...(decodableVersions.includes(encodingVersion)
        ? []
        : [
            invalidValue(
              `${at}.decodableVersions`,
              decodableVersions,
              `decodableVersions must include encodingVersion ${encodingVersion}`,
            ),
          ]),
      ...missing.map((version) =>
        invalidValue(
          `${at}.servedVersions`,
          servedVersions,
          `individual served version : ${version} must be included in decodableVersions : [${decodableVersions.join(' ')}]`,
        ),
      ),
    ];
  });
}

/** `group.resource`: the last part is the resource. */
const checkStorageVersionName: NameCheck = (name) => {
  const dot = name.lastIndexOf('.');
  if (dot < 0) return ['name must be in the form of <group>.<resource>'];
  return [
    ...checkSubdomain(name.slice(0, dot)).map((e) => `the group segment ${e}`),
    ...checkLabelName(name.slice(dot + 1)).map((e) => `the resource segment ${e}`),
  ];
};

export const storageVersion = defineKind(storageVersionType, {
  kind: 'StorageVersion',
  plural: 'storageversions',
  namespaced: false,
  verbs: allVerbs,
  checkName: checkStorageVersionName,
  quirks: { conditionalUpdateOnly: true },
  columns: [
    nameColumn,
    textColumn(
      'CommonEncodingVersion',
      'Version that all servers write.',
      (o) => statusOf(o).commonEncodingVersion ?? '<unset>',
    ),
    textColumn('StorageVersions', 'Version that each server writes.', (o) =>
      firstFew((statusOf(o).storageVersions ?? []).map((one) => `${one.apiServerID}=${one.encodingVersion}`)),
    ),
    ageColumn,
  ],
  subresources: [{ ...statusAlone, validateUpdate: validateStatus }],
});
