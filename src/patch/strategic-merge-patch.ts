// Strategic merge patch: a merge patch that knows from the schema which lists are merged by a key, with
// directives ($patch, $setElementOrder, $deleteFromPrimitiveList, $retainKeys) where that is not enough.

import { isDeepStrictEqual } from 'node:util';
import { getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn } from '../base/json.ts';
import type { Field, SchemaType } from '../schema/types.ts';
import { MalformedPatchError } from './json-patch.ts';

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
  if (directive !== undefined && directive !== 'merge') throw unknownDirective(directive);
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

/** `$retainKeys` lists the only keys that survive. */
function retainKeys(target: JsonObject, patch: JsonObject): JsonObject {
  const retain = getOwn(patch, '$retainKeys');
  if (!Array.isArray(retain)) return target;
  return Object.fromEntries(Object.entries(target).filter(([key]) => retain.includes(key)));
}

function mergeList(
  current: JsonValue[],
  change: JsonValue[],
  field: FieldView,
  patch: JsonObject,
  key: string,
): JsonValue[] {
  if (change.some((item) => isJsonObject(item) && getOwn(item, '$patch') === 'replace')) {
    return change.filter((item) => !(isJsonObject(item) && getOwn(item, '$patch') === 'replace'));
  }
  if (!field.merges) return change;
  const order = getOwn(patch, orderPrefix + key);
  const merged =
    field.mergeKey === undefined ? mergeScalars(current, change) : mergeByKey(current, change, field, field.mergeKey);
  return Array.isArray(order) ? reorder(merged, order, field.mergeKey, current) : merged;
}

function mergeScalars(current: readonly JsonValue[], change: readonly JsonValue[]): JsonValue[] {
  return [...new Set([...current, ...change])];
}

function mergeByKey(
  current: readonly JsonValue[],
  change: readonly JsonValue[],
  field: FieldView,
  mergeKey: string,
): JsonValue[] {
  const result = [...current];
  const position = new Map(result.map((item, index) => [keyOf(item, mergeKey), index]));
  const removed = new Set<number>();
  for (const item of change) {
    const key = keyOf(item, mergeKey);
    if (!isJsonObject(item) || key === undefined) {
      throw new MalformedPatchError(`map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`);
    }
    const at = position.get(key);
    if (getOwn(item, '$patch') === 'delete') {
      if (at !== undefined) removed.add(at);
    } else if (at === undefined) {
      position.set(key, result.push(mergeObject({}, item, field.type)) - 1);
    } else {
      result[at] = mergeObject(result[at] as JsonObject, item, field.type);
    }
  }
  return result.filter((_, index) => !removed.has(index));
}

const keyOf = (item: JsonValue, mergeKey: string) => (isJsonObject(item) ? getOwn(item, mergeKey) : undefined);

/** Items in the order the patch asks for; items it does not name keep their place among their neighbours. */
function reorder(
  items: JsonValue[],
  order: JsonValue[],
  mergeKey: string | undefined,
  before: readonly JsonValue[],
): JsonValue[] {
  const identity = (item: JsonValue) => (mergeKey === undefined ? item : keyOf(item, mergeKey)) as JsonValue;
  const wanted = new Map(order.map((entry, index) => [identity(entry), index]));
  const named = items.filter((item) => wanted.has(identity(item)));
  named.sort((a, b) => (wanted.get(identity(a)) as number) - (wanted.get(identity(b)) as number));
  const place = new Map(before.map((item, index) => [identity(item), index]));
  const result: JsonValue[] = [];
  const others = items.filter((item) => !wanted.has(identity(item)));
  for (const item of named) {
    const at = place.get(identity(item)) ?? Number.POSITIVE_INFINITY;
    while (others.length > 0 && (place.get(identity(others[0] as JsonValue)) ?? -1) < at)
      result.push(others.shift() as JsonValue);
    result.push(item);
  }
  return [...result, ...others];
}

function applyListDirective(result: JsonObject, key: string, patch: JsonObject, type: SchemaType | undefined): void {
  if (key.startsWith(deletePrefix)) {
    const name = key.slice(deletePrefix.length);
    const gone = patch[key];
    const current = getOwn(result, name);
    if (!Array.isArray(gone)) throw new MalformedPatchError(`${key} must be a list`);
    if (Array.isArray(current))
      setOwn(
        result,
        name,
        current.filter((item) => !gone.some((g) => isDeepStrictEqual(g, item))),
      );
  } else if (key.startsWith(orderPrefix)) {
    const name = key.slice(orderPrefix.length);
    const current = getOwn(result, name);
    const order = patch[key];
    if (Array.isArray(current) && Array.isArray(order) && getOwn(patch, name) === undefined) {
      setOwn(result, name, reorder(current, order, fieldOf(type, name).mergeKey, current));
    }
  }
}

function withoutDirectives(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith('$')));
}

function unknownDirective(directive: JsonValue): MalformedPatchError {
  return new MalformedPatchError(`Unknown patch type: ${JSON.stringify(directive)}`);
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
