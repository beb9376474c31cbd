// StorageClass: a named way to create volumes on demand.

import type { Dialect } from '../../../meta/dialect.ts';
import { duplicate, invalidValue, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkQualifiedName, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import { type Warnings, warnEach } from '../../../meta/warn-each.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { bool, field, type Infer, listOf, mapOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { deprecatedNodeLabel } from '../../core/v1/pod/node-label-warnings.ts';
import { topologySelectorTerm } from '../../core/v1/selectors.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { checked, immutableField, oneOf, repeatsIn } from '../../rules.ts';
import { markedNameColumn } from './default-class.ts';
import { validateParameters } from './parameters.ts';

const home = 'storage/v1';

const storageClassType = struct(home, 'StorageClass', 'A named way to create volumes on demand.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  provisioner: field(2, string, {
    always: true,
    required: true,
    about: 'Name of the driver that creates the volumes; immutable.',
  }),
  parameters: field(3, mapOf(string), { about: 'Driver-specific settings for new volumes; immutable.' }),
  reclaimPolicy: field(4, string, {
    goType: 'v1.PersistentVolumeReclaimPolicy',
    pointer: true,
    enum: ['Delete', 'Recycle', 'Retain'],
    about: 'What happens to a created volume after its claim is gone: Delete (default) or Retain.',
  }),
  mountOptions: field(5, listOf(string), {
    listType: 'atomic',
    about: 'Mount flags put on created volumes, such as "ro"; not checked beforehand.',
  }),
  allowVolumeExpansion: field(6, bool, { pointer: true, about: 'Whether claims of this class may be enlarged later.' }),
  volumeBindingMode: field(7, string, {
    goType: 'VolumeBindingMode',
    pointer: true,
    enum: ['Immediate', 'WaitForFirstConsumer'],
    about: 'Immediate (default) binds at once; WaitForFirstConsumer waits until a pod uses the claim.',
  }),
  allowedTopologies: field(8, listOf(topologySelectorTerm), {
    listType: 'atomic',
    about: 'Restricts where volumes may be created, by node label terms; empty means anywhere.',
  }),
}));

export type StorageClass = ApiObject & Infer<typeof storageClassType>;

const policies = ['Delete', 'Retain'];
const bindingModes = ['Immediate', 'WaitForFirstConsumer'];

function defaults(object: StorageClass): ApiObject {
  const { reclaimPolicy = 'Delete', volumeBindingMode = 'Immediate' } = object;
  return { ...object, reclaimPolicy, volumeBindingMode };
}

function validate(object: StorageClass): readonly FieldError[] {
  const { provisioner = '', parameters = {}, reclaimPolicy = '', volumeBindingMode = '' } = object;
  return [
    ...(provisioner === ''
      ? [required('provisioner')]
      : checked('provisioner', provisioner.toLowerCase(), checkQualifiedName)),
    ...validateParameters(parameters, { needed: false }),
    ...(reclaimPolicy === '' ? [] : oneOf('reclaimPolicy', reclaimPolicy, policies)),
    ...oneOf('volumeBindingMode', volumeBindingMode, bindingModes),
    ...validateTopologies(object),
  ];
}

function validateTopologies({ allowedTopologies: terms = [] }: StorageClass): readonly FieldError[] {
  const seen = new Map<string, number>();
  let left = mostRepeatsTold;
  return findEach(terms, (term, index) => {
    const at = `allowedTopologies[${index}].matchLabelExpressions`;
    const keys = new Set<string>();
    const found = findEach(term.matchLabelExpressions ?? [], ({ key = '', ...rest }, i) => {
      // written as null where nothing was given
      const values = rest.values ?? [];
      const isValueRepeated = repeatsIn(values);
      const twice = keys.has(key) ? [duplicate(`${at}[${i}].key`, key)] : [];
      keys.add(key);
      return [
        ...(values.length === 0 ? [required(`${at}[${i}].values`)] : []),
        ...findEach(values, (value, v) => (isValueRepeated(v) ? [duplicate(`${at}[${i}].values[${v}]`, value)] : [])),
        ...checkQualifiedName(key).map((e) => invalidValue(`${at}[${i}].key`, key, e)),
        ...twice,
      ];
    });
    const text = meaningOf(term);
    const before = seen.get(text) ?? 0;
    seen.set(text, before + 1);
    // compat: a term that says nothing repeats as many as there are, and each that said nothing before
    const repeats = Math.min(left, before + ((term.matchLabelExpressions ?? []).length === 0 ? terms.length : 0));
    left -= repeats;
    return [...found, ...Array.from({ length: repeats }, () => duplicate(at, ''))];
  });
}

/** No more of the same is told, however often terms repeat each other. */
const mostRepeatsTold = 10_000;

type Term = NonNullable<StorageClass['allowedTopologies']>[number];

/** Terms mean the same in whatever order they list keys and values; of a key that is repeated the last counts. */
function meaningOf({ matchLabelExpressions: list = [] }: Term): string {
  const values = new Map(list.map(({ key = '', ...rest }) => [key, [...new Set(rest.values ?? [])].sort()]));
  return JSON.stringify([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Volumes were made by what the class says: it stays. */
const fixed = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'];
const validateUpdate = (next: ApiObject, old: ApiObject): readonly FieldError[] =>
  fixed.flatMap((field) => immutableField(field, next, old));

function topologyWarnings(object: StorageClass, dialect: Dialect): Warnings {
  return warnEach(object.allowedTopologies ?? [], ({ matchLabelExpressions = [] }, index) =>
    warnEach(matchLabelExpressions, ({ key = '' }, i) => {
      const advice = deprecatedNodeLabel(dialect, key);
      return advice === undefined ? [] : [`allowedTopologies[${index}].matchLabelExpressions[${i}].key: ${advice}`];
    }),
  );
}

export const storageClass = defineKind(storageClassType, {
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
  shortNames: ['sc'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  quirks: { returnsDeleted: true },
  columns: [
    markedNameColumn('storageclass.', 'storageclass.beta.'),
    textColumn<StorageClass>('Provisioner', 'Who makes the volumes.', (o) => o.provisioner ?? ''),
    textColumn<StorageClass>('ReclaimPolicy', 'What becomes of them.', (o) => o.reclaimPolicy ?? 'Delete'),
    textColumn<StorageClass>('VolumeBindingMode', 'When they are bound.', (o) => o.volumeBindingMode ?? 'Immediate'),
    textColumn<StorageClass>('AllowVolumeExpansion', 'Whether they grow.', (o) => o.allowVolumeExpansion ?? false),
    ageColumn,
  ],
  strategy: {
    updateChecks: { newFirst: true },
    defaults,
    validate,
    validateUpdate,
    warnings: (next, _, { dialect }) => topologyWarnings(next, dialect),
  },
});
