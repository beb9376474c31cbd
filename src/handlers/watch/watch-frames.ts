// Watch events as bytes, in the form the clients of a feed asked for.

import { memoized } from '../../base/memoized.ts';
import { ObjectFrames, watchEvent, watchFrame } from '../../codec/protobuf/envelope.ts';
import { toProtobuf } from '../../codec/render.ts';
import { encodeFrame, opcodes } from '../../codec/websocket.ts';
import { status } from '../../groups/meta/v1/types.ts';
import { formatApiVersion } from '../../meta/group-version.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { Revision } from '../../meta/revision.ts';
import { type ApiError, expired } from '../../meta/status.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import type { WatchEvent, WatchEventType } from '../../registry/watch.ts';
import { emptyAnnotations, emptyObject } from '../../schema/object-type.ts';
import { bodyAround, messageType } from '../forms/object-body.ts';
import { isMadeOfText, type ObjectForm, objectFormOf } from '../forms/object-form.ts';
import { streamedBytes } from '../list/list-writer.ts';
import { type Shape, type Shaped, shapeObject } from '../shape.ts';

/** How one event is told from the next: by lines or lengths in a stream, or by the messages of a WebSocket. */
export type Framing = 'stream' | 'websocket';

const heads: Readonly<Record<WatchEventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};
const tail = Buffer.from('}\n');

/** Copying less takes no time. */
const sharedBytes = 64 * 1024;

export const expiredWatch = (): ApiError => expired('The resourceVersion for the provided watch is too old.');

/** Frames of an event by form: each is made once for all watches. */
const framesOf = memoized((_event: WatchEvent): Map<string, Uint8Array> => new Map());

export class WatchFrames {
  /** Watches with the same key see the same bytes. */
  readonly key: string;
  readonly #shape: Shape;
  readonly #framing: Framing;
  readonly #isBinary: boolean;
  readonly #isPlain: boolean;
  /** Whether frames of large objects take no longer than plain ones. */
  readonly #isFast: boolean;
  /** How frames are made of texts; undefined where they need the parsed object. */
  readonly #form: ObjectForm | undefined;
  /** Undefined where frames are no messages of a stream. */
  readonly #messages: ObjectFrames | undefined;

  constructor(shape: Shape, framing: Framing) {
    const { form, definition, table: options } = shape;
    this.#shape = shape;
    this.#framing = framing;
    this.#isBinary = form.format === 'protobuf';
    this.#isPlain = form.as === 'Object' && !this.#isBinary;
    const compact = { ...shape, form: { ...form, pretty: false } };
    this.#form = objectFormOf(compact);
    this.#messages = this.#isBinary && framing === 'stream' ? new ObjectFrames(messageType(shape)) : undefined;
    this.#isFast = this.#isPlain || isMadeOfText(compact);
    this.key = [formatApiVersion(definition), form.as, form.version, options.include, this.#isBinary, framing].join(
      ' ',
    );
  }

  /** Only the first event of a table says what its columns are. */
  get hasColumns(): boolean {
    return this.#shape.form.as === 'Table';
  }

  /** Frames of objects that have so many bytes together: more than can be kept would take the place of everything else. */
  forState(bytes: number): WatchFrames {
    const { kept, ...shape } = this.#shape;
    return kept?.holds(bytes) === false ? new WatchFrames(shape, this.#framing) : this;
  }

  event(event: WatchEvent, withColumns: boolean): Uint8Array {
    const frames = framesOf(event);
    const key = this.#keyOf(withColumns);
    const known = frames.get(key);
    if (known !== undefined) return known;
    const frame = this.encodeUncached(event.type, event.stored, withColumns);
    frames.set(key, frame);
    return frame;
  }

  /** Whether frames for so many bytes of objects take so long that other requests are served in between. */
  takesLong(bytes: number): boolean {
    return bytes >= streamedBytes && !this.#isFast;
  }

  /** A frame that no other watch will want. */
  encodeUncached(type: WatchEventType, stored: StoredObject, withColumns: boolean): Uint8Array {
    if (this.#isPlain) return this.#framed(Buffer.concat([heads[type], stored.bytes, tail]));
    const object = this.#form?.(stored);
    if (object === undefined) return this.#encode(type, this.#shaped(stored.parse(), withColumns));
    if (this.#messages !== undefined) return this.#messages.frame(type, object);
    const body = bodyAround(this.#shape, stored, object, this.#showsColumns(withColumns));
    return this.#isBinary ? this.#binary(type, body) : this.#framed(Buffer.concat([heads[type], body, tail]));
  }

  /** The frame of a large object in pieces, so that its bytes are not copied for each watch; undefined where it has to be made. */
  pieces(type: WatchEventType, { bytes }: StoredObject): readonly Uint8Array[] | undefined {
    const isShared = this.#isPlain && this.#framing === 'stream' && bytes.length >= sharedBytes;
    return isShared ? [heads[type], bytes, tail] : undefined;
  }

  #keyOf(withColumns: boolean): string {
    return withColumns ? `${this.key} columns` : this.key;
  }

  #shaped(object: ApiObject, withColumns: boolean): Shaped {
    return shapeObject(this.#shape, object, this.#showsColumns(withColumns));
  }

  #showsColumns(withColumns: boolean): boolean {
    return withColumns || this.#shape.definition.rows?.repeatsColumns === true;
  }

  /** Says that everything up to `revision` was sent; `endsState` that this was the initial state. */
  bookmark(revision: Revision, { endsState = false, withColumns = false } = {}): Uint8Array {
    const { definition, dialect } = this.#shape;
    const isEmpty = dialect.rules.bookmarkObject === 'empty';
    const annotations = {
      ...(isEmpty ? emptyAnnotations(definition) : {}),
      ...(endsState ? { [`${dialect.apiDomain}/initial-events-end`]: 'true' } : {}),
    };
    const isAnnotated = Object.keys(annotations).length > 0;
    const metadata = { resourceVersion: String(revision), ...(isAnnotated ? { annotations } : {}) };
    const fields = isEmpty ? emptyObject(definition) : {};
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
    return this.#isBinary ? this.#binary(type, toProtobuf(value, schema)) : this.#text(type, value);
  }

  #binary(type: string, object: Uint8Array): Uint8Array {
    return this.#framing === 'websocket'
      ? encodeFrame(opcodes.binary, watchEvent(type, object))
      : watchFrame(type, object);
  }

  #text(type: string, object: object): Uint8Array {
    return this.#framed(Buffer.from(`${JSON.stringify({ type, object })}\n`));
  }

  /** Text is a line in a stream, and its own message on a WebSocket. */
  #framed(line: Buffer): Uint8Array {
    return this.#framing === 'websocket' ? encodeFrame(opcodes.text, line) : line;
  }
}
