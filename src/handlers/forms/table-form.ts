// Tables made of the texts of stored objects: the fields that cells show are read, the object of a row is a part of the text.

import { stringifyJson } from '../../base/json/json.ts';
import { UnexpectedJsonError } from '../../base/json/json-member.ts';
import { memoized } from '../../base/memoized.ts';
import { type FieldPath, PartialObjects } from '../../codec/partial-object.ts';
import { type IncludeObject, rowCells, table } from '../../codec/render.ts';
import type { ApiObject, ObjectMeta } from '../../meta/object.ts';
import { withAges } from '../../meta/time.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import type { TableEffort } from '../../schema/column.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import { type Shape, shapeItem } from '../shape.ts';
import { hiddenAnnotation, metadataHead } from './metadata-head.ts';
import { reusedMemory, type TakeMemory } from './slab.ts';

/** Undefined where cells may look at all of an object. */
const readerOf = memoized(makeReader);

function makeReader({ type, conversion, columns, rows }: ResourceDefinition): PartialObjects | undefined {
  // cells of another version convert the object
  if (type.is === 'struct') return conversion === undefined ? PartialObjects.ofType(type) : undefined;
  const paths = columns?.flatMap((column) => column.paths ?? wholeObject);
  if (paths === undefined || rows !== undefined || paths.some(({ length }) => length === 0)) return undefined;
  return PartialObjects.ofPaths([...paths, ['metadata', 'resourceVersion']]);
}

/** The path to an object itself. */
const wholeObject: readonly FieldPath[] = [[]];

type RowText = (stored: StoredObject, take?: TakeMemory) => Uint8Array;

/** Rows as JSON texts (see `ObjectForm`); undefined where rows need the parsed object. */
export function rowTexts(shape: Shape, effort?: TableEffort): RowText | undefined {
  const reader = readerOf(shape.definition);
  if (reader === undefined) return undefined;
  const { include } = shape.table;
  const head = Buffer.from(`,"object":${heads[include](shape)}`);
  const tail = Buffer.from(include === 'Metadata' ? '}}' : '}');
  const annotation = hiddenAnnotation(shape);
  const cellsOf = cellTexts(shape, reader, effort);
  const rowAround = (cells: Uint8Array, text: Buffer, from: number, take: TakeMemory) => {
    if (annotation !== undefined && text.includes(annotation)) return undefined;
    const out = take(cells.length + head.length + text.length - from + tail.length);
    out.set(cells);
    // without the closing brace
    let at = cells.length - 1;
    at += head.copy(out, at);
    at += text.copy(out, at, from);
    at += tail.copy(out, at);
    return out.subarray(0, at);
  };
  const write = (stored: StoredObject, take: TakeMemory) => {
    const cells = cellsOf(stored);
    if (include === 'None') return rowAround(cells, noText, 0, take);
    if (include === 'Object') return stored.readText((text) => rowAround(cells, text, 0, take));
    return stored.readMetadata((text, start) => rowAround(cells, text, start, take));
  };
  const parsed = (stored: StoredObject) => Buffer.from(stringifyJson(shapeItem(shape, stored.parse(), effort).value));
  return (stored, take = reusedMemory) => {
    try {
      return write(stored, take) ?? parsed(stored);
    } catch (error) {
      if (error instanceof UnexpectedJsonError) return parsed(stored);
      throw error;
    }
  };
}

/** The cells of a row as JSON. Kept ones hold until an age in them changes. */
function cellTexts(shape: Shape, reader: PartialObjects, effort?: TableEffort): RowText {
  const { clock } = shape.table.context;
  const kept = shape.kept?.rows(reader);
  return (stored) =>
    reader.reading((read) => {
      const now = clock.now();
      const row = kept?.find(stored);
      const known = row?.cells(now);
      if (known !== undefined) return known;
      const object = row?.object ?? stored.readText((text) => read(text, stored.metadataEnd(text)));
      const visitsLeft = effort?.visitsLeft ?? 1;
      const { value, lastMs } = withAges(() =>
        stringifyJson(rowCells(object as unknown as ApiObject, shape.table, effort)),
      );
      // cells that cost the table something may show less in another table
      const isComplete = visitsLeft > 0 && visitsLeft === (effort?.visitsLeft ?? 1);
      if (isComplete) (row ?? kept?.keep(stored, object))?.keepCells(value, now, lastMs);
      return Buffer.from(value);
    });
}

const noText = Buffer.alloc(0);

/** What stands before the part of the text that is the object of a row. */
const heads: Readonly<Record<IncludeObject, (shape: Shape) => string>> = {
  None: () => 'null',
  Metadata: metadataHead,
  Object: () => '',
};

/** A table of one row around its text. */
export function tableAround(shape: Shape, stored: StoredObject, row: Uint8Array, withColumns: boolean): Buffer {
  const { resourceVersion } = versionOf(shape.definition, stored);
  const metadata = resourceVersion ? { resourceVersion } : {};
  const empty = JSON.stringify(table([], metadata, shape.table, withColumns));
  const end = empty.length - ']}'.length;
  return Buffer.concat([Buffer.from(empty.slice(0, end)), row, Buffer.from(empty.slice(end))]);
}

function versionOf(definition: ResourceDefinition, stored: StoredObject): ObjectMeta {
  const read = (text: Buffer) =>
    readerOf(definition)?.reading((readPartial) => {
      const { metadata } = readPartial(text, stored.metadataEnd(text)) as unknown as ApiObject;
      return { resourceVersion: metadata.resourceVersion };
    });
  try {
    return (stored.readText(read) ?? stored.parse().metadata) as ObjectMeta;
  } catch (error) {
    if (error instanceof UnexpectedJsonError) return stored.parse().metadata;
    throw error;
  }
}
