// Pods of a stateful set by their ordinal: their names, labels, volumes, and the claims of those.

import type { StatefulSet } from '../../../groups/apps/v1/stateful-set-type.ts';
import type { PodTemplateSpec } from '../../../groups/core/v1/pod/pod-spec.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import type { PersistentVolumeClaim } from '../../../groups/core/v1/volume/persistent-volume-claim-type.ts';
import { type Dialect, partKey } from '../../../meta/dialect.ts';
import type { ApiObject, OwnerReference } from '../../../meta/object.ts';
import { controllerReference, type OwnerKind } from '../ownership.ts';
import { type NewPod, podFromTemplate } from '../pod-control.ts';
import { revisionLabel } from '../revisions.ts';

export const statefulSetKind: OwnerKind = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  group: 'apps',
  plural: 'statefulsets',
};

/** Undefined for a pod whose name is not one of the set's. */
export function ordinalOf({ metadata }: StatefulSet, pod: ApiObject): number | undefined {
  const [, parent, digits = ''] = /^(.*)-(\d{1,10})$/.exec(pod.metadata.name ?? '') ?? [];
  return parent === metadata.name ? Number(digits) : undefined;
}

/** The first ordinal, and the one after the last. */
export function ordinalsOf({ spec }: StatefulSet): { readonly start: number; readonly end: number } {
  const start = spec?.ordinals?.start ?? 0;
  return { start, end: start + (spec?.replicas ?? 0) };
}

const podName = ({ metadata }: StatefulSet, ordinal: number): string => `${metadata.name}-${ordinal}`;

type ClaimTemplate = NonNullable<NonNullable<StatefulSet['spec']>['volumeClaimTemplates']>[number];

const claimName = (set: StatefulSet, template: ApiObject, ordinal: number): string =>
  `${template.metadata.name}-${podName(set, ordinal)}`;

const claimTemplates = ({ spec }: StatefulSet): readonly ApiObject[] =>
  (spec?.volumeClaimTemplates ?? []) as readonly ClaimTemplate[] as readonly ApiObject[];

interface PodVersion {
  readonly template: PodTemplateSpec;
  /** Name of the revision that has the template. */
  readonly revision: string;
  readonly dialect: Dialect;
}

export function podOf(set: StatefulSet, ordinal: number, { template, revision, dialect }: PodVersion): NewPod {
  const { metadata, spec } = podFromTemplate(template, statefulSetKind, set);
  const { generateName: _, ...rest } = metadata;
  const name = podName(set, ordinal);
  const claims = claimTemplates(set).map((one) => ({
    name: one.metadata.name,
    persistentVolumeClaim: { claimName: claimName(set, one, ordinal) },
  }));
  const others = (spec?.volumes ?? []).filter((volume) => !claims.some((claim) => claim.name === volume.name));
  const { serviceName } = set.spec ?? {};
  return {
    metadata: {
      ...rest,
      name,
      labels: {
        ...rest.labels,
        [partKey(dialect, 'statefulset', 'pod-name')]: name,
        [partKey(dialect, 'apps', 'pod-index')]: String(ordinal),
        [revisionLabel]: revision,
      },
    },
    spec: {
      ...spec,
      hostname: name,
      ...(serviceName ? { subdomain: serviceName } : {}),
      ...(claims.length + others.length === 0 ? {} : { volumes: [...claims, ...others] }),
    } as Pod['spec'],
  };
}

/** The claims of a pod, as they are made. */
export function claimsOf(set: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
  const { matchLabels = {} } = set.spec?.selector ?? {};
  return claimTemplates(set).map(
    (template) =>
      ({
        ...template,
        kind: 'PersistentVolumeClaim',
        apiVersion: 'v1',
        metadata: {
          ...template.metadata,
          name: claimName(set, template, ordinal),
          namespace: set.metadata.namespace,
          labels: { ...template.metadata.labels, ...matchLabels },
        },
      }) as PersistentVolumeClaim,
  );
}

const podKind: OwnerKind = { apiVersion: 'v1', kind: 'Pod', group: '', plural: 'pods' };

/** The owners of a claim by the policy of the set; a claim is deleted with them. */
export function claimOwners(set: StatefulSet, pod: ApiObject, claim: ApiObject): readonly OwnerReference[] {
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const { start, end } = ordinalsOf(set);
  const ordinal = ordinalOf(set, pod) ?? -1;
  const isExcess = ordinal < start || ordinal >= end;
  const others = (claim.metadata.ownerReferences ?? []).filter(
    ({ uid }) => uid !== set.metadata.uid && uid !== pod.metadata.uid,
  );
  if (whenScaled === 'Delete' && isExcess) return [...others, controllerReference(podKind, pod)];
  return whenDeleted === 'Delete' ? [...others, controllerReference(statefulSetKind, set)] : others;
}
