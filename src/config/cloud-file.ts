// The file of --cloud-config: where the disks of clouds are.

import {
  type CloudSource,
  cloudSources,
  type LocateVolume,
  namesOf,
  type VolumePlace,
} from '../admission/plugins/volume-places.ts';
import { JsonFields } from '../base/json/json-fields.ts';
import { parseYaml } from '../codec/body.ts';
import { OptionError } from './option-error.ts';
import { readOptionFile } from './option-file.ts';

const option = 'cloudConfigFile';

/** The places of the disks of one source. */
interface SourcePlaces {
  readonly byName: Map<string, VolumePlace>;
  /** The place of all that are not listed. */
  others?: VolumePlace;
}

/** Reads the file once. Throws an OptionError for a file that cannot be used. */
export async function openCloudFile(path: string): Promise<LocateVolume> {
  const places = new Map<CloudSource, SourcePlaces>();
  try {
    const root = JsonFields.of((await parseYaml(readOptionFile(option, path))).value, '');
    refuseUnknown(root, ['volumes']);
    if (!root.has('volumes')) throw new Error('volumes: must be a list of places');
    for (const entry of root.objects('volumes')) addEntry(places, entry);
  } catch (error) {
    throw error instanceof OptionError ? error : new OptionError(`${option}: ${path}: ${(error as Error).message}`);
  }
  return (disk) => {
    const { byName, others } = places.get(disk.source) ?? {};
    const name = namesOf(disk).find((one) => byName?.has(one));
    return name === undefined ? others : byName?.get(name);
  };
}

function addEntry(places: Map<CloudSource, SourcePlaces>, entry: JsonFields): void {
  refuseUnknown(entry, ['source', 'ids', 'zones', 'region']);
  const source = cloudSources.find((name) => name === entry.text('source'));
  if (source === undefined) throw new Error(`${entry.at('source')}: must be one of ${cloudSources.join(', ')}`);
  const place = placeOf(entry);
  const ofSource = places.get(source) ?? { byName: new Map<string, VolumePlace>() };
  places.set(source, ofSource);
  if (!entry.has('ids')) {
    if (ofSource.others !== undefined) throw new Error(`${entry.path}: a second entry for all disks of ${source}`);
    ofSource.others = place;
    return;
  }
  for (const id of entry.texts('ids')) {
    if (ofSource.byName.has(id)) throw new Error(`${entry.at('ids')}: ${JSON.stringify(id)} is listed twice`);
    ofSource.byName.set(id, place);
  }
}

function placeOf(entry: JsonFields): VolumePlace {
  const zones = entry.texts('zones');
  const region = entry.text('region');
  const wrong = zones.find((zone) => zone === '' || zone.includes('__'));
  if (wrong !== undefined) throw new Error(`${entry.at('zones')}: ${JSON.stringify(wrong)} is no name of a zone`);
  if (zones.length === 0 && region === '') throw new Error(`${entry.path}: needs zones or a region`);
  return { ...(zones.length === 0 ? {} : { zones }), ...(region === '' ? {} : { region }) };
}

function refuseUnknown(fields: JsonFields, names: readonly string[]): void {
  const unknown = fields.names.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`${fields.at(unknown)}: unknown field, use ${names.join(', ')}`);
}
