// Values that the server keeps beside the objects, in the same store.

import { bufferOf } from '../base/bytes.ts';
import { isEnvelope, openEnvelope } from '../codec/protobuf/envelope.ts';
import { decodeObjectMessage } from '../codec/protobuf/object-message.ts';
import { zeroRevision } from '../meta/revision.ts';
import { plainError, serviceUnavailable } from '../meta/status.ts';
import type { RecordDefinition, Records } from '../schema/resource.ts';
import type { Store } from '../storage/store.ts';

/** With this many lost races in a row something else is wrong. */
const maxAttempts = 100;

export function storedRecords(store: Store): Records {
  return {
    async update(record, change, unreadable = 'fails') {
      const { key } = record;
      let current = await store.get(key);
      for (let attempt = 1; attempt <= maxAttempts; attempt++) {
        const next = change(current && read(record, current.value, unreadable));
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

function read({ key, type }: RecordDefinition, value: Uint8Array, unreadable: 'fails' | 'is replaced'): unknown {
  try {
    const source = bufferOf(value);
    return isEnvelope(source)
      ? decodeObjectMessage(type, Uint8Array.from(openEnvelope(source).raw))
      : JSON.parse(source.toString());
  } catch (error) {
    if (unreadable === 'is replaced') return undefined;
    throw plainError(`the record ${key} cannot be read: ${(error as Error).message}`);
  }
}
