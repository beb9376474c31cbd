// Which volumes a policy lets a pod have.

import type { PodSpec } from '../../../groups/core/v1/pod/pod-spec.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import type { PolicySpec } from '../../../groups/policy/v1beta1/pod-security-policy-type.ts';
import type { Dialect } from '../../../meta/dialect.ts';
import { invalidValue } from '../../../meta/field-errors.ts';
import type { FieldError } from '../../../meta/status.ts';
import { type Policed, placedContainers } from './policed-pod.ts';

type Volume = NonNullable<PodSpec['volumes']>[number];

/** Policies spell one type differently. Types that are younger than policies are allowed by the asterisk only. */
const typeOf = (volume: Volume): string => {
  const [type = ''] = Object.keys(volume).filter((key) => key !== 'name');
  return type === 'cephfs' ? 'cephFS' : type;
};

export function checkVolumes({ spec, dialect }: Policed, pod: Pod): FieldError[] {
  return (pod.spec?.volumes ?? []).flatMap((volume, index) => {
    const at = `spec.volumes[${index}]`;
    const type = typeOf(volume);
    if (!isAllowed(spec, type, volume, dialect))
      return [invalidValue(at, type, `${type} volumes are not allowed to be used`)];
    return [...checkHostPath(spec, volume, at, pod), ...checkDriver(spec, volume, at)];
  });
}

function isAllowed({ volumes = [] }: PolicySpec, type: string, volume: Volume, dialect: Dialect): boolean {
  if (volumes.includes('*') || volumes.includes(type)) return true;
  return volumes.includes('secret') && volume.projected !== undefined && isApiAccess(volume.projected, dialect);
}

/** The volume that every pod gets for its account: a pod that may have secrets may have it. */
function isApiAccess({ sources = [] }: NonNullable<Volume['projected']>, { rootCaConfigMap }: Dialect): boolean {
  return sources.every(({ serviceAccountToken: token, configMap, downwardAPI }) => {
    if (token === undefined && configMap === undefined && downwardAPI === undefined) return false;
    if (token !== undefined && (token.path !== 'token' || token.audience)) return false;
    if (configMap !== undefined && configMap.name !== rootCaConfigMap) return false;
    return (downwardAPI?.items ?? []).every(
      ({ path, fieldRef }) =>
        path === 'namespace' && fieldRef?.apiVersion === 'v1' && fieldRef.fieldPath === 'metadata.namespace',
    );
  });
}

function checkHostPath({ allowedHostPaths = [] }: PolicySpec, volume: Volume, at: string, pod: Pod): FieldError[] {
  if (volume.hostPath === undefined || allowedHostPaths.length === 0) return [];
  const { path = '' } = volume.hostPath;
  const fitting = allowedHostPaths.filter(({ pathPrefix = '' }) => isBelow(path, pathPrefix));
  if (fitting.length === 0) return [invalidValue(`${at}.hostPath.pathPrefix`, path, 'is not allowed to be used')];
  if (fitting.some(({ readOnly }) => !readOnly)) return [];
  return placedContainers(pod.spec ?? {}).flatMap(({ at: place, container }) =>
    (container.volumeMounts ?? []).flatMap(({ name, readOnly }, index) =>
      name === volume.name && !readOnly
        ? [invalidValue(`${place}.volumeMounts[${index}].readOnly`, false, 'must be read-only')]
        : [],
    ),
  );
}

/** `/foo` stands for `/foo`, `/foo/` and `/foo/bar`, not for `/food`. */
function isBelow(path: string, prefix: string): boolean {
  const bare = (text: string) => (text.endsWith('/') ? text.slice(0, -1) : text);
  return bare(path) === bare(prefix) || bare(path).startsWith(`${bare(prefix)}/`);
}

function checkDriver(spec: PolicySpec, { flexVolume, csi }: Volume, at: string): FieldError[] {
  const { allowedFlexVolumes: flex = [], allowedCSIDrivers: drivers = [] } = spec;
  if (flexVolume !== undefined && flex.length > 0 && !flex.some(({ driver }) => driver === flexVolume.driver))
    return [invalidValue(`${at}.driver`, flexVolume.driver ?? '', 'Flexvolume driver is not allowed to be used')];
  if (csi !== undefined && drivers.length > 0 && !drivers.some(({ name }) => name === csi.driver))
    return [invalidValue(`${at}.csi.driver`, csi.driver ?? '', 'Inline CSI driver is not allowed to be used')];
  return [];
}
