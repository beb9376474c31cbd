// What workloads looked like before apps/v1: selectors came from the template, and rollouts were more timid.

import type { ApiObject, Labels } from '../../../meta/object.ts';
import type { Deprecation, KindDefinition } from '../../../schema/resource.ts';
import { field, int64, type SchemaType, type StructType, struct } from '../../../schema/types.ts';
import { convertedKind } from '../../converted-kind.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { defaultedFirst, heading, sameShape, withFields } from '../../same-shape.ts';
import { daemonSet } from '../v1/daemon-set.ts';
import { templateGeneration } from '../v1/daemon-set-rules.ts';
import { daemonSetSpec, daemonSetStatus } from '../v1/daemon-set-type.ts';
import { deployment } from '../v1/deployment.ts';
import { rollbackAnnotation } from '../v1/deployment-rules.ts';
import { deploymentSpec, deploymentStatus } from '../v1/deployment-type.ts';
import { replicaSet } from '../v1/replica-set.ts';
import { statefulSet } from '../v1/stateful-set.ts';
import { type AnnotatedField, annotatedConversion, withAnnotation } from './annotated-field.ts';

interface Workload extends ApiObject {
  readonly spec?: Readonly<Record<string, unknown>> & {
    readonly selector?: unknown;
    readonly strategy?: Readonly<Record<string, unknown>>;
    readonly updateStrategy?: Readonly<Record<string, unknown>>;
    readonly template?: { readonly metadata?: { readonly labels?: Labels } };
  };
}

const replacedBy = (kind: string): Deprecation => ({
  since: 8,
  removed: 16,
  replacement: { group: 'apps', version: 'v1', kind },
});

/** Labels of the template serve as selector, and as labels of the object, where none are given. */
function selectorFromTemplate(object: Workload): ApiObject {
  const { spec = {}, metadata } = object;
  const labels = spec.template?.metadata?.labels;
  if (labels === undefined) return object;
  const isUnset = spec.selector === undefined || spec.selector === null;
  return {
    ...object,
    metadata: metadata.labels === undefined ? { ...metadata, labels } : metadata,
    spec: isUnset ? { ...spec, selector: { matchLabels: labels } } : spec,
  };
}

/**
 * A kind that takes its selector from the template: no client has to give one, so that neither documents nor the check for missing
 * fields require it. apps/v1beta2 was the first version that did.
 */
export function selectedByTemplate(
  kind: KindDefinition,
  before: (object: Workload) => ApiObject = (object) => object,
): KindDefinition {
  const { type } = kind;
  if (type.is !== 'struct') throw new Error(`the type of ${kind.kind} has no fields`);
  const served = { ...kind, type: withField(type, 'spec', (spec) => ({ ...spec, type: withoutRequired(spec.type) })) };
  return defaultedFirst<Workload>(served, (object) => before(selectorFromTemplate(object)));
}

type Field = StructType['fields'][number];

const withField = (type: StructType, name: string, change: (field: Field) => Field): StructType =>
  withFields(heading(type), type, (fields) => fields.map((field) => (field.name === name ? change(field) : field)));

function withoutRequired(spec: SchemaType): SchemaType {
  if (spec.is !== 'struct') return spec;
  return withField(spec, 'selector', ({ required: _, ...selector }) => selector);
}

const withSpec = (object: Workload, defaults: object): ApiObject => ({
  ...object,
  spec: { ...defaults, ...object.spec },
});

/** Until apps/v1 an update waited for the old pods to be deleted by a client. */
function updatedOnDelete(object: Workload): ApiObject {
  const { spec = {} } = object;
  return spec.updateStrategy?.['type']
    ? object
    : { ...object, spec: { ...spec, updateStrategy: { type: 'OnDelete' } } };
}

/** One pod at a time, no deadline, and no limit on old replica sets. */
function timidRollout(object: Workload): ApiObject {
  const { strategy = {}, ...spec } = object.spec ?? {};
  const isRolling = (strategy['type'] ?? 'RollingUpdate') === 'RollingUpdate';
  const rollingUpdate = { maxUnavailable: 1, maxSurge: 1, ...(strategy['rollingUpdate'] as object | undefined) };
  const next = isRolling ? { ...strategy, type: 'RollingUpdate', rollingUpdate } : strategy;
  return withSpec(
    { ...object, spec: { ...spec, strategy: next } },
    { progressDeadlineSeconds: unlimited, revisionHistoryLimit: unlimited },
  );
}

/** The largest int32 stands for no limit. */
const unlimited = 2_147_483_647;

const rollbackConfig = struct('extensions/v1beta1', 'RollbackConfig', 'What a rollback goes back to.', () => ({
  revision: field(1, int64, { about: 'Revision to go back to; 0 for the last one.' }),
}));

interface OldField extends AnnotatedField {
  readonly type: ReturnType<typeof field>;
}

/** A spec with one more field than apps/v1 has. */
function withOldField(
  stored: KindDefinition,
  home: string,
  parts: {
    spec: typeof deploymentSpec | typeof daemonSetSpec;
    status: typeof deploymentStatus | typeof daemonSetStatus;
  },
  old: OldField,
): KindDefinition {
  const spec = { ...parts.spec, home, fields: [...parts.spec.fields, { name: old.field, ...old.type }] };
  const type = struct(home, stored.kind, stored.type.about, () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, spec, { always: true, about: 'What is wanted.' }),
    status: field(3, parts.status, { always: true, about: 'What was last seen.' }),
  }));
  return convertedKind(stored, {
    type,
    conversion: annotatedConversion(old),
    // the field says it all: an annotation of that name stands for nothing here
    defaults: (object, context) =>
      withAnnotation(stored.strategy?.defaults?.(object, context) ?? object, old.annotation, undefined),
    deprecated: replacedBy(stored.kind),
  });
}

const rollbackTo: OldField = {
  field: 'rollbackTo',
  annotation: rollbackAnnotation,
  type: field(8, rollbackConfig, { pointer: true, about: 'Rolls back when set; cleared by the controller.' }),
  toText: (value) => (value ? String((value as { readonly revision?: number | bigint }).revision ?? 0) : undefined),
  toValue: (revision) => (revision === 0 ? {} : { revision }),
};

const generation: OldField = {
  field: 'templateGeneration',
  annotation: templateGeneration,
  type: field(5, int64, { about: 'Counts changes of the template.' }),
  toText: (value) => String((value as number | bigint | undefined) ?? 0),
  toValue: (number) => (number === 0 ? undefined : number),
};

/** Here these numbers are fields, which annotations of apps/v1 stand for. */
const { unreadable: _, ...deploymentKind } = deployment;
const { unreadable: __, quirks: ___, ...daemonSetKind } = daemonSet;

const deploymentOf = (home: string) =>
  withOldField(deploymentKind, home, { spec: deploymentSpec, status: deploymentStatus }, rollbackTo);

export const extensionsDeployment = selectedByTemplate(deploymentOf('extensions/v1beta1'), timidRollout);

export const extensionsDaemonSet = selectedByTemplate(
  withOldField(daemonSetKind, 'extensions/v1beta1', { spec: daemonSetSpec, status: daemonSetStatus }, generation),
  updatedOnDelete,
);

export const appsDeploymentV1beta1 = selectedByTemplate(deploymentOf('apps/v1beta1'), (object) =>
  withSpec(object, { revisionHistoryLimit: 2 }),
);

export const appsReplicaSetV1beta1 = selectedByTemplate(
  sameShape(replicaSet, 'apps/v1beta1', replacedBy('ReplicaSet')),
);

export const appsStatefulSetV1beta1 = selectedByTemplate(
  sameShape(statefulSet, 'apps/v1beta1', replacedBy('StatefulSet')),
  updatedOnDelete,
);
