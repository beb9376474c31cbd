// What a pod needs to run: the objects that its node reads for it.

import type { ApiObject } from '../../../../meta/object.ts';

export type Referenced = 'secrets' | 'configmaps' | 'serviceaccounts' | 'persistentvolumeclaims' | 'resourceclaims';

interface PodReference {
  readonly resource: Referenced;
  readonly name: string;
}

/** Parts of objects as they are read here: any of it may be missing. */
interface Loose {
  readonly [key: string]: unknown;
}

const part = (value: unknown): Loose => (typeof value === 'object' && value !== null ? (value as Loose) : {});
const list = (value: unknown): readonly Loose[] => (Array.isArray(value) ? value.map(part) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export const nodeOf = (pod: ApiObject): string => text(part(pod['spec'])['nodeName']);

export function podReferences(pod: ApiObject): PodReference[] {
  const spec = part(pod['spec']);
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((field) => list(spec[field]));
  const found: PodReference[] = [
    { resource: 'serviceaccounts', name: text(spec['serviceAccountName']) },
    ...list(spec['imagePullSecrets']).map(({ name }): PodReference => ({ resource: 'secrets', name: text(name) })),
    ...containers.flatMap(fromEnvironment),
    ...list(spec['volumes']).flatMap((volume) => fromVolume(volume, pod.metadata.name ?? '')),
    ...fromClaims(pod, spec),
  ];
  return found.filter(({ name }) => name !== '');
}

function fromEnvironment(container: Loose): PodReference[] {
  const single = list(container['env']).flatMap(({ valueFrom }) =>
    secretOrConfigMap(part(valueFrom), 'secretKeyRef', 'configMapKeyRef'),
  );
  const whole = list(container['envFrom']).flatMap((source) => secretOrConfigMap(source, 'secretRef', 'configMapRef'));
  return [...single, ...whole];
}

function secretOrConfigMap(source: Loose, secret: string, configMap: string): PodReference[] {
  return [
    { resource: 'secrets', name: text(part(source[secret])['name']) },
    { resource: 'configmaps', name: text(part(source[configMap])['name']) },
  ];
}

function fromVolume(volume: Loose, pod: string): PodReference[] {
  const projected = list(part(volume['projected'])['sources']);
  return [
    ...[volume, ...projected].flatMap((source) => secretOrConfigMap(source, 'secret', 'configMap')),
    ...Object.values(volume).flatMap((source) => secretsIn(part(source))),
    { resource: 'persistentvolumeclaims', name: text(part(volume['persistentVolumeClaim'])['claimName']) },
    // the claim of an ephemeral volume is named after pod and volume
    { resource: 'persistentvolumeclaims', name: volume['ephemeral'] == null ? '' : `${pod}-${text(volume['name'])}` },
  ];
}

/** However a kind of volume spells it. */
function secretsIn(source: Loose): PodReference[] {
  const names = [source['secretName'], part(source['secretRef'])['name'], part(source['nodePublishSecretRef'])['name']];
  return names.map((name) => ({ resource: 'secrets', name: text(name) }));
}

function fromClaims(pod: ApiObject, spec: Loose): PodReference[] {
  const status = list(part(pod['status'])['resourceClaimStatuses']).map(({ resourceClaimName }) => resourceClaimName);
  const direct = list(spec['resourceClaims']).map(({ resourceClaimName }) => resourceClaimName);
  return [...direct, ...status].map((name) => ({ resource: 'resourceclaims', name: text(name) }));
}

/** The secrets that a node needs to mount a volume, as `namespace/name`. */
export function volumeSecrets(volume: ApiObject): string[] {
  const spec = part(volume['spec']);
  const home = text(part(spec['claimRef'])['namespace']);
  const refs = Object.values(spec).flatMap((source) => {
    const { secretRef, nodePublishSecretRef, nodeStageSecretRef, nodeExpandSecretRef, secretName, secretNamespace } =
      part(source);
    const named = { name: secretName, namespace: secretNamespace };
    return [secretRef, nodePublishSecretRef, nodeStageSecretRef, nodeExpandSecretRef, named].map(part);
  });
  return refs
    .filter(({ name }) => text(name) !== '')
    .map(({ name, namespace }) => `${text(namespace) || home}/${text(name)}`);
}

/** The claim a volume is bound to, as `namespace/name`; empty for none. */
export function claimOf(volume: ApiObject): string {
  const { namespace, name } = part(part(volume['spec'])['claimRef']);
  return text(name) === '' ? '' : `${text(namespace)}/${text(name)}`;
}
