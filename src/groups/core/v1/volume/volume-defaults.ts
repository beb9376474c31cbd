// What a volume's description becomes when it leaves things out.

import { withFields } from '../../../../base/maps/with-fields.ts';
import type { Infer } from '../../../../schema/types.ts';
import { defaultFieldRef, pullPolicyOf } from '../pod/container-defaults.ts';
import { defaultClaimSpec } from './persistent-volume-claim-type.ts';
import type { downwardAPIVolumeFile, projectedVolumeSource, volumeProjection } from './projected-volume.ts';
import type { ephemeralVolumeSource, volume } from './volume.ts';

export type Volume = Infer<typeof volume>;
type ProjectedVolumeSource = Infer<typeof projectedVolumeSource>;
type VolumeProjection = Infer<typeof volumeProjection>;
type DownwardAPIVolumeFile = Infer<typeof downwardAPIVolumeFile>;
type EphemeralVolumeSource = Infer<typeof ephemeralVolumeSource>;

/** Files that all users read and the owner writes. */
const defaultMode = 0o644;
const tokenLifetimeSeconds = 3600;

/** A volume that names no source is an empty folder. */
export function defaultVolume(given: Volume): Volume {
  if (!namesSource(given)) return withFields(given, { emptyDir: {} });
  const { secret, configMap, downwardAPI, projected, hostPath, ephemeral, image } = given;
  return withFields(given, {
    hostPath: hostPath && withFields(hostPath, { type: hostPath.type ?? '' }),
    secret: secret && withMode(secret),
    configMap: configMap && withMode(configMap),
    downwardAPI: downwardAPI && withMode(withFieldRefs(downwardAPI)),
    projected: projected && defaultProjected(projected),
    ephemeral: ephemeral && defaultEphemeral(ephemeral),
    image: image && withFields(image, { pullPolicy: image.pullPolicy || pullPolicyOf(image.reference ?? '') }),
  });
}

function namesSource(given: Volume): boolean {
  for (const key in given) if (key !== 'name' && given[key as keyof Volume] !== undefined) return true;
  return false;
}

function withMode<T extends { readonly defaultMode?: number }>(source: T): T {
  const given: { readonly defaultMode?: number } = source;
  return withFields(given, { defaultMode: given.defaultMode ?? defaultMode }) as T;
}

function withFieldRefs<T extends { readonly items?: readonly DownwardAPIVolumeFile[] }>(source: T): T {
  if (!source.items) return source;
  const items = source.items.map((item) =>
    item.fieldRef ? { ...item, fieldRef: defaultFieldRef(item.fieldRef) } : item,
  );
  return { ...source, items };
}

function defaultProjected(given: ProjectedVolumeSource): ProjectedVolumeSource {
  return withMode(given.sources ? { ...given, sources: given.sources.map(defaultProjection) } : given);
}

function defaultProjection(given: VolumeProjection): VolumeProjection {
  const { downwardAPI, serviceAccountToken: token } = given;
  return withFields(given, {
    downwardAPI: downwardAPI && withFieldRefs(downwardAPI),
    serviceAccountToken:
      token && withFields(token, { expirationSeconds: token.expirationSeconds ?? tokenLifetimeSeconds }),
  });
}

function defaultEphemeral(given: EphemeralVolumeSource): EphemeralVolumeSource {
  const template = given.volumeClaimTemplate;
  if (!template) return given;
  return { ...given, volumeClaimTemplate: { ...template, spec: defaultClaimSpec(template.spec ?? {}) } };
}
