// Who owns which fields: metadata.managedFields as the engine sees it.

import { isJsonObject, stringifyJson } from '../../base/json/json.ts';
import { parseJsonText } from '../../base/json/json-scan.ts';
import { rememberText } from '../../base/json/json-texts.ts';
import { RecentMap } from '../../base/maps/recent-map.ts';
import { MalformedElementError } from '../fields/element.ts';
import { inOrder } from '../fields/field-order.ts';
import { emptySet, type FieldSet, isEmpty, parseFieldSet, unionOf } from '../fields/field-set.ts';

export type Operation = 'Apply' | 'Update';

/** Names a manager. A manager that applies is the same in every version. */
export interface ManagerName {
  readonly manager: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

export interface Manager extends ManagerName {
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** The entry of managedFields that says just this; undefined until one is written. */
  readonly wire: object | undefined;
}

/** An entry for a manager. One way to make them keeps them of one shape, which is fast. */
export function ownerOf(name: ManagerName, time: string | undefined, fields: FieldSet, wire?: object): Manager {
  const { manager, operation, apiVersion, subresource } = name;
  return { manager, operation, apiVersion, subresource, time, fields, wire };
}

/** The entry after its manager wrote; the same one where it wrote the same within a second. */
export function rewritten(entry: Manager, by: ManagerName, now: string | undefined, fields: FieldSet): Manager {
  const isSame = entry.time === now && entry.apiVersion === by.apiVersion && entry.fields === fields;
  return isSame ? entry : ownerOf(by, now, fields);
}

export function isSameManager(a: ManagerName, b: ManagerName): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.subresource === b.subresource &&
    (a.operation === 'Apply' || a.apiVersion === b.apiVersion)
  );
}

/** Equal for the same manager, different for others. */
const identityOf = ({ manager, operation, apiVersion, subresource }: ManagerName): string =>
  JSON.stringify([manager, operation, subresource, operation === 'Apply' ? '' : apiVersion]);

/**
 * What a stored object says. Undefined when it cannot be understood: then no field has an owner.
 * Of several entries for one manager the last counts.
 */
export function readManagers(managedFields: readonly unknown[] | undefined): Manager[] | undefined {
  const managers = readEntries(managedFields);
  if (managers === undefined || !hasRepeated(managers)) return managers;
  return [...new Map(managers.map((one) => [identityOf(one), one])).values()];
}

/** Most objects have so few that comparing them all costs next to nothing. */
const few = 8;

function hasRepeated(managers: readonly Manager[]): boolean {
  if (managers.length > few) return new Set(managers.map(identityOf)).size < managers.length;
  return managers.some((one, index) => managers.findIndex((other) => isSameManager(other, one)) < index);
}

function readEntries(managedFields: readonly unknown[] | undefined): Manager[] | undefined {
  const managers: Manager[] = [];
  for (const entry of managedFields ?? []) {
    if (!isJsonObject(entry)) return undefined;
    const { manager = '', operation, apiVersion, subresource = '', time, fieldsType, fieldsV1 } = entry;
    if ((operation !== 'Apply' && operation !== 'Update') || fieldsType !== 'FieldsV1') return undefined;
    if (typeof apiVersion !== 'string' || apiVersion === '') return undefined;
    const name = { manager: manager as string, operation, apiVersion, subresource: subresource as string } as const;
    const fields = (fieldsV1 ?? emptySet) as unknown as FieldSet;
    managers.push(ownerOf(name, typeof time === 'string' ? time : undefined, fields, entry));
  }
  return managers;
}

/** What a client says: as above, with every path checked and spelled our way. */
export function readForeignManagers(managedFields: readonly unknown[] | undefined): Manager[] | undefined {
  const sent = readEntries(managedFields);
  if (sent === undefined) return undefined;
  // of several entries for one manager the last counts
  const managers = new Map<string, Manager>();
  try {
    for (const entry of sent) managers.set(identityOf(entry), ownerOf(entry, entry.time, parseFieldSet(entry.fields)));
  } catch (error) {
    if (error instanceof MalformedElementError) return undefined;
    throw error;
  }
  return [...managers.values()];
}

/** As metadata.managedFields; undefined when no field has an owner, and `before` where that says the same. */
export function writeManagers(
  managers: readonly Manager[],
  before: readonly unknown[] = [],
): readonly unknown[] | undefined {
  const owning = managers.filter(({ fields }) => !isEmpty(fields));
  if (owning.length === 0) return undefined;
  if (!isInWireOrder(owning)) owning.sort(inWireOrder);
  const isSame = owning.length === before.length && owning.every(({ wire }, index) => wire === before[index]);
  if (isSame) return before;
  return owning.map((entry) => entry.wire ?? wireEntry(entry));
}

const wireEntry = (entry: Manager): object => orderedEntry(entry, entry.time, inOrder(entry.fields));

/** Most entries have a name, a time and no subresource; none of the others is worth a test on the way. */
function orderedEntry(by: ManagerName, time: string | undefined, fieldsV1: FieldSet): object {
  const { manager, operation, apiVersion, subresource } = by;
  if (time !== undefined && subresource === '' && manager !== '') {
    return { manager, operation, apiVersion, time, fieldsType, fieldsV1 };
  }
  const when = time === undefined ? {} : { time };
  const through = subresource === '' ? {} : { subresource };
  const named = manager === '' ? {} : { manager };
  return { ...named, operation, apiVersion, ...when, fieldsType, fieldsV1, ...through };
}

/** Most objects of one client have equal fields: their sets are shared. Sets with longer texts are not. */
const recentSets = new RecentMap<FieldSet>(128);
const maxKeptUnits = 8 * 1024;

/** An entry from the text of its fields. */
export function writtenEntry(by: ManagerName, time: string | undefined, fieldsText: string): object {
  const entry = orderedEntry(by, time, recentSets.get(fieldsText) ?? readSet(fieldsText));
  // names cannot contain the mark: JSON escapes quotes inside strings
  const around = stringifyJson(orderedEntry(by, time, emptySet));
  const at = around.indexOf(noFields) + noFields.length;
  rememberText(entry, `${around.slice(0, at)}${fieldsText}${around.slice(at + 2)}`);
  return entry;
}

function readSet(text: string): FieldSet {
  const fields = parseJsonText(text) as unknown as FieldSet;
  if (text.length <= maxKeptUnits) recentSets.set(text, fields);
  return fields;
}

const noFields = '"fieldsV1":';

const fieldsType = 'FieldsV1';

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** As they mostly are; sorting would copy them first. */
function isInWireOrder(managers: readonly Manager[]): boolean {
  for (let i = 1; i < managers.length; i++)
    if (inWireOrder(managers[i - 1] as Manager, managers[i] as Manager) > 0) return false;
  return true;
}

/** Those who apply first, then by age; RFC 3339 in UTC sorts as text. */
function inWireOrder(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? '', b.time ?? '') ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** How many entries of updates an object keeps. */
const maxUpdateManagers = 10;
const mergedName = 'ancient-changes';

/** Merges the oldest updates of a version into one entry until few enough are left. */
export function capUpdates(managers: readonly Manager[]): readonly Manager[] {
  if (managers.length <= maxUpdateManagers) return managers;
  const updates = managers.filter(({ operation }) => operation === 'Update');
  let excess = updates.length - maxUpdateManagers;
  if (excess <= 0) return managers;
  const versions = new Map<string, { readonly first: Manager; readonly merged: Manager[] }>();
  for (const entry of updates.sort(byAge)) {
    if (excess <= 0) break;
    const version = versions.get(entry.apiVersion);
    if (version === undefined) versions.set(entry.apiVersion, { first: entry, merged: [] });
    else if (version.merged.push(entry)) excess--;
  }
  const left = new Set(managers);
  for (const { first, merged } of versions.values()) if (merged.length > 0) mergeAncient(left, first, merged);
  return [...left];
}

/** `merged` become part of the entry that an earlier merge made of others, or of the `first` one. */
function mergeAncient(left: Set<Manager>, first: Manager, merged: readonly Manager[]): void {
  for (const entry of merged) left.delete(entry);
  const { apiVersion } = first;
  const name = { manager: mergedName, operation: 'Update', apiVersion, subresource: '' } as const;
  const former = [...left].find((entry) => isSameManager(entry, name)) ?? first;
  left.delete(former);
  const fields = unionOf([former, ...merged].map((entry) => entry.fields));
  left.add(ownerOf(name, merged.at(-1)?.time, fields));
}

const byAge = (a: Manager, b: Manager) => compareText(a.time ?? '', b.time ?? '') || compareText(a.manager, b.manager);
