// Columns of tables of custom resources: the name, and what the definition says.

import { goPlain } from '../base/go-format.ts';
import { type JsonValue, stringifyJson } from '../base/json.ts';
import type { customResourceColumnDefinition } from '../groups/apiextensions/v1/custom-resource-definition.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';
import { formatAge, normalizeTime } from '../meta/time.ts';
import type { Column } from '../schema/column.ts';
import { nameAndCreation, nameColumn } from '../schema/columns.ts';
import type { Infer } from '../schema/types.ts';
import { firstAt, JsonPathError, parseJsonPath } from './json-path.ts';

type ColumnDefinition = Infer<typeof customResourceColumnDefinition>;

const age: ColumnDefinition = {
  name: 'Age',
  type: 'date',
  description: 'When the object was created.',
  jsonPath: '.metadata.creationTimestamp',
};

/** A path that is none leaves only the columns before it. Without any, the dialect says what the second one is. */
export function customColumns(definitions: readonly ColumnDefinition[] = [], { rules }: Dialect): readonly Column[] {
  if (definitions.length === 0 && rules.defaultTableColumn === 'Created At') return nameAndCreation;
  const columns = (definitions.length === 0 ? [age] : definitions).map(columnOf);
  const odd = columns.indexOf(undefined);
  return [nameColumn, ...((odd < 0 ? columns : columns.slice(0, odd)) as readonly Column[])];
}

function columnOf(definition: ColumnDefinition): Column | undefined {
  const { name = '', type = '', format = '', description = '', priority = 0, jsonPath = '' } = definition;
  const path = readPath(jsonPath);
  if (path === undefined) return undefined;
  const show = cells[type] ?? (() => null);
  return {
    name,
    type: type as Column['type'],
    format,
    about: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority,
    cell(object: ApiObject, { clock }) {
      const value = firstAt(path, object as unknown as JsonValue);
      return value === undefined ? null : show(value, clock.now());
    },
  };
}

function readPath(text: string): ((value: JsonValue) => Iterable<JsonValue>) | undefined {
  try {
    return parseJsonPath(text);
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}

const isNumber = (value: JsonValue): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

const cells: Readonly<Record<string, (value: JsonValue, now: number) => unknown>> = {
  string: (value) => (value === null ? '<no value>' : textOf(value)),
  integer: (value) => (typeof value === 'number' ? Math.trunc(value) : isNumber(value) ? value : null),
  number: (value) => (isNumber(value) ? value : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: (value, now) => (typeof value === 'string' ? ageOf(value, now) : null),
};

const textOf = (value: JsonValue): string => (typeof value === 'object' ? stringifyJson(value) : goPlain(value));

function ageOf(text: string, now: number): string {
  const time = normalizeTime(text);
  return time === undefined ? '<invalid>' : formatAge(now - Date.parse(time));
}

export const creationColumn = columnOf(age) as Column;
