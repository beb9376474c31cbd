// Values that the server keeps beside the objects, in the same store.

import { zeroRevision } from '../meta/revision.ts';
import { serviceUnavailable } from '../meta/status.ts';
import type { Records } from '../schema/resource.ts';
import type { Store } from '../storage/store.ts';

/** With this many lost races in a row something else is wrong. */
const maxAttempts = 100;

export function storedRecords(store: Store): Records {
  return {
    async update(key, change) {
      let current = await store.get(key);
      for (let attempt = 1; attempt <= maxAttempts; attempt++) {
        const next = change(current && JSON.parse(Buffer.from(current.value).toString()));
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
