// Columns of tables of custom resources: the name, and what the definition says.

import { isJsonObject, type JsonValue, stringifyJson } from '../base/json/json.ts';
import type { customResourceColumnDefinition } from '../groups/apiextensions/v1/custom-resource-definition-type.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';
import { formatAge, normalizeTime } from '../meta/time.ts';
import type { Column, TableEffort } from '../schema/column.ts';
import { nameAndCreation, nameColumn } from '../schema/columns.ts';
import type { Infer } from '../schema/types.ts';
import { goPlain } from '../wording/go-format.ts';
import { type JsonPath, JsonPathError, maxPathVisits, parseJsonPath } from './json-path.ts';

type ColumnDefinition = Infer<typeof customResourceColumnDefinition>;

const age: ColumnDefinition = {
  name: 'Age',
  type: 'date',
  description: 'When the object was created.',
  jsonPath: '.metadata.creationTimestamp',
};

/** Columns of one version; all that follow are left out. */
const maxColumns = 100;
/** Values that the paths of one row visit at no cost to the table's other rows. */
const freeRowVisits = 2000;
/** Characters in the cells of one row, each column an equal part. A cell that would be longer is null. */
const maxRowLength = 3 * 1024 * 1024;

/** An invalid path drops its column and all later ones. Without columns, the dialect decides on the second one. */
export function customColumns(definitions: readonly ColumnDefinition[] = [], { rules }: Dialect): readonly Column[] {
  if (definitions.length === 0 && rules.defaultTableColumn === 'Created At') return nameAndCreation;
  const columns = readColumns(definitions.length === 0 ? [age] : definitions);
  const searches = Math.max(1, columns.filter(({ path }) => path.branches).length);
  const limits: CellLimits = {
    maxVisits: Math.floor(maxPathVisits / searches),
    freeVisits: Math.floor(freeRowVisits / searches),
    maxLength: Math.floor(maxRowLength / Math.max(1, columns.length)),
  };
  return [nameColumn, ...columns.map((column) => columnOf(column, limits))];
}

interface ReadColumn {
  readonly definition: ColumnDefinition;
  readonly path: JsonPath;
}

function readColumns(definitions: readonly ColumnDefinition[]): readonly ReadColumn[] {
  const columns: ReadColumn[] = [];
  for (const definition of definitions.slice(0, maxColumns)) {
    const path = readPath(definition.jsonPath ?? '');
    if (path === undefined) break;
    columns.push({ definition, path });
  }
  return columns;
}

interface CellLimits {
  readonly maxVisits: number;
  readonly freeVisits: number;
  readonly maxLength: number;
}

function columnOf({ definition, path }: ReadColumn, limits: CellLimits): Column {
  const { name = '', type = '', format = '', description = '', priority = 0, jsonPath = '' } = definition;
  const show = cells[type] ?? (() => null);
  return {
    name,
    type: type as Column['type'],
    format,
    about: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority,
    paths: [path.fields],
    cell(object: ApiObject, { clock }, effort) {
      const value = search(path, object, limits, effort);
      return value === undefined || lengthLeft(value, limits.maxLength) < 0 ? null : show(value, clock.now());
    },
  };
}

function search(
  path: JsonPath,
  object: ApiObject,
  { maxVisits, freeVisits }: CellLimits,
  effort: TableEffort = { visitsLeft: maxVisits },
): JsonValue | undefined {
  const visits = path.branches ? Math.min(maxVisits, freeVisits + Math.max(0, effort.visitsLeft)) : maxVisits;
  const budget = { visitsLeft: visits };
  const value = path(object as unknown as JsonValue, budget);
  if (path.branches) effort.visitsLeft -= Math.max(0, visits - budget.visitsLeft - freeVisits);
  return value;
}

/** The length that is left after the value is written; below zero as soon as nothing is left. */
function lengthLeft(value: JsonValue, maxLength: number): number {
  if (typeof value === 'string') return maxLength - value.length;
  if (typeof value !== 'object' || value === null) return maxLength - 1;
  let left = maxLength - 1;
  if (isJsonObject(value)) for (const key of Object.keys(value)) left -= key.length;
  for (const inner of isJsonObject(value) ? Object.values(value) : value) {
    if (left < 0) break;
    left = lengthLeft(inner, left);
  }
  return left;
}

function readPath(text: string): JsonPath | undefined {
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

export const creationColumn = columnOf(
  { definition: age, path: parseJsonPath('.metadata.creationTimestamp') },
  { maxVisits: maxPathVisits, freeVisits: freeRowVisits, maxLength: maxRowLength },
);
