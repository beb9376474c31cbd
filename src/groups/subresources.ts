// Subresources that many kinds share: status and scale.

import { invalidValue } from '../meta/field-errors.ts';
import { type ApiObject, type Labels, withMeta } from '../meta/object.ts';
import type { Column } from '../schema/column.ts';
import { plainNameColumn } from '../schema/columns.ts';
import { defineView } from '../schema/define-kind.ts';
import type { PartSubresource } from '../schema/part-subresource.ts';
import type { FieldPath, ViewSubresource } from '../schema/subresource.ts';
import { type Scale, scale } from './autoscaling/v1/scale.ts';
import { ageColumn, numberColumn } from './columns.ts';
import { formatLabelSelector, type LabelSelector } from './meta/v1/label-selector.ts';

/** The old object with status and metadata of the next. */
export const mergeStatus = <T extends ApiObject>(next: T, old: T): T => ({
  ...old,
  metadata: next.metadata,
  status: next['status'],
});

/** The old object with the status of the next: labels, annotations, finalizers and owners stay as they are. */
export function mergeStatusAlone<T extends ApiObject>(next: T, old: T): T {
  const { labels, annotations, finalizers, ownerReferences, deletionTimestamp, selfLink } = old.metadata;
  const kept = { labels, annotations, finalizers, ownerReferences, deletionTimestamp, selfLink };
  return mergeStatus(withMeta(next, kept), old);
}

/** Changes status and metadata, and nothing else. */
export const statusOnly: PartSubresource = {
  is: 'part',
  name: 'status',
  verbs: ['get', 'patch', 'update'],
  merge: mergeStatus,
};

/** Changes status and nothing else. */
export const statusAlone: PartSubresource = {
  ...statusOnly,
  resetFields: ['metadata', 'spec'],
  merge: mergeStatusAlone,
};

interface Scalable extends ApiObject {
  readonly spec?: { readonly replicas?: number; readonly selector?: unknown };
  readonly status?: { readonly replicas?: number };
}

/** How many there should be, and how many there are. */
export const replicaColumns: readonly Column<Scale>[] = [
  numberColumn('Desired', 'How many replicas there should be.', (o) => o.spec?.replicas ?? 0),
  numberColumn('Available', 'How many there are.', (o) => o.status?.replicas ?? 0),
];

const scaleColumns: readonly Column<Scale>[] = [plainNameColumn, ...replicaColumns, ageColumn];

/** Where the number stands in a scale, and in all kinds of ours that have one. */
export const replicasPath: FieldPath = ['spec', 'replicas'];

/** `selectorText` writes the selector of the kind as query parameters have it. */
function scaleOf(selectorText: (selector: unknown) => string): ViewSubresource<Scalable> {
  return defineView(scale, {
    is: 'view',
    name: 'scale',
    verbs: ['get', 'patch', 'update'],
    shows: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    columns: scaleColumns,
    view: (parent) => viewOf(parent, selectorText),
    write(view, parent) {
      const replicas = view.spec?.replicas ?? 0;
      return { ...parent, spec: { ...parent.spec, replicas } };
    },
    field: { inView: replicasPath, inParent: replicasPath },
    validate(view) {
      const replicas = view.spec?.replicas ?? 0;
      return replicas < 0 ? [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')] : [];
    },
  });
}

function viewOf(
  { metadata, spec = {}, status = {} }: Scalable,
  selectorText: (selector: unknown) => string,
): ApiObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const selector = selectorText(spec.selector);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as ApiObject['metadata'],
    spec: spec.replicas ? { replicas: spec.replicas } : {},
    status: { replicas: status.replicas ?? 0, ...(selector === '' ? {} : { selector }) },
  };
}

/** Scale of kinds that select by a label selector. */
export const scaleBySelector = scaleOf((selector) => formatLabelSelector((selector ?? {}) as LabelSelector));

/** Scale of kinds that select by plain labels. */
export const scaleByLabels = scaleOf((selector) => formatLabelSelector({ matchLabels: (selector ?? {}) as Labels }));
