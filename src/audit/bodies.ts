// Bodies as audit events show them: one line of JSON, without what the policy leaves out.

import { isJsonObject, type JsonValue, stringifyJson } from '../base/json/json.ts';
import { parseJsonText } from '../base/json/json-scan.ts';

export function bodyOfValue(value: unknown, omitManagedFields: boolean): string {
  return stringifyJson(omitManagedFields ? withoutManagedFields(value as JsonValue) : value);
}

/** Text that a client is sent may have lines, for people to read. Undefined for text that is no JSON after all. */
export function bodyOfText(text: string, omitManagedFields: boolean): string | undefined {
  if (!omitManagedFields && !text.trimEnd().includes('\n')) return text.trimEnd();
  try {
    return bodyOfValue(parseJsonText(text), omitManagedFields);
  } catch {
    return undefined;
  }
}

/** Of an object, of the items of a list, and of the objects in the rows of a table. */
function withoutManagedFields(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const { metadata, items, rows } = value;
  return {
    ...value,
    ...(isJsonObject(metadata) ? { metadata: without(metadata) } : {}),
    ...(Array.isArray(items) ? { items: items.map(withoutManagedFields) } : {}),
    ...(Array.isArray(rows) ? { rows: rows.map(rowWithout) } : {}),
  };
}

function rowWithout(row: JsonValue): JsonValue {
  return isJsonObject(row) && row['object'] !== undefined
    ? { ...row, object: withoutManagedFields(row['object']) }
    : row;
}

function without({ managedFields: _, ...metadata }: Record<string, JsonValue>): JsonValue {
  return metadata;
}
