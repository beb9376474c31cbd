// Namespace: a scope for names. It ends in two steps: Terminating, then gone once nothing holds it.

import { type Dialect, labelKey } from '../../../meta/dialect.ts';
import { invalidValue } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkLabelName, checkQualifiedName } from '../../../meta/names.ts';
import { type ApiObject, withMeta } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import type { Strategy } from '../../../schema/strategy.ts';
import { field, type Infer, listOf, string, struct } from '../../../schema/types.ts';
import { ageColumn } from '../../columns.ts';
import { observationFields, transitionFields } from '../../condition-fields.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'core/v1';

const namespaceCondition = struct(
  home,
  'NamespaceCondition',
  'One aspect of how the deletion of a namespace goes.',
  () => ({
    ...observationFields('Which aspect.', { type: 'NamespaceConditionType' }),
    ...transitionFields(4),
  }),
);

const namespaceSpec = struct(home, 'NamespaceSpec', 'What is asked of a namespace.', () => ({
  finalizers: field(1, listOf(string), {
    goType: '[]FinalizerName',
    listType: 'atomic',
    about: 'Cleanups that must be done before the namespace goes; changed through the finalize subresource only.',
  }),
}));

const namespaceStatus = struct(home, 'NamespaceStatus', 'What is known of a namespace.', () => ({
  phase: field(1, string, {
    goType: 'NamespacePhase',
    enum: ['Active', 'Terminating'],
    about: 'Where the namespace is in its life.',
  }),
  conditions: field(2, listOf(namespaceCondition), {
    listType: 'map',
    mapKeys: ['type'],
    patchStrategy: 'merge',
    patchMergeKey: 'type',
    about: 'How a deletion goes.',
  }),
}));

const type = struct(home, 'Namespace', 'A scope for names: objects in different namespaces may share a name.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  spec: field(2, namespaceSpec, { always: true, about: 'What is asked of the namespace.' }),
  status: field(3, namespaceStatus, { always: true, about: 'What is known of the namespace.' }),
}));

export type Namespace = ApiObject & Infer<typeof type>;

const finalizersOf = (object: Namespace): readonly string[] => object.spec?.finalizers ?? [];

/** Every namespace carries its own name as a label, so that selectors can name it. */
function labelWithName(object: ApiObject, dialect: Dialect): ApiObject {
  const { name, labels = {} } = object.metadata;
  const key = labelKey(dialect, 'metadata.name');
  if (!name || labels[key] === name) return object;
  const entries = Object.entries({ ...labels, [key]: name }).sort(([a], [b]) => (a < b ? -1 : 1));
  return withMeta(object, { labels: Object.fromEntries(entries) });
}

const withPhase = (object: Namespace): Namespace =>
  object.status?.phase ? object : { ...object, status: { ...object.status, phase: 'Active' } };

const strategy: Strategy<Namespace> = {
  updateChecks: { newFirst: true },
  defaults: (object, { dialect }) => labelWithName(withPhase(object), dialect),
  prepareForCreate(object, { dialect }) {
    const finalizers = finalizersOf(object);
    const held = finalizers.includes(dialect.vendor) ? finalizers : [...finalizers, dialect.vendor];
    return labelWithName({ ...object, spec: { finalizers: held }, status: { phase: 'Active' } }, dialect);
  },
  prepareForUpdate: (next, old) => ({ ...next, spec: old['spec'], status: old['status'] }),
  validateCreate: (object, { dialect }) => validateFinalizers(object, dialect),
  beginDeletion(object) {
    const terminating = { ...object, status: { ...object.status, phase: 'Terminating' } };
    return withMeta(terminating, { deletionGracePeriodSeconds: undefined });
  },
  isHeld: (object) => finalizersOf(object).length > 0,
};

const standardFinalizers: readonly string[] = ['orphan', 'foregroundDeletion'];

const oddFinalizer = 'name is neither a standard finalizer name nor is it fully qualified';

/** compat: only on finalize do validation errors about a finalizer say which one it is */
function validateFinalizers(
  object: Namespace,
  dialect: Dialect,
  place: (index: number) => string = () => 'spec.finalizers',
): readonly FieldError[] {
  return findEach(finalizersOf(object), (name, index) => [
    ...checkQualifiedName(name).map((e) => invalidValue(place(index), name, e)),
    ...(name.includes('/') || name === dialect.vendor || standardFinalizers.includes(name)
      ? []
      : [invalidValue(place(index), name, oddFinalizer)]),
  ]);
}

/** The phase follows from whether the namespace is being deleted. */
function validatePhase(next: Namespace): readonly FieldError[] {
  const phase = next.status?.phase ?? '';
  const deleting = next.metadata.deletionTimestamp !== undefined;
  if (phase === (deleting ? 'Terminating' : 'Active')) return [];
  const detail = deleting
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [invalidValue('status.Phase', phase, detail)];
}

export const namespace = defineKind(type, {
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
  shortNames: ['ns'],
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  checkName: checkLabelName,
  quirks: { returnsDeleted: true, preconditionsByResource: true },
  deletion: {
    refusal: (name, { systemNamespace, publicNamespace }) =>
      ['default', systemNamespace, publicNamespace].includes(name)
        ? { at: 'admission', because: 'this namespace may not be deleted' }
        : undefined,
  },
  selectableFields: { 'status.phase': (object) => object.status?.phase ?? '' },
  columns: [
    nameColumn,
    {
      name: 'Status',
      type: 'string',
      about: 'Active, or Terminating while its content is being removed.',
      priority: 0,
      cell: (object) => object.status?.phase ?? '',
    },
    ageColumn,
  ],
  subresources: [
    {
      is: 'part',
      name: 'finalize',
      verbs: ['update'],
      merge: (next, old) => ({ ...next, status: old['status'] }),
      validateUpdate: (next, _, { dialect }) =>
        validateFinalizers(next, dialect, (index) => `spec.finalizers[${index}]`),
    },
    {
      is: 'part',
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      merge: (next, old) => ({ ...next, spec: old['spec'] }),
      validateUpdate: validatePhase,
    },
  ],
  strategy,
});
