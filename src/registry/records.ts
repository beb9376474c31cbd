// Values that the server keeps next to the objects, in the same store.

import { bufferOf } from '../base/bytes.ts';
import { isEnvelope, openEnvelope } from '../codec/protobuf/envelope.ts';
import { decodeObjectMessage } from '../codec/protobuf/object-message.ts';
import { zeroRevision } from '../meta/revision.ts';
import { plainError, serviceUnavailable } from '../meta/status.ts';
import type { RecordDefinition, Records } from '../schema/allocator.ts';
import { decoderOf } from '../schema/decode.ts';
import { DecodeContext } from '../schema/decode-context.ts';
import type { Store } from '../storage/store.ts';

/** With this many lost races in a row something else is wrong. */
const maxAttempts = 100;

/** Hears of a record that cannot be read and is made again, with its key and why. */
type OnUnreadable = (key: string, why: string) => void;

export function storedRecords(store: Store, onUnreadable: OnUnreadable = () => {}): Records {
  return {
    async update(record, change, unreadable = 'fails') {
      const { key } = record;
      const readOrReplace = (value: Uint8Array) =>
        unreadable === 'fails' ? read(record, value) : readIfPossible(record, value, onUnreadable);
      let current = await store.get(key);
      for (let attempt = 1; attempt <= maxAttempts; attempt++) {
        const next = change(current && readOrReplace(current.value));
        if (next === undefined) return;
        const value = Buffer.from(JSON.stringify(next));
        // what is given back must not depend on room for it
        const reclaims = current !== undefined && value.length <= current.value.length;
        const result = await store.commit({ key, value, expected: current?.revision ?? zeroRevision, reclaims });
        if (result.kind === 'committed') return;
        current = result.current;
      }
      throw serviceUnavailable(`too many writers change ${key} at the same time`);
    },
  };
}

function read({ key, type }: RecordDefinition, value: Uint8Array): unknown {
  try {
    const source = bufferOf(value);
    return isEnvelope(source)
      ? decodeObjectMessage(type, Uint8Array.from(openEnvelope(source).raw))
      : decoderOf(type)(JSON.parse(source.toString()), new DecodeContext());
  } catch (error) {
    throw plainError(`the record ${key} cannot be read: ${(error as Error).message}`);
  }
}

function readIfPossible(record: RecordDefinition, value: Uint8Array, onUnreadable: OnUnreadable): unknown {
  try {
    return read(record, value);
  } catch (error) {
    onUnreadable(record.key, (error as Error).message);
    return undefined;
  }
}
