// Values that expressions wrote, as JSON. Loads the language.

import { isJsonObject, type JsonValue, setOwn } from '../../../base/json/json.ts';
import { JsonConversion, maxJsonValues } from '../../../cel/adapt.ts';
import { partialObjectType } from '../../../cel/library/json-patch.ts';
import { ListValue, MapValue, ObjectValue, type Value } from '../../../cel/values.ts';

/** Whole numbers that every reader of JSON understands are plain; others stay whole, or become texts where a patch carries them. */
export function writtenJson(value: Value, large: 'whole' | 'text', conversion = new JsonConversion()): JsonValue {
  return plain(conversion.of(value), large);
}

function plain(value: JsonValue, large: 'whole' | 'text'): JsonValue {
  if (typeof value === 'bigint') {
    if (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER) return Number(value);
    return large === 'whole' ? value : value.toString();
  }
  if (Array.isArray(value)) return value.map((item) => plain(item, large));
  if (!isJsonObject(value)) return value;
  const result: Record<string, JsonValue> = {};
  for (const [key, item] of Object.entries(value)) if (item !== undefined) setOwn(result, key, plain(item, large));
  return result;
}

const rootName = partialObjectType.fields.name;
const isPart = (name: string): boolean => name === rootName || name.startsWith(`${rootName}.`);

/** Parts of an object are named after the fields they are in: what is wrong with those names, undefined for nothing. */
export function typeNameProblem(value: Value): string | undefined {
  if (!(value instanceof ObjectValue)) return undefined;
  const problems: string[] = [];
  checkNames(value, value.type.fields.name, { left: maxJsonValues, problems });
  return problems.length === 0 ? undefined : `type mismatch: ${problems.join('\n')}`;
}

/** Ends where the value is too large to be written. */
function checkNames(value: Value, path: string, check: { left: number; readonly problems: string[] }): void {
  if (--check.left < 0) return;
  if (value instanceof ObjectValue) {
    const { name } = value.type.fields;
    if (!isPart(name)) return;
    if (name !== path)
      check.problems.push(
        `unexpected type name ${JSON.stringify(name)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`,
      );
    for (const [key, field] of Object.entries(value.source)) checkNames(field as Value, `${path}.${key}`, check);
  } else if (value instanceof ListValue) {
    for (const item of value.toArray()) checkNames(item, path, check);
  } else if (value instanceof MapValue) {
    for (const key of value.keys()) checkNames(value.get(key) as Value, path, check);
  }
}
