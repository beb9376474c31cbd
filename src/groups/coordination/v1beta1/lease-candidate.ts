// LeaseCandidate: announces a process that would like to become holder of a lease.

import { invalidValue, required } from '../../../meta/field-errors.ts';
import { checkConfigKey, checkQualifiedName } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, type Infer, microTime, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn, undescribed } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { checked, immutable, oneOf, type ValidationErrors } from '../../rules.ts';

const home = 'coordination/v1beta1';

const leaseCandidateSpec = struct(home, 'LeaseCandidateSpec', 'Lease and versions of a candidate.', () => ({
  leaseName: field(1, string, {
    always: true,
    required: true,
    about: 'Name of the lease in the same namespace that the candidate runs for; immutable.',
  }),
  pingTime: field(2, microTime, {
    pointer: true,
    about: 'When the candidate was last asked to renew; it answers by updating renewTime.',
  }),
  renewTime: field(3, microTime, { pointer: true, about: 'When the candidate last showed that it is alive.' }),
  binaryVersion: field(4, string, {
    always: true,
    required: true,
    about: 'Version of the candidate\'s program, in semantic form without a leading "v".',
  }),
  emulationVersion: field(5, string, {
    about: 'Version whose behavior the candidate imitates; needed for OldestEmulationVersion, not above binaryVersion.',
  }),
  strategy: field(6, string, {
    goType: 'v1.CoordinatedLeaseStrategy',
    required: true,
    about: 'How the leader is picked, such as OldestEmulationVersion; all candidates should agree.',
  }),
}));

const leaseCandidateType = struct(
  home,
  'LeaseCandidate',
  'Announces a process that would like to become holder of a lease.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, leaseCandidateSpec, {
      always: true,
      required: true,
      about: 'Which lease it runs for and which versions it has.',
    }),
  }),
);

type LeaseCandidate = ApiObject & Infer<typeof leaseCandidateType>;

const specOf = (object: LeaseCandidate) => object.spec ?? {};
const oldestFirst = 'OldestEmulationVersion';
const versionForm = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})([-+][0-9A-Za-z.+-]{1,64})?$/;

function validate(object: LeaseCandidate): ValidationErrors {
  const { leaseName = '', binaryVersion = '', emulationVersion = '', strategy = '' } = specOf(object);
  const needed = strategy === oldestFirst && emulationVersion === '';
  return [
    ...(leaseName === '' ? [required('spec.leaseName')] : []),
    ...(binaryVersion === '' ? [required('spec.binaryVersion')] : validateVersion('spec.binaryVersion', binaryVersion)),
    ...(emulationVersion === '' ? [] : validateVersion('spec.emulationVersion', emulationVersion)),
    ...(needed ? [required('spec.emulationVersion', `must be specified when \`strategy\` is '${oldestFirst}'`)] : []),
    ...(isOlder(binaryVersion, emulationVersion)
      ? [invalidValue('spec.binaryVersion', binaryVersion, 'must be greater than or equal to `emulationVersion`')]
      : []),
    ...validateStrategy(strategy),
  ];
}

function validateVersion(at: string, version: string): ValidationErrors {
  return versionForm.test(version) ? [] : [invalidValue(at, version, 'must be a valid semantic version')];
}

/** Versions that cannot be read are complained about elsewhere. */
function isOlder(version: string, than: string): boolean {
  const numbers = (text: string) => versionForm.exec(text)?.slice(1, 4).map(Number);
  const [a, b] = [numbers(version), numbers(than)];
  const at = a?.findIndex((number, index) => number !== b?.[index]) ?? -1;
  return a !== undefined && b !== undefined && at >= 0 && (a[at] as number) < (b[at] as number);
}

/** compat: an odd strategy of a LeaseCandidate is reported one step too deep */
function validateStrategy(strategy: string): ValidationErrors {
  const at = 'spec.strategy.strategy';
  if (strategy === '') return [required('spec.strategy')];
  return strategy.includes('/') ? checked(at, strategy, checkQualifiedName) : oneOf(at, strategy, [oldestFirst]);
}

export const leaseCandidate = defineKind(leaseCandidateType, {
  kind: 'LeaseCandidate',
  plural: 'leasecandidates',
  namespaced: true,
  verbs: allVerbs,
  deprecated: { since: 36, removed: 39 },
  checkName: (name) => checkConfigKey(name),
  quirks: { createOnUpdate: true, conditionalUpdateOnly: true },
  columns: [
    nameColumn,
    textColumn('LeaseName', 'Lease it wants.', (o) => specOf(o).leaseName ?? ''),
    textColumn('BinaryVersion', undescribed, (o) => specOf(o).binaryVersion ?? ''),
    textColumn('EmulationVersion', undescribed, (o) => specOf(o).emulationVersion ?? ''),
    ageColumn,
  ],
  strategy: {
    updateChecks: { meta: 0 },
    validate,
    validateUpdate: (next, old) => immutable('spec.leaseName', specOf(next).leaseName, specOf(old).leaseName),
  },
});
