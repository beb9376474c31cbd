// Strategic merge patch: a merge patch that knows from the schema which lists are merged by a key, with
// directives ($patch, $setElementOrder, $deleteFromPrimitiveList, $retainKeys) where that is not enough.

import { getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn, stringifyJson } from '../base/json.ts';
import type { Field, SchemaType } from '../schema/types.ts';
import { MalformedPatchError } from './json-patch.ts';

/** A directive or an item that cannot be carried out. */
export class UnusablePatchError extends Error {}

const orderPrefix = '$setElementOrder/';
const deletePrefix = '$deleteFromPrimitiveList/';

export function applyStrategicMergePatch(target: JsonValue, patch: JsonValue, type: SchemaType): JsonValue {
  if (!isJsonObject(patch)) throw new MalformedPatchError('a strategic merge patch is an object');
  return mergeObject(isJsonObject(target) ? target : {}, patch, type);
}

function mergeObject(target: JsonObject, patch: JsonObject, type: SchemaType | undefined): JsonObject {
  const directive = getOwn(patch, '$patch');
  if (directive === 'replace') return withoutDirectives(patch);
  if (directive === 'delete') return {};
  if (directive !== undefined) throw unknownDirective(directive);
  const result = retainKeys({ ...target }, patch);
  for (const key of Object.keys(patch)) if (!key.startsWith('$')) mergeField(result, key, patch, fieldOf(type, key));
  for (const key of Object.keys(patch)) if (key.startsWith('$')) applyListDirective(result, key, patch, type);
  return result;
}

function mergeField(result: JsonObject, key: string, patch: JsonObject, field: FieldView): void {
  const change = patch[key] as JsonValue;
  const current = getOwn(result, key);
  if (change === null) delete result[key];
  else if (Array.isArray(change))
    setOwn(result, key, mergeList(Array.isArray(current) ? current : [], change, field, patch, key));
  else if (!isJsonObject(change)) setOwn(result, key, change);
  else if (field.replaces) setOwn(result, key, withoutDirectives(change));
  else setOwn(result, key, mergeObject(isJsonObject(current) ? current : {}, change, field.type));
}

/** `$retainKeys` lists the only keys that survive; every key the patch sets must be among them. */
function retainKeys(target: JsonObject, patch: JsonObject): JsonObject {
  const retain = getOwn(patch, '$retainKeys');
  if (retain === undefined) return target;
  if (!Array.isArray(retain)) throw new MalformedPatchError('$retainKeys must be a list');
  const kept = new Set<JsonValue>(retain);
  const stray = Object.keys(patch).find((key) => !key.startsWith('$') && patch[key] !== null && !kept.has(key));
  if (stray !== undefined) throw new MalformedPatchError(`$retainKeys does not list ${stray}, which the patch sets`);
  return Object.fromEntries(Object.entries(target).filter(([key]) => kept.has(key)));
}

function mergeList(
  current: JsonValue[],
  change: JsonValue[],
  field: FieldView,
  patch: JsonObject,
  key: string,
): JsonValue[] {
  if (change.some((item) => isJsonObject(item) && getOwn(item, '$patch') === 'replace')) {
    return change.filter((item) => !(isJsonObject(item) && Object.hasOwn(item, '$patch')));
  }
  if (!field.merges) return change;
  const { mergeKey } = field;
  const merged = mergeKey === undefined ? mergeScalars(current, change) : mergeByKey(current, change, field, mergeKey);
  return inOrder(merged, orderOf(patch, key, mergeKey) ?? change, current, mergeKey);
}

/** What `$setElementOrder` says about a list; it may not contradict the patch of that list. */
function orderOf(patch: JsonObject, key: string, mergeKey: string | undefined): JsonValue[] | undefined {
  const order = getOwn(patch, orderPrefix + key);
  if (order === undefined) return undefined;
  if (!Array.isArray(order)) throw new MalformedPatchError(`${orderPrefix}${key} must be a list`);
  const identity = identityBy(mergeKey);
  const place = new Map(order.map((entry, index) => [identity(entry), index]));
  const change = getOwn(patch, key);
  const listed = Array.isArray(change) ? change.filter((item) => !isDeletion(item)) : [];
  const places = listed.map((item) => place.get(identity(item)) ?? -1);
  if (places.some((at, index) => at <= (places[index - 1] ?? -1))) {
    throw new UnusablePatchError(
      `The order in patch list: ${JSON.stringify(change)} doesn't match ${orderPrefix}${key}`,
    );
  }
  return order;
}

const isDeletion = (item: JsonValue) => isJsonObject(item) && getOwn(item, '$patch') === 'delete';

function mergeScalars(current: readonly JsonValue[], change: readonly JsonValue[]): JsonValue[] {
  return [...new Set([...current, ...change])];
}

function mergeByKey(
  current: readonly JsonValue[],
  change: readonly JsonValue[],
  field: FieldView,
  mergeKey: string,
): JsonValue[] {
  const list = new ItemsByKey(current, mergeKey);
  for (const item of change) {
    const key = keyOf(item, mergeKey);
    if (!isJsonObject(item) || key === undefined) {
      throw new UnusablePatchError(`map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`);
    }
    const directive = getOwn(item, '$patch');
    if (directive === 'delete') list.remove(key);
    else if (directive !== undefined) throw unknownDirective(directive);
    else list.change(key, (old) => mergeObject(isJsonObject(old) ? old : {}, item, field.type));
  }
  return list.items;
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
  change(key: JsonValue, next: (old: JsonValue | undefined) => JsonValue): void {
    const places = this.#placesOf(key);
    const [at = this.#items.length] = places;
    this.#items[at] = next(this.#items[at]);
    if (places.length === 0) places.push(at);
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

const identityBy = (mergeKey: string | undefined) => (item: JsonValue) =>
  mergeKey === undefined ? item : keyOf(item, mergeKey);

/**
 * Items that `order` names follow it; the others keep the order they had. Of one of each, the other one goes first only
 * where both were there before and it stood first.
 */
function inOrder(
  items: readonly JsonValue[],
  order: readonly JsonValue[],
  before: readonly JsonValue[],
  mergeKey: string | undefined,
): JsonValue[] {
  const identity = identityBy(mergeKey);
  const wanted = firstPlaces(order.map(identity));
  const was = firstPlaces(before.map(identity));
  const placeIn = (places: ReadonlyMap<unknown, number>, item: JsonValue) =>
    places.get(identity(item)) ?? Number.POSITIVE_INFINITY;
  const named = items
    .filter((item) => wanted.has(identity(item)))
    .sort((a, b) => placeIn(wanted, a) - placeIn(wanted, b));
  const others = items.filter((item) => !wanted.has(identity(item))).sort((a, b) => placeIn(was, a) - placeIn(was, b));
  const result: JsonValue[] = [];
  let next = 0;
  for (const item of named) {
    const before = was.get(identity(item)) ?? -1;
    while (next < others.length && placeIn(was, others[next] as JsonValue) < before)
      result.push(others[next++] as JsonValue);
    result.push(item);
  }
  return result.concat(others.slice(next));
}

function firstPlaces(keys: readonly unknown[]): Map<unknown, number> {
  const places = new Map<unknown, number>();
  keys.forEach((key, index) => {
    if (!places.has(key)) places.set(key, index);
  });
  return places;
}

function applyListDirective(result: JsonObject, key: string, patch: JsonObject, type: SchemaType | undefined): void {
  if (key.startsWith(deletePrefix)) deleteFromList(result, key.slice(deletePrefix.length), patch[key]);
  else if (key.startsWith(orderPrefix)) orderList(result, key.slice(orderPrefix.length), patch, type);
  else if (key === '$setElementOrder') throw new UnusablePatchError(`${key} needs the name of a list`);
}

function deleteFromList(result: JsonObject, name: string, gone: JsonValue | undefined): void {
  if (!Array.isArray(gone)) throw new MalformedPatchError(`${deletePrefix}${name} must be a list`);
  const current = getOwn(result, name);
  if (!Array.isArray(current)) return;
  const texts = new Set(gone.map((item) => stringifyJson(item)));
  const left = current.filter((item) => !texts.has(stringifyJson(item)));
  setOwn(result, name, left);
}

/** Orders a list that the patch does not change otherwise. */
function orderList(result: JsonObject, name: string, patch: JsonObject, type: SchemaType | undefined): void {
  const field = fieldOf(type, name);
  if (!field.merges) throw new MalformedPatchError(`${orderPrefix}${name}: ${name} is not a list that can be ordered`);
  const order = orderOf(patch, name, field.mergeKey);
  const current = getOwn(result, name);
  if (order !== undefined && Array.isArray(current) && getOwn(patch, name) === undefined) {
    setOwn(result, name, inOrder(current, order, current, field.mergeKey));
  }
}

function withoutDirectives(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith('$')));
}

function unknownDirective(directive: JsonValue): UnusablePatchError {
  return new UnusablePatchError(`Unknown patch type: ${JSON.stringify(directive)}`);
}

/** What the schema says about merging a field. */
interface FieldView {
  /** Type of the field's elements, for lists and maps, or of the field itself. */
  readonly type: SchemaType | undefined;
  readonly merges: boolean;
  readonly replaces: boolean;
  readonly mergeKey: string | undefined;
}

const unknownField: FieldView = { type: undefined, merges: false, replaces: false, mergeKey: undefined };

function fieldOf(type: SchemaType | undefined, name: string): FieldView {
  if (type?.is === 'map') return { ...unknownField, type: type.of };
  if (type?.is !== 'struct') return unknownField;
  const field = type.fields.find((candidate) => candidate.name === name);
  return field === undefined ? unknownField : viewOf(field);
}

function viewOf({ type, patchStrategy, patchMergeKey }: Field): FieldView {
  return {
    type: type.is === 'list' ? type.of : type,
    merges: patchStrategy === 'merge' || patchStrategy === 'merge,retainKeys',
    replaces: patchStrategy === 'replace',
    mergeKey: patchMergeKey,
  };
}
