// Where the disks of clouds are: by the volume's own fields, a file, or a function of the embedder.

import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { PersistentVolume } from '../../groups/core/v1/volume/persistent-volume-type.ts';
import type { ApiObject } from '../../meta/object.ts';

type Spec = NonNullable<PersistentVolume['spec']>;

export const cloudSources = [
  'awsElasticBlockStore',
  'gcePersistentDisk',
  'azureDisk',
  'cinder',
  'vsphereVolume',
] as const;
export type CloudSource = (typeof cloudSources)[number];

/** A disk that a volume stands for. */
export interface CloudDisk {
  /** The field of the volume's spec that names the disk. */
  readonly source: CloudSource;
  readonly id: string;
  readonly volume: ApiObject;
}

/** A disk may be in several zones of one region. */
export interface VolumePlace {
  readonly zones?: readonly string[];
  readonly region?: string;
}

/** Finds where a disk is; undefined where that is not known. The signal aborts when the request is over. */
export type LocateVolume = (disk: CloudDisk, signal: AbortSignal) => MaybePromise<VolumePlace | undefined>;

interface SourceRules {
  /** The name of the disk in messages, and its cloud. */
  readonly shown: string;
  readonly cloud: string;
  idOf(spec: Spec): string | undefined;
  /** The names under which a file may list the disk, besides its id. */
  namesOf?(spec: Spec): readonly (string | undefined)[];
  /** The place that is part of the id. */
  placeIn?(id: string): VolumePlace | undefined;
  /** The region of a zone, where names of zones begin with it. */
  regionOf?(zone: string): string | undefined;
}

const awsId = /^aws:\/\/([^/]*)\/([^/]+)$/;

const rulesOf: Readonly<Record<CloudSource, SourceRules>> = {
  awsElasticBlockStore: {
    shown: 'AWS EBS volume',
    cloud: 'AWS cloud provider for EBS',
    idOf: ({ awsElasticBlockStore: disk }) => disk?.volumeID,
    namesOf: ({ awsElasticBlockStore: disk }) => [awsId.exec(disk?.volumeID ?? '')?.[2]],
    placeIn(id) {
      const zone = awsId.exec(id)?.[1];
      return zone ? { zones: [zone] } : undefined;
    },
    // us-east-1a, and local zones such as us-west-2-lax-1a
    regionOf: (zone) => /^(?:[a-zA-Z]+-)+\d+/.exec(zone)?.[0],
  },
  gcePersistentDisk: {
    shown: 'GCE PD volume',
    cloud: 'GCE cloud provider for PD',
    idOf: ({ gcePersistentDisk: disk }) => disk?.pdName,
    namesOf: ({ gcePersistentDisk: disk }) => [disk?.pdName?.split('/').at(-1)],
    placeIn(id) {
      const [, kind, name = ''] = /(?:^|\/)(zones|regions)\/([^/]+)\/disks\/[^/]+$/.exec(id) ?? [];
      if (kind === undefined) return undefined;
      return kind === 'zones' ? { zones: [name] } : { region: name };
    },
    regionOf: (zone) => /^(.+)-[^-]+$/.exec(zone)?.[1],
  },
  azureDisk: {
    shown: 'AzureDisk volume',
    cloud: 'Azure cloud provider for AzureDisk',
    idOf: ({ azureDisk: disk }) => disk?.diskName,
    namesOf: ({ azureDisk: disk }) => [disk?.diskURI],
    regionOf: (zone) => /^(.+)-\d+$/.exec(zone)?.[1],
  },
  cinder: {
    shown: 'Cinder volume',
    cloud: 'OpenStack cloud provider for Cinder disk',
    idOf: ({ cinder: disk }) => disk?.volumeID,
  },
  vsphereVolume: {
    shown: 'vSphere Volume',
    cloud: 'vSphere cloud provider',
    idOf: ({ vsphereVolume: disk }) => disk?.volumePath,
    // the datastore, which stands in brackets before the path
    namesOf: ({ vsphereVolume: disk }) => [/^\[[^\]]+\]/.exec(disk?.volumePath ?? '')?.[0]],
  },
};

/** Stands for the name of a disk that is being made. */
const beingMade = 'placeholder-for-provisioning';

/** The disk of a volume; undefined for volumes of no cloud, and for disks that are still being made. */
export function cloudDiskOf(volume: PersistentVolume): CloudDisk | undefined {
  const { spec = {} } = volume;
  const source = cloudSources.find((name) => (spec[name] ?? undefined) !== undefined);
  if (source === undefined) return undefined;
  const id = rulesOf[source].idOf(spec) ?? '';
  return id === beingMade ? undefined : { source, id, volume };
}

/** All names of a disk, its id first. */
export function namesOf({ source, id, volume }: CloudDisk): readonly string[] {
  const { spec = {} } = volume as PersistentVolume;
  return [id, ...(rulesOf[source].namesOf?.(spec) ?? [])].filter((name) => name !== undefined);
}

/** The disk in messages. */
export const shownDisk = ({ source, id }: CloudDisk): string => `${rulesOf[source].shown} ${id}`;

export const cloudOf = ({ source }: CloudDisk): string => rulesOf[source].cloud;

/** The place that is part of the id of a disk. */
export const placeInId = ({ source, id }: CloudDisk): VolumePlace | undefined => rulesOf[source].placeIn?.(id);

/** The place with the region of its zones, where it names none itself. Throws where the names of zones tell none though they should. */
export function withRegion({ source }: CloudDisk, place: VolumePlace): VolumePlace {
  const { regionOf } = rulesOf[source];
  const [zone] = place.zones ?? [];
  if (place.region !== undefined || zone === undefined || regionOf === undefined) return place;
  const region = regionOf(zone);
  if (region === undefined) throw new Error(`no region is known of zone ${zone}`);
  return { ...place, region };
}
