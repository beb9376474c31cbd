// What messages show of a patch that cannot be: the object it would make, as text, or the patch itself.

import { isJsonObject, type JsonObject, type JsonValue, withSortedKeys } from '../../base/json/json.ts';
import { jsonBeginning } from '../../base/json/json-beginning.ts';
import type { ApiObject } from '../../meta/object.ts';
import { isBuiltIn, type ObjectType } from '../../schema/object-type.ts';
import { inDeclaredOrder } from '../../schema/order.ts';
import { goPlain } from '../go-format.ts';

/** No more of it is shown. */
const maxShown = 65_536;

interface ShownPatch {
  readonly form: 'json' | 'merge' | 'strategic';
  readonly value: JsonValue;
}

/** `result` is what the patch made of the live object. */
export function patchedText(
  { live, result, type }: { readonly live: ApiObject; readonly result: JsonValue; readonly type: ObjectType },
  { form, value }: ShownPatch,
): string {
  // compat: a strategic merge patch is shown as the reference implementation's language shows it
  if (form === 'strategic') return goPlain(value);
  const before = live as unknown as JsonValue;
  const after = inDeclaredOrder(type, result) as JsonValue;
  const shown = form === 'json' ? afterOperations(after, value) : afterMerge(after, value, before);
  return jsonBeginning(isBuiltIn(type) ? shown : withSortedKeys(shown), maxShown).replace(
    /[<>&\u2028\u2029]/g,
    escaped,
  );
}

const escaped = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

// compat: members of what a patch goes through are in order of their names, others as they were

function afterMerge(result: JsonValue, patch: JsonValue | undefined, before: JsonValue | undefined): JsonValue {
  if (!isJsonObject(before)) return inOrder(result);
  if (!isJsonObject(patch) || !isJsonObject(result)) return result;
  return sorted(result, (key, value) =>
    patch[key] === undefined || patch[key] === null ? value : afterMerge(value, patch[key], before[key]),
  );
}

function afterOperations(result: JsonValue, patch: JsonValue): JsonValue {
  const passed: Passed = new Map();
  for (const operation of Array.isArray(patch) ? patch.slice(0, maxOperations) : [])
    if (isJsonObject(operation)) for (const key of ['path', 'from']) pass(passed, operation[key]);
  return alongPaths(result, passed);
}

const maxOperations = 1000;

/** The members that operations lead through, and so on. */
interface Passed extends Map<string, Passed> {}

function pass(passed: Passed, pointer: JsonValue | undefined): void {
  if (typeof pointer !== 'string') return;
  let at = passed;
  for (const token of pointer.split('/').slice(1, -1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    const next: Passed = at.get(key) ?? new Map();
    at.set(key, next);
    at = next;
  }
}

function alongPaths(value: JsonValue, passed: Passed | undefined): JsonValue {
  if (passed === undefined) return value;
  if (Array.isArray(value)) return value.map((item, index) => alongPaths(item, passed.get(String(index))));
  return isJsonObject(value) ? sorted(value, (key, member) => alongPaths(member, passed.get(key))) : value;
}

function inOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inOrder);
  return isJsonObject(value) ? sorted(value, (_, member) => inOrder(member)) : value;
}

function sorted(value: JsonObject, shown: (key: string, member: JsonValue) => JsonValue): JsonObject {
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, shown(key, value[key] as JsonValue)]));
}
