// Objects, lists and tables to the bytes of an answer.

import { type JsonObject, stringifyJson } from '../base/json/json.ts';
import { type Dialect, metaGroup } from '../meta/dialect.ts';
import type { ApiObject, ObjectMeta } from '../meta/object.ts';
import type { Column, RowCondition, TableEffort } from '../schema/column.ts';
import { defaultColumns } from '../schema/columns.ts';
import type { ObjectType } from '../schema/object-type.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { StrategyContext } from '../schema/strategy.ts';
import type { Representation } from './accept.ts';
import { sealEnvelope } from './protobuf/envelope.ts';
import { encodeObjectMessage } from './protobuf/object-message.ts';
import { ProtobufWriter } from './protobuf/writer.ts';
import { writeYaml } from './yaml/write-yaml.ts';

/** The value in the client's format. `type` describes it for formats that need to know. */
export function renderValue(value: object, { format, pretty }: Representation, type: ObjectType): string | Uint8Array {
  switch (format) {
    case 'json':
      return jsonText(value, pretty);
    case 'yaml':
      return writeYaml(value);
    case 'protobuf':
      return toProtobuf(value, type);
  }
}

/** compat: JSON ends with a newline, unless it is indented. */
function jsonText(value: object, pretty: boolean): string {
  return pretty ? stringifyJson(value, 2) : `${stringifyJson(value)}\n`;
}

/** A top-level object in its envelope. */
export function toProtobuf(value: object, type: ObjectType): Uint8Array {
  const out = new ProtobufWriter();
  encodeObjectMessage(type, value as JsonObject, out);
  return enveloped(value, out);
}

function enveloped(value: object, message: ProtobufWriter): Uint8Array {
  const { apiVersion, kind } = value as ApiObject;
  return sealEnvelope({ apiVersion, kind, raw: message.finish() });
}

/** `metadata.name` and the like, without the rest of the object. */
export function partialMetadata(
  object: ApiObject,
  { quirks }: Pick<ResourceDefinition, 'quirks'>,
  dialect: Dialect,
  version: string,
): ApiObject {
  const metadata = withoutAnnotation(object.metadata, quirks?.annotationOfField);
  return { kind: 'PartialObjectMetadata', apiVersion: `${metaGroup(dialect)}/${version}`, metadata };
}

function withoutAnnotation(metadata: ObjectMeta, name: string | undefined): ObjectMeta {
  if (name === undefined || metadata.annotations?.[name] === undefined) return metadata;
  const { [name]: _, ...annotations } = metadata.annotations;
  const { annotations: __, ...rest } = metadata;
  return Object.keys(annotations).length === 0 ? rest : { ...metadata, annotations };
}

/** What a table row carries besides its cells. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions {
  readonly definition: ResourceDefinition;
  readonly context: StrategyContext;
  readonly version: string;
  readonly include: IncludeObject;
}

interface TableRow {
  readonly cells: readonly unknown[];
  readonly conditions?: readonly RowCondition[];
  readonly object: unknown;
}

export function tableRow(object: ApiObject, options: TableOptions, effort?: TableEffort): TableRow {
  return { ...rowCells(object, options, effort), object: rowObject(object, options) };
}

/** A row but for the object in it. */
export function rowCells(
  object: ApiObject,
  { definition, context }: Pick<TableOptions, 'definition' | 'context'>,
  effort?: TableEffort,
): Omit<TableRow, 'object'> {
  const cells = columnsOf(definition, context).map((column) => column.cell(object, context, effort));
  const conditions = definition.rows?.conditions?.(object) ?? [];
  return conditions.length === 0 ? { cells } : { cells, conditions };
}

function rowObject(object: ApiObject, { definition, context, version, include }: TableOptions): unknown {
  switch (include) {
    case 'None':
      return null;
    case 'Metadata':
      return partialMetadata(object, definition, context.dialect, version);
    case 'Object':
      return object;
  }
}

/** The table around its rows. */
export function table(rows: readonly TableRow[], metadata: object, options: TableOptions, withColumns = true): object {
  const columns = columnsOf(options.definition, options.context).filter(({ unlisted }) => !unlisted);
  return {
    kind: 'Table',
    apiVersion: `${metaGroup(options.context.dialect)}/${options.version}`,
    metadata,
    columnDefinitions: withColumns ? columns.map(describeColumn) : null,
    rows,
  };
}

function describeColumn({ name, type, format = '', about, priority }: Column): object {
  return { name, type, format, description: about, priority };
}

function columnsOf(definition: ResourceDefinition, { dialect }: StrategyContext): readonly Column[] {
  return definition.columns ?? defaultColumns[dialect.rules.defaultTableColumn];
}
