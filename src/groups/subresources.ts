// Subresources that many kinds share: status and scale.

import { invalidValue } from '../meta/field-errors.ts';
import { type ApiObject, type Labels, withMeta } from '../meta/object.ts';
import { plainNameColumn } from '../schema/columns.ts';
import type { Column, PartSubresource, ViewSubresource } from '../schema/resource.ts';
import { type Scale, scale } from './autoscaling/v1/scale.ts';
import { ageColumn, numberColumn } from './columns.ts';
import { formatLabelSelector, type LabelSelector } from './meta/v1/label-selector.ts';

/** Changes status and metadata, and nothing else. */
export const statusOnly: PartSubresource = {
  is: 'part',
  name: 'status',
  verbs: ['get', 'patch', 'update'],
  merge: (next, old) => ({ ...old, metadata: next.metadata, status: next['status'] }),
};

/** Changes status and nothing else: labels, annotations, finalizers and owners stay as they are. */
export const statusAlone: PartSubresource = {
  ...statusOnly,
  resetFields: ['metadata', 'spec'],
  merge(next, old, context) {
    const { labels, annotations, finalizers, ownerReferences } = old.metadata;
    return statusOnly.merge(withMeta(next, { labels, annotations, finalizers, ownerReferences }), old, context);
  },
};

interface Scalable extends ApiObject {
  readonly spec?: { readonly replicas?: number; readonly selector?: unknown };
  readonly status?: { readonly replicas?: number };
}

const scaleColumns: readonly Column[] = [
  plainNameColumn,
  numberColumn('Desired', 'How many replicas there should be.', (o) => (o as Scale).spec?.replicas ?? 0),
  numberColumn('Available', 'How many there are.', (o) => (o as Scale).status?.replicas ?? 0),
  ageColumn,
];

/** `selectorText` writes the selector of the kind as query parameters have it. */
export function scaleOf(selectorText: (selector: unknown) => string): ViewSubresource {
  return {
    is: 'view',
    name: 'scale',
    verbs: ['get', 'patch', 'update'],
    shows: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    type: scale,
    columns: scaleColumns,
    view: (parent) => viewOf(parent as Scalable, selectorText),
    write(view, parent) {
      const replicas = (view as Scale).spec?.replicas ?? 0;
      return { ...parent, spec: { ...(parent as Scalable).spec, replicas } };
    },
    validate(view) {
      const replicas = (view as Scale).spec?.replicas ?? 0;
      return replicas < 0 ? [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')] : [];
    },
  };
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
