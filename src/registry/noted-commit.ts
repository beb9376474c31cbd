// A write to the store, with its time and outcome in the trace of the request.

import type { OpenSpan, RequestNotes, StoreVerdict } from '../meta/request-notes.ts';
import { zeroRevision } from '../meta/revision.ts';
import type { CommitResult, Write } from '../storage/store.ts';
import type { StoredKind } from './stored-kind.ts';

/** Names of kube-apiserver's spans, whatever the store. */
const spanNames = { create: 'Create etcd3', update: 'GuaranteedUpdate etcd3', delete: 'Delete etcd3' } as const;

export async function notedCommit(kind: StoredKind, write: Write, notes: RequestNotes): Promise<CommitResult> {
  const operation = operationOf(write);
  const { group, plural: resource, kind: type } = kind.versions.stored;
  const began = performance.now();
  const span = notes.begin(spanNames[operation], { key: write.key, type, group, resource });
  const note = (outcome: StoreVerdict['outcome'], revision?: string) => {
    const durationMs = Math.round((performance.now() - began) * 1000) / 1000;
    notes.stored({ operation, outcome, durationMs, ...(revision === undefined ? {} : { revision }) });
  };
  try {
    const result = await kind.commit(traced(write, span));
    span.event(result.kind === 'committed' ? 'Txn call succeeded' : 'Txn call completed');
    span.end();
    if (result.kind === 'committed') note('committed', String(result.revision));
    else note('conflict');
    return result;
  } catch (error) {
    span.end(undefined, (error as Error).message);
    note('failed');
    throw error;
  }
}

function operationOf({ value, expected }: Write): StoreVerdict['operation'] {
  if (value === undefined) return 'delete';
  return expected === zeroRevision ? 'create' : 'update';
}

/** A store on another server receives the context of the trace. */
function traced(write: Write, { headers }: OpenSpan): Write {
  return headers['traceparent'] === undefined ? write : { ...write, traceHeaders: headers };
}
