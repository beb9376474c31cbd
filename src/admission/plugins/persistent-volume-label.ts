// PersistentVolumeLabel: volumes get labels with their zone and region, and are used there only. The server trusts the labels
// of volumes that were provisioned. Of other disks of clouds it asks those who know, and then the id of the disk.

import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { PersistentVolume } from '../../groups/core/v1/volume/persistent-volume-type.ts';
import { topologyLabel } from '../../meta/dialect.ts';
import { type Labels, withMeta } from '../../meta/object.ts';
import type { AdmissionEngines, PluginSettings } from '../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, creates, objectsOf, refusal } from '../plugin.ts';
import {
  type CloudDisk,
  cloudDiskOf,
  cloudOf,
  placeInId,
  shownDisk,
  type VolumePlace,
  withRegion,
} from './volume-places.ts';

type Spec = NonNullable<PersistentVolume['spec']>;
type Term = NonNullable<NonNullable<NonNullable<Spec['nodeAffinity']>['required']>['nodeSelectorTerms']>[number];
type Requirement = NonNullable<Term['matchExpressions']>[number];

/** Between the zones of a disk that is in several. */
const zoneDelimiter = '__';

interface Keys {
  readonly zone: string;
  readonly region: string;
}

type Engines = Pick<AdmissionEngines, 'dialect'> & { readonly settings: Pick<PluginSettings, 'locateVolume'> };

export function persistentVolumeLabel({ dialect, settings: { locateVolume } }: Engines): AdmissionPlugin {
  const older = (name: string) => `failure-domain.beta.${dialect.labelDomain}/${name}`;
  const keys: Keys = { zone: topologyLabel(dialect, 'zone'), region: topologyLabel(dialect, 'region') };
  const trustedKeys: readonly Keys[] = [keys, { zone: older('zone'), region: older('region') }];
  const provisioned = `pv.${dialect.labelDomain}/provisioned-by`;
  return {
    name: 'PersistentVolumeLabel',
    operations: creates,
    covers: objectsOf('', 'persistentvolumes'),
    mutate(request) {
      const volume = request.object as PersistentVolume;
      const { annotations = {}, labels = {} } = volume.metadata;
      const trusted = trustedKeys.find(
        ({ zone, region }) => Object.hasOwn(labels, zone) && Object.hasOwn(labels, region),
      );
      if (trusted !== undefined && Object.hasOwn(annotations, provisioned))
        return kept(request, trusted, { zone: labels[trusted.zone] ?? '', region: labels[trusted.region] ?? '' });
      const disk = cloudDiskOf(volume);
      if (disk === undefined) return volume;
      return andThen(located(request, disk), ({ zones, region }) =>
        kept(request, keys, { zone: zones?.join(zoneDelimiter), region }),
      );
    },
  };

  async function located(request: AdmissionRequest, disk: CloudDisk): Promise<VolumePlace> {
    try {
      const place = (await locateVolume?.(disk, request.signal)) ?? placeInId(disk);
      if (place !== undefined) return withRegion(disk, sorted(place));
      throw new Error(
        locateVolume === undefined ? `unable to build ${cloudOf(disk)}` : 'the cloud configuration has no zone of it',
      );
    } catch (error) {
      throw refusal(request, `error querying ${shownDisk(disk)}: ${(error as Error).message}`);
    }
  }
}

const sorted = (place: VolumePlace): VolumePlace =>
  place.zones === undefined ? place : { ...place, zones: [...new Set(place.zones)].sort() };

interface Values {
  readonly zone: string | undefined;
  readonly region: string | undefined;
}

/** The volume with labels, and with affinity to the nodes there. */
function kept(request: AdmissionRequest, keys: Keys, { zone, region }: Values): MaybePromise<PersistentVolume> {
  const zones = zone === undefined ? [] : zonesOf(zone);
  if (zones === undefined) throw refusal(request, `failed to convert label string for Zone: ${zone} to a Set`);
  const labels = {
    ...(zone === undefined ? {} : { [keys.zone]: zone }),
    ...(region === undefined ? {} : { [keys.region]: region }),
  };
  return keptTo(request.object as PersistentVolume, labels, [
    ...(zone === undefined ? [] : [{ key: keys.zone, operator: 'In', values: zones }]),
    ...(region === undefined ? [] : [{ key: keys.region, operator: 'In', values: [region] }]),
  ]);
}

/** Sorted, each once; undefined where one is empty. */
function zonesOf(text: string): readonly string[] | undefined {
  const zones = text.split(zoneDelimiter).map((zone) => zone.trim());
  return zones.includes('') ? undefined : [...new Set(zones)].sort();
}

/** The volume with labels, and with affinity to the nodes there unless it says something about that itself. */
function keptTo(volume: PersistentVolume, labels: Labels, requirements: readonly Requirement[]): PersistentVolume {
  const labelled = withMeta(volume, { labels: { ...volume.metadata.labels, ...labels } });
  if (requirements.length === 0) return volume;
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
