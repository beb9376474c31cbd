// The replica sets of a deployment: which one is new, in which order they come, and what their annotations remember.

import type { Deployment } from '../../../groups/apps/v1/deployment-type.ts';
import type { ReplicaSet } from '../../../groups/apps/v1/replica-set-type.ts';
import type { PodTemplateSpec } from '../../../groups/core/v1/pod/pod-spec.ts';
import { type Dialect, lastAppliedAnnotation, partKey } from '../../../meta/dialect.ts';
import { isSemanticallyEqual } from '../semantic-equality.ts';
import { maxSurge, replicasOf } from './amounts.ts';

export const hashLabel = 'pod-template-hash';

type Annotations = Readonly<Record<string, string>>;

/** Keys of annotations by which deployments and replica sets remember a rollout. */
export const annotationKeys = (dialect: Dialect) => ({
  revision: partKey(dialect, 'deployment', 'revision'),
  history: partKey(dialect, 'deployment', 'revision-history'),
  desired: partKey(dialect, 'deployment', 'desired-replicas'),
  max: partKey(dialect, 'deployment', 'max-replicas'),
});

/** What replica sets do not take over from their deployment. */
function ownKeys(dialect: Dialect): ReadonlySet<string> {
  const keys = Object.values(annotationKeys(dialect));
  return new Set([...keys, lastAppliedAnnotation(dialect), 'deprecated.deployment.rollback.to']);
}

/** Older first; of one age by name. */
export function byAge({ metadata: a }: ReplicaSet, { metadata: b }: ReplicaSet): number {
  const difference = Date.parse(a.creationTimestamp ?? '') - Date.parse(b.creationTimestamp ?? '');
  return difference || ((a.name ?? '') < (b.name ?? '') ? -1 : 1);
}

/** Larger first; of one size the older, or the newer. */
export const bySize =
  (first: 'older' | 'newer') =>
  (a: ReplicaSet, b: ReplicaSet): number =>
    replicasOf(b) - replicasOf(a) || (first === 'older' ? byAge(a, b) : byAge(b, a));

export function withoutHash({ metadata = {}, spec }: PodTemplateSpec): PodTemplateSpec {
  const { [hashLabel]: _, ...labels } = (metadata.labels ?? {}) as Annotations;
  return { metadata: { ...metadata, labels }, spec } as PodTemplateSpec;
}

interface RolloutSets {
  /** The oldest one with the template of the deployment. */
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

export function splitSets({ spec }: Deployment, sets: readonly ReplicaSet[]): RolloutSets {
  const ordered = [...sets].sort(byAge);
  const desiredTemplate = withoutHash(spec?.template ?? {});
  const current = ordered.find((set) => isSemanticallyEqual(withoutHash(set.spec?.template ?? {}), desiredTemplate));
  return { current, old: ordered.filter((set) => set !== current) };
}

/** 0 for a replica set that has no revision, or one that is not a number. */
function revisionOf({ metadata }: ReplicaSet, dialect: Dialect): number {
  const text = metadata.annotations?.[annotationKeys(dialect).revision] ?? '';
  return /^\d+$/.test(text) ? Number(text) : 0;
}

export const maxRevision = (sets: readonly ReplicaSet[], dialect: Dialect): number =>
  sets.reduce((max, set) => Math.max(max, revisionOf(set, dialect)), 0);

export function byRevision(dialect: Dialect): (a: ReplicaSet, b: ReplicaSet) => number {
  return (a, b) => revisionOf(a, dialect) - revisionOf(b, dialect) || byAge(a, b);
}

/** So long the list of revisions that a replica set has had may be. */
const maxHistoryChars = 2000;

/** Annotations of the new replica set: those of its deployment, its revision, and the revisions that it had before. */
export function newSetAnnotations(
  deployment: Deployment,
  annotations: Annotations,
  { revision, dialect }: { revision: number; dialect: Dialect },
): Annotations {
  const keys = annotationKeys(dialect);
  const skipped = ownKeys(dialect);
  const next: Record<string, string> = { ...annotations };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {}))
    if (!skipped.has(key)) next[key] = value;
  const before = annotations[keys.revision] ?? '';
  if (before !== '' && !/^\d+$/.test(before)) return annotations;
  if (Number(before) >= revision) return next;
  next[keys.revision] = String(revision);
  const history = before === '' ? undefined : extendedHistory(annotations[keys.history] ?? '', before);
  if (history !== undefined) next[keys.history] = history;
  return next;
}

/** The oldest revisions are forgotten where the list is too long; undefined where one alone is. */
function extendedHistory(history: string, revision: string): string | undefined {
  if (history === '') return revision;
  const revisions = history.split(',');
  let length = history.length + revision.length + 1;
  while (length > maxHistoryChars && revisions.length > 0) length -= (revisions.shift() as string).length + 1;
  return length <= maxHistoryChars ? [...revisions, revision].join(',') : undefined;
}

/** Annotations that distinguish scaling from a rollout. */
export function replicaAnnotations(deployment: Deployment, dialect: Dialect): Annotations {
  const keys = annotationKeys(dialect);
  const desired = replicasOf(deployment);
  return { [keys.desired]: String(desired), [keys.max]: String(desired + maxSurge(deployment)) };
}

/** The number in an annotation; undefined if it is not a number of 32 bits. */
export function countIn({ metadata }: ReplicaSet, key: string): number | undefined {
  const text = metadata.annotations?.[key] ?? '';
  return /^\d+$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : undefined;
}

export const isEqualAnnotations = (a: Annotations = {}, b: Annotations = {}): boolean => {
  const keys = Object.keys(b);
  return keys.length === Object.keys(a).length && keys.every((key) => a[key] === b[key]);
};
