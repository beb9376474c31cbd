// Watch events as bytes, in the form the clients of a feed asked for.

import { watchEvent, watchFrame } from '../../codec/protobuf/envelope.ts';
import { toProtobuf } from '../../codec/render.ts';
import { encodeFrame, opcodes } from '../../codec/websocket.ts';
import { status } from '../../groups/meta/v1/types.ts';
import { formatApiVersion } from '../../meta/group-version.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { Revision } from '../../meta/revision.ts';
import { type ApiError, expired } from '../../meta/status.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import type { WatchEvent, WatchEventType } from '../../registry/watch.ts';
import { emptyObject } from '../../schema/object-type.ts';
import { type Shape, type Shaped, shapeObject } from '../shape.ts';

/** How one event is told from the next: by lines or lengths in a stream, or by the messages of a WebSocket. */
export type Framing = 'stream' | 'websocket';

const heads: Readonly<Record<WatchEventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};
const tail = Buffer.from('}\n');

export const expiredWatch = (): ApiError => expired('The resourceVersion for the provided watch is too old.');

/** Frames of an event by form: each is made once for all watches. */
const shared = new WeakMap<WatchEvent, Map<string, Uint8Array>>();

export class WatchFrames {
  /** Watches with the same key see the same bytes. */
  readonly key: string;
  readonly #shape: Shape;
  readonly #framing: Framing;
  readonly #isPlain: boolean;

  constructor(shape: Shape, framing: Framing) {
    const { form, definition, table: options } = shape;
    this.#shape = shape;
    this.#framing = framing;
    this.#isPlain = form.as === 'Object' && form.format !== 'protobuf';
    const isBinary = form.format === 'protobuf';
    this.key = [formatApiVersion(definition), form.as, form.version, options.include, isBinary, framing].join(' ');
  }

  /** Only the first event of a table says what its columns are. */
  get hasColumns(): boolean {
    return this.#shape.form.as === 'Table';
  }

  event(event: WatchEvent, withColumns: boolean): Uint8Array {
    let frames = shared.get(event);
    if (frames === undefined) {
      frames = new Map();
      shared.set(event, frames);
    }
    const key = withColumns ? `${this.key} columns` : this.key;
    let frame = frames.get(key);
    if (frame === undefined) {
      frame = this.encodeUncached(event.type, event.stored, withColumns);
      frames.set(key, frame);
    }
    return frame;
  }

  /** A frame that no other watch will want. */
  encodeUncached(type: WatchEventType, stored: StoredObject, withColumns: boolean): Uint8Array {
    if (this.#isPlain) return this.#framed(Buffer.concat([heads[type], stored.bytes, tail]));
    return this.#encode(type, this.#shaped(stored.parse(), withColumns));
  }

  #shaped(object: ApiObject, withColumns: boolean): Shaped {
    return shapeObject(this.#shape, object, withColumns || this.#shape.definition.rows?.repeatsColumns === true);
  }

  /** Says that everything up to `revision` was sent; `endsState` that this was the initial state. */
  bookmark(revision: Revision, { endsState = false, withColumns = false } = {}): Uint8Array {
    const { definition, dialect } = this.#shape;
    const annotations = { [`${dialect.apiDomain}/initial-events-end`]: 'true' };
    const metadata = { resourceVersion: String(revision), ...(endsState ? { annotations } : {}) };
    const fields = dialect.rules.bookmarkObject === 'empty' ? emptyObject(definition) : {};
    const object = { kind: definition.kind, apiVersion: formatApiVersion(definition), metadata, ...fields };
    // compat: a bookmark is an object in which nothing is set, and in a table it has a row like any other
    return this.#encode('BOOKMARK', this.#shaped(object, withColumns));
  }

  /** The history the watch needs is no longer there. */
  gone(): Uint8Array {
    return this.error(expiredWatch());
  }

  error(error: ApiError): Uint8Array {
    return this.#encode('ERROR', { value: error.toStatus(), type: status });
  }

  #encode(type: string, { value, type: schema }: Shaped): Uint8Array {
    if (this.#shape.form.format !== 'protobuf')
      return this.#framed(Buffer.from(`${JSON.stringify({ type, object: value })}\n`));
    const object = toProtobuf(value, schema);
    return this.#framing === 'websocket'
      ? encodeFrame(opcodes.binary, watchEvent(type, object))
      : watchFrame(type, object);
  }

  /** Text is a line in a stream, and a message of its own on a WebSocket. */
  #framed(line: Buffer): Uint8Array {
    return this.#framing === 'websocket' ? encodeFrame(opcodes.text, line) : line;
  }
}
