// PersistentVolumeLabel: volumes say in which zone and region they are, and are used there only. This server knows no cloud:
// it believes what a provisioner wrote, and refuses disks that only a cloud could tell about.

import type { PersistentVolume } from '../../groups/core/v1/persistent-volume.ts';
import { topologyLabel } from '../../meta/dialect.ts';
import { type Labels, withMeta } from '../../meta/object.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, creates, objectsOf, refusal } from '../plugin.ts';

type Spec = NonNullable<PersistentVolume['spec']>;
type Term = NonNullable<NonNullable<NonNullable<Spec['nodeAffinity']>['required']>['nodeSelectorTerms']>[number];
type Requirement = NonNullable<Term['matchExpressions']>[number];

interface CloudDisk {
  readonly id: string | undefined;
  /** What messages call the disk, and the cloud that is not there to be asked. */
  readonly shown: string;
  readonly cloud: string;
}

const cloudDisks: readonly ((spec: Spec) => CloudDisk | undefined)[] = [
  ({ awsElasticBlockStore: disk }) =>
    disk && { id: disk.volumeID, shown: 'AWS EBS volume', cloud: 'AWS cloud provider for EBS' },
  ({ gcePersistentDisk: disk }) =>
    disk && { id: disk.pdName, shown: 'GCE PD volume', cloud: 'GCE cloud provider for PD' },
  ({ azureDisk: disk }) =>
    disk && { id: disk.diskName, shown: 'AzureDisk volume', cloud: 'Azure cloud provider for AzureDisk' },
  ({ cinder: disk }) =>
    disk && { id: disk.volumeID, shown: 'Cinder volume', cloud: 'OpenStack cloud provider for Cinder disk' },
  ({ vsphereVolume: disk }) =>
    disk && { id: disk.volumePath, shown: 'vSphere Volume', cloud: 'vSphere cloud provider' },
];

/** Stands for the name of a disk that is being made. */
const beingMade = 'placeholder-for-provisioning';
/** Between the zones of a disk that is in several. */
const zoneDelimiter = '__';

export function persistentVolumeLabel({ dialect }: Pick<AdmissionEngines, 'dialect'>): AdmissionPlugin {
  const older = (name: string) => `failure-domain.beta.${dialect.labelDomain}/${name}`;
  const pairs = [
    { zone: topologyLabel(dialect, 'zone'), region: topologyLabel(dialect, 'region') },
    { zone: older('zone'), region: older('region') },
  ];
  const provisioned = `pv.${dialect.labelDomain}/provisioned-by`;
  return {
    name: 'PersistentVolumeLabel',
    operations: creates,
    covers: objectsOf('', 'persistentvolumes'),
    mutate(request) {
      const volume = request.object as PersistentVolume;
      const { annotations = {}, labels = {} } = volume.metadata;
      const pair = pairs.find(({ zone, region }) => Object.hasOwn(labels, zone) && Object.hasOwn(labels, region));
      if (pair !== undefined && Object.hasOwn(annotations, provisioned)) {
        const known = { [pair.zone]: labels[pair.zone] ?? '', [pair.region]: labels[pair.region] ?? '' };
        const zones = zonesOf(known[pair.zone] ?? '');
        if (zones === undefined)
          throw refusal(request, `failed to convert label string for Zone: ${known[pair.zone]} to a Set`);
        return keptTo(volume, known, [
          { key: pair.zone, operator: 'In', values: zones },
          { key: pair.region, operator: 'In', values: [known[pair.region] ?? ''] },
        ]);
      }
      const disk = cloudDisks.map((find) => find(volume.spec ?? {})).find((found) => found !== undefined);
      if (disk === undefined || disk.id === beingMade) return volume;
      throw refusal(request, `error querying ${disk.shown} ${disk.id ?? ''}: unable to build ${disk.cloud}`);
    },
  };
}

/** Sorted, each once; undefined where one is empty. */
function zonesOf(text: string): readonly string[] | undefined {
  const zones = text.split(zoneDelimiter).map((zone) => zone.trim());
  return zones.includes('') ? undefined : [...new Set(zones)].sort();
}

/** The volume with labels, and with affinity to the nodes there unless it says something about that itself. */
function keptTo(volume: PersistentVolume, labels: Labels, requirements: readonly Requirement[]): PersistentVolume {
  const labelled = withMeta(volume, { labels: { ...volume.metadata.labels, ...labels } });
  const { nodeAffinity } = volume.spec ?? {};
  const given = nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const terms = given.length === 0 ? [{}] : given;
  const keys = new Set(requirements.map(({ key }) => key));
  if (terms.some(({ matchExpressions = [] }: Term) => matchExpressions.some(({ key }) => keys.has(key))))
    return labelled;
  const nodeSelectorTerms = terms.map((term: Term) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), ...requirements],
  }));
  const required = { ...nodeAffinity?.required, nodeSelectorTerms };
  return { ...labelled, spec: { ...labelled.spec, nodeAffinity: { ...nodeAffinity, required } } };
}
