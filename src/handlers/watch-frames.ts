// Watch events as bytes, in the form the client asked for.

import type { Representation } from '../codec/accept.ts';
import { watchFrame } from '../codec/protobuf/envelope.ts';
import { partialMetadata, table, toProtobuf } from '../codec/render.ts';
import { partialObjectMetadata, status } from '../groups/meta/v1/types.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import type { Revision } from '../meta/revision.ts';
import { expired } from '../meta/status.ts';
import type { StoredObject } from '../registry/stored-object.ts';
import type { WatchEvent, WatchEventType } from '../registry/watch.ts';
import { type Shaped, shapeObject, tableOptions } from './answer.ts';
import type { Call } from './call.ts';

const heads: Readonly<Record<WatchEventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};
const tail = Buffer.from('}\n');

/** Plain frames are the same for all watchers of an event. */
const plainFrames = new WeakMap<WatchEvent, Uint8Array>();

export class WatchFrames {
  readonly #call: Call;
  readonly #form: Representation;
  readonly #isPlain: boolean;
  /** Only the first event of a table says what its columns are. */
  #withColumns = true;

  constructor(call: Call, form: Representation) {
    this.#call = call;
    this.#form = form;
    this.#isPlain = form.as === 'Object' && form.format !== 'protobuf';
  }

  event(event: WatchEvent): Uint8Array {
    if (!this.#isPlain) return this.once(event.type, event.stored);
    let frame = plainFrames.get(event);
    if (frame === undefined) {
      frame = this.once(event.type, event.stored);
      plainFrames.set(event, frame);
    }
    return frame;
  }

  /** A frame that nobody else will want. */
  once(type: WatchEventType, stored: StoredObject): Uint8Array {
    if (this.#isPlain) return Buffer.concat([heads[type], stored.bytes, tail]);
    const shaped = shapeObject(this.#call, stored, this.#form, this.#withColumns);
    this.#withColumns = false;
    return this.#encode(type, shaped);
  }

  /** Says that everything up to `revision` was sent; `endsState` that this was the initial state. */
  bookmark(revision: Revision, endsState = false): Uint8Array {
    const { definition } = this.#call.resource;
    const annotations = { [`${this.#call.services.dialect.apiDomain}/initial-events-end`]: 'true' };
    const metadata = { resourceVersion: String(revision), ...(endsState ? { annotations } : {}) };
    const object = { kind: definition.kind, apiVersion: formatApiVersion(definition), metadata };
    return this.#encode('BOOKMARK', this.#shapeBookmark(object));
  }

  /** The history the watch needs is no longer there. */
  gone(): Uint8Array {
    const value = expired('The resourceVersion for the provided watch is too old.').toStatus();
    return this.#encode('ERROR', { value, type: status });
  }

  #shapeBookmark(object: ApiObject): Shaped {
    const { dialect } = this.#call.services;
    const { type } = this.#call.resource.definition;
    switch (this.#form.as) {
      case 'Object':
        return { value: object, type };
      case 'PartialObjectMetadata':
        return { value: partialMetadata(object, dialect, this.#form.version), type: partialObjectMetadata };
      case 'Table':
        return { value: table([], object.metadata, tableOptions(this.#call, this.#form), this.#withColumns), type };
    }
  }

  /** A line of JSON, or a length-delimited message. */
  #encode(type: string, { value, type: schema }: Shaped): Uint8Array {
    if (this.#form.format === 'protobuf') return watchFrame(type, toProtobuf(value, schema));
    return Buffer.from(`${JSON.stringify({ type, object: value })}\n`);
  }
}
