// What a mirror pod may not have: anything for which its node would have to read the API.

import { podReferences } from '../../../groups/core/v1/pod/pod-references.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';

type Volume = NonNullable<NonNullable<Pod['spec']>['volumes']>[number];
type Reference = { readonly resource: string } | { readonly problem: string };

/** Kinds of volumes that a node makes by itself, or with what the volume says. */
const harmless: ReadonlySet<string> = new Set([
  ...['awsElasticBlockStore', 'azureDisk', 'cephfs', 'cinder', 'downwardAPI', 'emptyDir', 'fc', 'flexVolume'],
  ...['flocker', 'gcePersistentDisk', 'gitRepo', 'hostPath', 'image', 'iscsi', 'nfs', 'photonPersistentDisk'],
  ...['portworxVolume', 'quobyte', 'rbd', 'scaleIO', 'storageos', 'vsphereVolume'],
]);

/** What the others need; the first of these that a volume has counts. */
const needed: ReadonlyMap<string, string> = new Map([
  ['configMap', 'configmaps (via configmap volumes)'],
  ['secret', 'secrets (via secret volumes)'],
  ['csi', 'csidrivers (via CSI volumes)'],
  ['glusterfs', 'endpoints (via glusterFS volumes)'],
  ['persistentVolumeClaim', 'persistentvolumeclaims'],
  ['ephemeral', 'persistentvolumeclaims (via ephemeral volumes)'],
  ['azureFile', 'secrets (via azureFile volumes)'],
]);

const projections: ReadonlyMap<string, string> = new Map([
  ['configMap', 'configmaps (via projected volumes)'],
  ['secret', 'secrets (via projected volumes)'],
  ['serviceAccountToken', 'serviceaccounts (via projected volumes)'],
  ['clusterTrustBundle', 'clustertrustbundles'],
  ['podCertificate', 'podcertificates'],
]);

/** The first thing that a pod refers to; undefined where it refers to nothing. */
export function referenceOf(pod: Pod): Reference | undefined {
  const { serviceAccountName, resourceClaims = [], volumes = [] } = pod.spec ?? {};
  if (serviceAccountName) return { resource: 'serviceaccounts' };
  const named = new Set(podReferences(pod).map(({ resource }) => resource));
  for (const resource of ['secrets', 'configmaps'] as const) if (named.has(resource)) return { resource };
  if (resourceClaims.length > 0) return { resource: 'resourceclaims' };
  for (const volume of volumes) {
    const found = inVolume(volume);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inVolume(volume: Volume): Reference | undefined {
  const kinds = kindsIn(volume);
  if (kinds.some((kind) => harmless.has(kind))) return undefined;
  const resource = firstOf(needed, kinds);
  if (resource !== undefined) return { resource };
  if (volume.projected === undefined) return { problem: `unknown volume type for volume  "${volume.name}"` };
  for (const source of volume.projected.sources ?? []) {
    const projected = kindsIn(source);
    const wanted = firstOf(projections, projected);
    if (wanted !== undefined) return { resource: wanted };
    if (!projected.includes('downwardAPI')) return { problem: `unknown source for projected volume "${volume.name}"` };
  }
  return undefined;
}

const kindsIn = (source: object): readonly string[] =>
  Object.entries(source).flatMap(([key, value]) => (key === 'name' || value == null ? [] : [key]));

const firstOf = (names: ReadonlyMap<string, string>, kinds: readonly string[]): string | undefined =>
  [...names].find(([kind]) => kinds.includes(kind))?.[1];
