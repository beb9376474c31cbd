// The envelope around a protobuf object: four magic bytes and a message that names its type.

import { bufferOf } from '../../base/bytes.ts';
import { asBytes, asText, MalformedProtobufError, readFields } from './reader.ts';
import { lengthPrefix, ProtobufWriter, prefixLength, writePrefix } from './writer.ts';

const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The object's own message. */
  readonly raw: Uint8Array;
}

/** Whether bytes begin as an envelope does. */
export function isEnvelope(bytes: Buffer): boolean {
  return bytes.subarray(0, magic.length).equals(magic);
}

export function openEnvelope(bytes: Uint8Array): Envelope {
  const source = bufferOf(bytes);
  if (source.length === 0) throw new MalformedProtobufError('empty data');
  if (!isEnvelope(source))
    throw new MalformedProtobufError(
      `provided data does not appear to be a protobuf message, expected prefix [${[...magic].join(' ')}]`,
    );
  if (source.length === magic.length) throw new MalformedProtobufError('empty body');
  const envelope = { apiVersion: '', kind: '', raw: new Uint8Array(0) };
  for (const { number, value } of readFields(source.subarray(magic.length))) {
    if (number === 1) Object.assign(envelope, readTypeMeta(asBytes(value)));
    else if (number === 2) envelope.raw = Uint8Array.from(asBytes(value));
  }
  return envelope;
}

function readTypeMeta(bytes: Uint8Array): { apiVersion: string; kind: string } {
  const found = { apiVersion: '', kind: '' };
  for (const { number, value } of readFields(bytes)) {
    if (number === 1) found.apiVersion = asText(value);
    else if (number === 2) found.kind = asText(value);
  }
  return found;
}

export function sealEnvelope({ apiVersion, kind, raw }: Envelope): Buffer {
  const { head, tail } = envelopeAround({ apiVersion, kind }, raw.length);
  return Buffer.concat([head, raw, tail]);
}

const rawField = 2;

/** What stands before and after a message of a known length. */
export function envelopeAround(
  { apiVersion, kind }: Omit<Envelope, 'raw'>,
  rawLength: number,
): { readonly head: Buffer; readonly tail: Buffer } {
  return { head: Buffer.concat([headOf(apiVersion, kind), lengthPrefix(rawField, rawLength)]), tail: envelopeTail };
}

/** What comes before the message itself. */
function headOf(apiVersion: string, kind: string): Buffer {
  const type = new ProtobufWriter().message(1, (meta) => meta.string(1, apiVersion).string(2, kind));
  return Buffer.concat([magic, type.finish()]);
}

/** Encoding and type of the content: written, and empty. */
const envelopeTail = new ProtobufWriter().string(3, '').string(4, '').finish();

/** One event of a watch, with the object in its own envelope. */
export function watchEvent(type: string, object: Uint8Array): Buffer {
  return new ProtobufWriter()
    .string(1, type)
    .message(2, (raw) => raw.bytes(1, object))
    .finish();
}

/** The same as part of a stream: its length comes first. */
export function watchFrame(type: string, object: Uint8Array): Buffer {
  const event = watchEvent(type, object);
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

/** Makes such frames of objects of one kind: bytes are copied once, as there may be very many. */
export class ObjectFrames {
  readonly #head: Buffer;
  readonly #types = new Map<string, Buffer>();

  constructor({ apiVersion, kind }: Omit<Envelope, 'raw'>) {
    this.#head = headOf(apiVersion, kind);
  }

  frame(type: string, raw: Uint8Array): Buffer {
    const head = this.#head;
    const named = this.#named(type);
    const envelopeLength = head.length + prefixLength(rawField, raw.length) + raw.length + envelopeTail.length;
    const objectLength = prefixLength(1, envelopeLength) + envelopeLength;
    const eventLength = named.length + prefixLength(2, objectLength) + objectLength;
    const out = Buffer.allocUnsafe(4 + eventLength);
    let at = out.writeUInt32BE(eventLength);
    at += named.copy(out, at);
    at = writePrefix(out, at, 2, objectLength);
    at = writePrefix(out, at, 1, envelopeLength);
    at += head.copy(out, at);
    at = writePrefix(out, at, rawField, raw.length);
    out.set(raw, at);
    envelopeTail.copy(out, at + raw.length);
    return out;
  }

  #named(type: string): Buffer {
    const field = this.#types.get(type) ?? new ProtobufWriter().string(1, type).finish();
    this.#types.set(type, field);
    return field;
  }
}
