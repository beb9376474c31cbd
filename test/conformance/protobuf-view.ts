// Protobuf without a schema: which fields there are, in which order, with which values. What could be a text is one,
// what could be a message is one; both servers are read by the same rule.

import { servers } from './mask.ts';

const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

type Field = readonly [number: number, value: string | number | readonly Field[]];

/** The fields of an enveloped object, without times and the version; undefined for other bytes. */
export function protobufView(bytes: Buffer): readonly Field[] | undefined {
  if (!bytes.subarray(0, 4).equals(magic)) return undefined;
  return fieldsOf(bytes.subarray(4))?.map((field) => masked(field, []));
}

/** Where the version of an object stands: in the metadata of what the envelope holds. */
const versionAt = '2,1,6';
/** The name of a manager of fields. */
const managerAt = '2,1,17,1';
/** Seconds since the epoch, for some decades to come. */
const isTime = (value: Field[1]) => typeof value === 'number' && value > 1.7e9 && value < 3e9;

function masked([number, value]: Field, path: readonly number[]): Field {
  const here = [...path, number];
  if (Array.isArray(value))
    return [
      number,
      ordered(
        (value as readonly Field[]).map((field) => masked(field, here)),
        here,
      ),
    ];
  if (here.join() === versionAt) return [number, '<version>'];
  if (here.join() === managerAt && servers.has(String(value))) return [number, '<server>'];
  return [number, isTime(value) ? '<time>' : value];
}

/** managedFields are in the order of their times. */
function ordered(fields: readonly Field[], path: readonly number[]): readonly Field[] {
  if (path.join() !== '2,1') return fields;
  const rank = ([number, value]: Field) => (number === 17 ? JSON.stringify(value) : '');
  return [...fields].sort((a, b) => a[0] - b[0] || (rank(a) < rank(b) ? -1 : 1));
}

function fieldsOf(bytes: Buffer): readonly Field[] | undefined {
  const fields: Field[] = [];
  const reader = { bytes, at: 0 };
  while (reader.at < bytes.length) {
    const field = nextField(reader);
    if (field === undefined) return undefined;
    fields.push(field);
  }
  return fields;
}

interface Reader {
  readonly bytes: Buffer;
  at: number;
}

function nextField(reader: Reader): Field | undefined {
  const tag = varint(reader);
  if (tag === undefined || tag < 8) return undefined;
  const [number, wire] = [Math.floor(tag / 8), tag % 8];
  if (wire === 0) {
    const value = varint(reader);
    return value === undefined ? undefined : [number, value];
  }
  const length = wire === 1 ? 8 : wire === 5 ? 4 : wire === 2 ? varint(reader) : undefined;
  if (length === undefined || reader.at + length > reader.bytes.length) return undefined;
  const content = reader.bytes.subarray(reader.at, reader.at + length);
  reader.at += length;
  return [number, wire === 2 ? contentOf(content) : `0x${content.toString('hex')}`];
}

function varint(reader: Reader): number | undefined {
  let value = 0;
  for (let shift = 0; shift < 10; shift++) {
    const byte = reader.bytes[reader.at++];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 128 ** shift;
    if (byte < 0x80) return value;
  }
  return undefined;
}

function contentOf(content: Buffer): Field[1] {
  const text = content.toString('utf8');
  const isText = Buffer.from(text).equals(content) && [...text].every((char) => char >= ' ' || char === '\n');
  // a message begins with the tag of its first field, most often 0x0a: a line feed is no beginning of a text
  if (isText && !text.startsWith('\n')) return text;
  return fieldsOf(content) ?? (isText ? text : `0x${content.toString('hex')}`);
}
