// What is odd about the volumes of a pod: kinds that are going or gone, files in each other's way.

import { type Warnings, warnEach } from '../../../../meta/warn-each.ts';
import type { Infer } from '../../../../schema/types.ts';
import { claimWarnings } from '../pod/fractional-amounts.ts';
import { SeenPaths, type VolumePath } from './path-overlaps.ts';
import type { volumeProjection } from './projected-volume.ts';
import type { Volume } from './volume-defaults.ts';

type Projection = Infer<typeof volumeProjection>;

/** Kinds of volume that are no longer a good choice, in the order in which they are reported. */
export const deprecatedVolumes = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
} as const;

/** compat: one field is reported under another name than it has */
export const reportedName = (name: string): string => (name === 'storageos' ? 'storageOS' : name);

const deprecatedNames = Object.keys(deprecatedVolumes) as readonly (keyof typeof deprecatedVolumes)[];

export function volumeWarnings(volumes: readonly Volume[], at: string): Warnings {
  return [
    ...warnEach(volumes, (volume, index) => {
      const place = `${at}[${index}]`;
      const template = volume.ephemeral?.volumeClaimTemplate;
      return [
        ...deprecatedNames
          .filter((name) => volume[name] !== undefined)
          .map((name) => `${place}.${reportedName(name)}: ${deprecatedVolumes[name]}`),
        ...(template ? claimWarnings(template.spec ?? {}, `${place}.ephemeral.volumeClaimTemplate.spec`) : []),
      ];
    }),
    ...warnEach(volumes, fileWarnings),
  ];
}

function fileWarnings({ name = '', configMap, secret, downwardAPI, projected }: Volume): Warnings {
  const sources = projected?.sources ?? [];
  const nothing = [`volume ${quote(name)} (Projected) has no sources provided`];
  return [
    ...(configMap?.items ? overlapping(name, `ConfigMap ${quote(configMap.name)}`, pathsOf(configMap.items)) : []),
    ...(secret?.items ? overlapping(name, `Secret ${quote(secret.secretName)}`, pathsOf(secret.items)) : []),
    ...(downwardAPI?.items ? overlapping(name, 'DownwardAPI', pathsOf(downwardAPI.items)) : []),
    ...warnEach(sources, (source) => (isEmpty(source) ? nothing : [])),
    ...overlapping(name, 'Projected', sources.flatMap(projectedPaths)),
  ];
}

const isEmpty = (source: Projection) => Object.values(source).every((one) => one === undefined);

function overlapping(volume: string, what: string, files: readonly VolumePath[]): Warnings {
  if (files.length < 2) return [];
  const seen = new SeenPaths();
  return warnEach(files, (file) =>
    seen.overlaps(file).map((pair) => `volume ${quote(volume)} (${what}): overlapping paths: ${pair}`),
  );
}

const pathsOf = (items: readonly { readonly path?: string }[], source = ''): readonly VolumePath[] =>
  items.map(({ path = '' }) => ({ path, source }));

function projectedPaths(one: Projection): readonly VolumePath[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle: bundle, podCertificate } = one;
  if (configMap?.items) return pathsOf(configMap.items, `ConfigMap ${quote(configMap.name)}`);
  if (secret?.items) return pathsOf(secret.items, `Secret ${quote(secret.name)}`);
  if (downwardAPI?.items) return pathsOf(downwardAPI.items, 'DownwardAPI');
  if (serviceAccountToken) return pathsOf([serviceAccountToken], 'ServiceAccountToken');
  if (bundle) return pathsOf([bundle], `ClusterTrustBundle ${quote(bundle.name ?? bundle.signerName)}`);
  return [
    { path: podCertificate?.certificateChainPath ?? '', source: 'PodCertificate chain' },
    { path: podCertificate?.keyPath ?? '', source: 'PodCertificate key' },
    { path: podCertificate?.credentialBundlePath ?? '', source: 'PodCertificate credential bundle' },
  ];
}

const quote = (text = '') => JSON.stringify(text);
