// Strategic merge patch: a merge patch that knows from the schema which lists are merged by a key, with
// directives ($patch, $setElementOrder, $deleteFromPrimitiveList, $retainKeys) where that is not enough.

import { getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn, stringifyJson } from '../base/json/json.ts';
import type { Field, SchemaType } from '../schema/types.ts';
import { goPlain, goText, goTypeName } from '../wording/go-format.ts';
import { jsonForm } from '../wording/type-mismatch.ts';
import { MalformedPatchError, PatchFailedError } from './json-patch.ts';
import { PatchWork } from './patch-work.ts';

/** A directive or an item that cannot be carried out. */
export class UnusablePatchError extends Error {}

const orderDirective = '$setElementOrder';
const deleteDirective = '$deleteFromPrimitiveList';
const retainDirective = '$retainKeys';

/** To merge an item or a key takes as long as to look at so many values. */
const unitsPerMember = 25;

/** Without a type no list is merged. */
export function applyStrategicMergePatch(
  target: JsonValue,
  patch: JsonValue,
  type: SchemaType | undefined,
  work = new PatchWork(),
): JsonValue {
  if (patch === null) return target;
  if (!isJsonObject(patch)) {
    throw new MalformedPatchError(`json: cannot unmarshal ${jsonForm(patch)} into Go value of type ${goTypeName({})}`);
  }
  return mergeObjects(isJsonObject(target) ? target : {}, patch, type, work);
}

function mergeObjects(
  target: JsonObject,
  patch: JsonObject,
  type: SchemaType | undefined,
  work: PatchWork,
): JsonObject {
  const directive = getOwn(patch, '$patch');
  if (directive === 'replace') return withoutMarker(patch);
  if (directive === 'delete') return {};
  if (directive !== undefined) throw unknownDirective(directive, patch);
  const result = retainKeys({ ...target }, patch);
  const keys = Object.keys(patch);
  work.spend((Object.keys(target).length + keys.length) * unitsPerMember);
  const ordered = new Set<string>();
  for (const key of keys) if (key.startsWith(orderDirective)) ordered.add(mergeOrdered(result, key, patch, type, work));
  for (const key of keys)
    if (!isListDirective(key) && !ordered.has(key)) mergeField(result, key, patch[key] as JsonValue, type, work);
  for (const key of keys) if (key.startsWith(deleteDirective)) deleteFromList(result, key, patch[key] as JsonValue);
  return result;
}

const isListDirective = (key: string): boolean =>
  key === retainDirective || key.startsWith(orderDirective) || key.startsWith(deleteDirective);

function mergeField(
  result: JsonObject,
  key: string,
  change: JsonValue,
  type: SchemaType | undefined,
  work: PatchWork,
): void {
  const current = getOwn(result, key);
  if (change === null) delete result[key];
  else if (Array.isArray(change) && Array.isArray(current)) {
    const field = listFieldOf(type, key);
    setOwn(result, key, field.merges ? mergeLists(current, change, field, work) : change);
  } else if (isJsonObject(change) && isJsonObject(current)) {
    const field = knownField(type, key);
    setOwn(result, key, field.replaces ? change : mergeObjects(current, change, field.type, work));
  } else setTaken(result, key, change);
}

/** Where there is nothing to merge with, a value is taken as it is, as far as it sets something. */
function setTaken(result: JsonObject, key: string, change: JsonValue): void {
  const value = withoutDirectives(change);
  if (value === undefined) delete result[key];
  else setOwn(result, key, value);
}

/** A new value without directives; undefined if nothing is left. */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, '$patch')) return undefined;
  const result: JsonObject = {};
  for (const key of Object.keys(value)) if (value[key] !== null) setTaken(result, key, value[key] as JsonValue);
  return result;
}

/** Nulls remove, and of a new value there is nothing to remove. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value))
    if (value[key] !== null) setOwn(result, key, withoutNulls(value[key] as JsonValue));
  return result;
}

/** `$retainKeys` lists the only keys that survive; every key the patch sets must be among them. */
function retainKeys(target: JsonObject, patch: JsonObject): JsonObject {
  const retain = getOwn(patch, retainDirective);
  if (retain === undefined) return target;
  if (!Array.isArray(retain)) throw new MalformedPatchError('invalid patch format of retainKeys');
  const retained = new Set<JsonValue>(retain);
  const stray = Object.keys(patch).find((key) => !isListDirective(key) && patch[key] !== null && !retained.has(key));
  if (stray !== undefined) throw new MalformedPatchError('invalid patch format of retainKeys');
  return Object.fromEntries(Object.entries(target).filter(([key]) => retained.has(key)));
}

function mergeLists(current: JsonValue[], change: JsonValue[], field: FieldView, work: PatchWork): JsonValue[] {
  const merged = mergeItems(current, change, field, work);
  return isReplacement(change) ? merged : inOrder(merged, change, current, field.mergeKey);
}

const isReplacement = (change: readonly JsonValue[]): boolean =>
  change.some((item) => isJsonObject(item) && getOwn(item, '$patch') === 'replace');

/** Both lists in one, not yet in order. */
function mergeItems(current: JsonValue[], change: JsonValue[], field: FieldView, work: PatchWork): JsonValue[] {
  if (current.length + change.length === 0) return current;
  work.spend((current.length + change.length) * unitsPerMember);
  const isScalar = checkItems(current, change) !== 'object';
  if (isScalar) return mergeScalars(current, change);
  if (field.mergeKey === undefined) throw new UnusablePatchError('cannot merge lists without merge key');
  return mergeByKey(current, change, { ...field, mergeKey: field.mergeKey }, work);
}

/** The type that all items have; lists that merge hold no lists. */
function checkItems(current: readonly JsonValue[], change: readonly JsonValue[]): string {
  const [first] = current.length > 0 ? current : change;
  if (Array.isArray(first)) throw new PatchFailedError('lists of lists are not supported');
  const isOther = (item: JsonValue) => typeOf(item) !== typeOf(first);
  if (current.some(isOther) || change.some(isOther))
    throw new UnusablePatchError(`list element types are not identical: ${goPlain([current, change])}`);
  return typeOf(first);
}

const typeOf = (item: JsonValue | undefined): string =>
  item === null ? 'null' : Array.isArray(item) ? 'list' : typeof item;

/** `$setElementOrder` and the patch of the list it names, which is returned. */
function mergeOrdered(
  result: JsonObject,
  key: string,
  patch: JsonObject,
  type: SchemaType | undefined,
  work: PatchWork,
): string {
  const order = patch[key];
  if (!Array.isArray(order)) throw notTheType([], order);
  const name = listName(key, orderDirective);
  const current = listOrNothing(getOwn(result, name));
  const change = listOrNothing(getOwn(patch, name));
  const field = listFieldOf(type, name);
  checkOrder(change ?? [], order, field.mergeKey);
  if (current === undefined && change === undefined) return name;
  const both = joinLists(current, change, field, work);
  if (field.mergeKey !== undefined) checkEntries(both, order, field.mergeKey);
  setOwn(result, name, inOrder(both, order, current ?? [], field.mergeKey));
  return name;
}

/** A field that an order can be about. compat: what is behind a pointer counts as one */
function listFieldOf(type: SchemaType | undefined, name: string): FieldView {
  const field = knownField(type, name);
  if (field.isList || field.isPointer || type === undefined) return field;
  throw new UnusablePatchError('expected slice or array type, but got: struct');
}

/** compat: nothing can be merged into the members of a value that is taken as it is, or of a map */
function knownField(type: SchemaType | undefined, name: string): FieldView {
  if (type === undefined) return unknownField;
  if (type.is === 'map')
    throw new UnusablePatchError('merging an object in json but data type is not struct, instead is: map');
  const field = type.is === 'struct' ? type.fields.find((candidate) => candidate.name === name) : undefined;
  if (field !== undefined) return viewOf(field);
  const struct = type.is === 'list' ? '' : (opaqueStructs[type.name] ?? type.name);
  throw new UnusablePatchError(
    `unable to find api field in struct ${struct} for the json field ${JSON.stringify(name)}`,
  );
}

/** What messages call values whose members no type names. */
const opaqueStructs: Readonly<Record<string, string>> = {
  'raw-extension': 'RawExtension',
  'any-json': 'JSON',
  'fields-v1': 'FieldsV1',
};

function joinLists(
  current: JsonValue[] | undefined,
  change: JsonValue[] | undefined,
  field: FieldView,
  work: PatchWork,
): JsonValue[] {
  if (change === undefined) return current ?? [];
  if (current === undefined) return withoutDirectives(change) as JsonValue[];
  return field.merges ? mergeItems(current, change, field, work) : change;
}

const listKinds: Readonly<Record<string, string>> = {
  [orderDirective]: 'setElementOrder list',
  [deleteDirective]: 'primitive list',
};

function notTheType(expected: JsonValue, found: JsonValue | undefined): UnusablePatchError {
  const name = found === null ? goText(found) : goTypeName(found);
  return new UnusablePatchError(`expected a ${goTypeName(expected)}, but received a ${name}`);
}

function listName(key: string, directive: string): string {
  if (!key.startsWith(`${directive}/`))
    throw new MalformedPatchError(`invalid patch format of ${listKinds[directive]}`);
  return key.slice(directive.length + 1);
}

function listOrNothing(value: JsonValue | undefined): JsonValue[] | undefined {
  if (value === undefined || Array.isArray(value)) return value;
  throw notTheType([], value);
}

/** The order may not contradict the patch of the list. */
function checkOrder(change: readonly JsonValue[], order: readonly JsonValue[], mergeKey: string | undefined): void {
  if (order.length === 0) return;
  const items = change.filter((item) => !hasDirective(item));
  let at = 0;
  for (const entry of order) if (at < items.length && isSameItem(items[at] as JsonValue, entry, mergeKey)) at++;
  if (at < items.length) {
    throw new UnusablePatchError(
      `The order in patch list:\n${goPlain(change)}\n doesn't match ${orderDirective} list:\n${goPlain(order)}\n`,
    );
  }
}

function isSameItem(item: JsonValue, entry: JsonValue, mergeKey: string | undefined): boolean {
  if (mergeKey === undefined) return item === entry;
  return keyOfMember(item, mergeKey) === keyOfMember(entry, mergeKey);
}

function keyOfMember(item: JsonValue, mergeKey: string): JsonValue {
  if (!isJsonObject(item)) throw notTheType({}, item);
  return needKey(item, mergeKey);
}

/** Each item is looked for in the order, whose entries then all need a key. */
function checkEntries(items: readonly JsonValue[], order: readonly JsonValue[], mergeKey: string): void {
  const firstInvalid = order.findIndex((entry) => !isJsonObject(entry));
  const before = new Set(
    order.slice(0, firstInvalid < 0 ? order.length : firstInvalid).map((entry) => keyOf(entry, mergeKey)),
  );
  for (const item of items)
    if (!before.has(keyOfMember(item, mergeKey)) && firstInvalid >= 0)
      throw new UnusablePatchError(`value for key ${firstInvalid} is not a map`);
  if (items.length > 0) for (const entry of order) keyOfMember(entry, mergeKey);
}

const hasDirective = (item: JsonValue): boolean => isJsonObject(item) && Object.hasOwn(item, '$patch');

function mergeScalars(current: readonly JsonValue[], change: readonly JsonValue[]): JsonValue[] {
  return [...new Set([...current, ...change])];
}

function mergeByKey(
  current: readonly JsonValue[],
  change: readonly JsonValue[],
  { mergeKey, type }: FieldView & { readonly mergeKey: string },
  work: PatchWork,
): JsonValue[] {
  const list = new ItemsByKey(current, mergeKey);
  const plain = change.filter((item) => !hasDirective(item)) as JsonObject[];
  for (const item of change) if (hasDirective(item)) carryOut(list, item as JsonObject, mergeKey);
  if (isReplacement(change)) return plain;
  for (const item of plain) {
    const key = needKey(item, mergeKey);
    const old = list.get(key);
    list.set(key, isJsonObject(old) ? mergeObjects(old, item, type, work) : withoutNulls(item));
  }
  return list.items;
}

/** Directives come before everything else in a list, wherever they stand. */
function carryOut(list: ItemsByKey, item: JsonObject, mergeKey: string): void {
  const directive = getOwn(item, '$patch') as JsonValue;
  if (directive === 'delete') list.remove(needKey(item, mergeKey));
  else if (directive === 'merge') throw new UnusablePatchError('merging lists cannot yet be specified in the patch');
  else if (directive !== 'replace') throw unknownDirective(directive, item);
}

function needKey(item: JsonObject, mergeKey: string): JsonValue {
  const key = getOwn(item, mergeKey);
  if (key !== undefined) return key;
  throw new UnusablePatchError(`map: ${goPlain(item)} does not contain declared merge key: ${mergeKey}`);
}

/** A list whose items are found by key without looking at all of them. */
class ItemsByKey {
  readonly #items: (JsonValue | undefined)[];
  readonly #places = new Map<JsonValue, number[]>();

  constructor(items: readonly JsonValue[], mergeKey: string) {
    this.#items = [...items];
    items.forEach((item, index) => {
      const key = keyOf(item, mergeKey);
      if (key !== undefined) this.#placesOf(key).push(index);
    });
  }

  get items(): JsonValue[] {
    return this.#items.filter((item) => item !== undefined);
  }

  /** A key that is not unique stands for the first item that has it. */
  get(key: JsonValue): JsonValue | undefined {
    const at = this.#places.get(key)?.[0];
    return at === undefined ? undefined : this.#items[at];
  }

  set(key: JsonValue, item: JsonValue): void {
    const places = this.#placesOf(key);
    if (places.length === 0) places.push(this.#items.length);
    this.#items[places[0] as number] = item;
  }

  remove(key: JsonValue): void {
    for (const at of this.#placesOf(key)) this.#items[at] = undefined;
    this.#places.delete(key);
  }

  #placesOf(key: JsonValue): number[] {
    const places = this.#places.get(key) ?? [];
    this.#places.set(key, places);
    return places;
  }
}

const keyOf = (item: JsonValue, mergeKey: string) => (isJsonObject(item) ? getOwn(item, mergeKey) : undefined);

/** A key that is null in the patch is absent in the merged item. */
const identityBy = (mergeKey: string | undefined) => (item: JsonValue) =>
  mergeKey === undefined ? item : (keyOf(item, mergeKey) ?? null);

/**
 * Items that `order` names follow it; the others keep their order. Of one of each, the other one is placed first only
 * where both were there before and it stood first.
 */
function inOrder(
  items: readonly JsonValue[],
  order: readonly JsonValue[],
  before: readonly JsonValue[],
  mergeKey: string | undefined,
): JsonValue[] {
  const identity = identityBy(mergeKey);
  const { named, known, fresh } = placeItems(items, placesOf(order, identity), placesOf(before, identity), identity);
  // compat: new items that an order does not name come before all others, the last one first
  const others = [...fresh.reverse(), ...known.sort(byPlace)];
  const result: JsonValue[] = [];
  let next = 0;
  for (const { item, was } of named.sort(byPlace)) {
    while (next < others.length && (others[next] as Placed).was < was) result.push((others[next++] as Placed).item);
    result.push(item);
  }
  return result.concat(others.slice(next).map(({ item }) => item));
}

/** An item with its place in the order, or else in the list before, and the one that it had in the list before. */
interface Placed {
  readonly item: JsonValue;
  readonly at: number;
  readonly was: number;
}

const byPlace = (a: Placed, b: Placed) => a.at - b.at;

type Identity = (item: JsonValue) => unknown;

/** Items that the order names, others that were there before, and new ones. */
function placeItems(
  items: readonly JsonValue[],
  order: ReadonlyMap<unknown, number>,
  before: ReadonlyMap<unknown, number>,
  identity: Identity,
): Record<'named' | 'known' | 'fresh', Placed[]> {
  const placed = { named: [] as Placed[], known: [] as Placed[], fresh: [] as Placed[] };
  for (const item of items) {
    const key = identity(item);
    const [at, was] = [order.get(key), before.get(key)];
    if (at !== undefined) placed.named.push({ item, at, was: was ?? -1 });
    else if (was !== undefined) placed.known.push({ item, at: was, was });
    else placed.fresh.push({ item, at: Number.POSITIVE_INFINITY, was: Number.POSITIVE_INFINITY });
  }
  return placed;
}

/** Where each item first stands. */
function placesOf(items: readonly JsonValue[], identity: Identity): ReadonlyMap<unknown, number> {
  const firstIndex = new Map<unknown, number>();
  for (const [index, item] of items.entries()) {
    const key = identity(item);
    if (!firstIndex.has(key)) firstIndex.set(key, index);
  }
  return firstIndex;
}

function deleteFromList(result: JsonObject, key: string, removed: JsonValue): void {
  const name = listName(key, deleteDirective);
  const current = getOwn(result, name);
  if (removed === null) delete result[name];
  if (!Array.isArray(removed) || !Array.isArray(current)) return;
  if (current.length + removed.length > 0) checkItems(current, removed);
  const texts = new Set(removed.map((item) => stringifyJson(item)));
  const left = current.filter((item) => !texts.has(stringifyJson(item)));
  setOwn(result, name, left);
}

function withoutMarker(value: JsonObject): JsonObject {
  const { $patch: _, ...rest } = value;
  return rest;
}

function unknownDirective(directive: JsonValue, patch: JsonObject): UnusablePatchError {
  return new UnusablePatchError(`unknown patch type: ${goText(directive)} in map: ${goPlain(patch)}`);
}

/** How the schema merges a field. */
interface FieldView {
  /** Type of the field's elements, for lists and maps, or of the field itself. */
  readonly type: SchemaType | undefined;
  readonly isList: boolean;
  readonly isPointer: boolean;
  readonly merges: boolean;
  readonly replaces: boolean;
  readonly mergeKey: string | undefined;
}

const unknownField: FieldView = {
  type: undefined,
  isList: false,
  isPointer: false,
  merges: false,
  replaces: false,
  mergeKey: undefined,
};

function viewOf({ type, pointer, patchStrategy, patchMergeKey }: Field): FieldView {
  return {
    type: type.is === 'list' ? type.of : type,
    isList: type.is === 'list',
    isPointer: pointer === true,
    merges: patchStrategy === 'merge' || patchStrategy === 'merge,retainKeys',
    replaces: patchStrategy === 'replace',
    mergeKey: patchMergeKey,
  };
}
