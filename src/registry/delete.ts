// Deleting an object: at once when nothing holds it, otherwise by marking it and waiting.

import { isPromise } from '../base/maybe-promise.ts';
import type { DeleteOptions } from '../groups/meta/v1/types.ts';
import { type ApiObject, type ObjectRef, withMeta } from '../meta/object.ts';
import { conflict, modifiedMessage, notFound } from '../meta/status.ts';
import { formatTime } from '../meta/time.ts';
import type { StoredEntry } from '../storage/store.ts';
import { release } from './allocated.ts';
import type { Registry } from './registry.ts';
import type { StoredObject } from './stored-object.ts';
import type { WriteOptions } from './write-options.ts';

export interface DeleteRequest extends WriteOptions {
  readonly options: DeleteOptions;
}

export interface DeleteResult {
  /** The last state of the object. */
  readonly stored: StoredObject;
  /** False while finalizers, or the kind itself, still hold it. */
  readonly removed: boolean;
}

const maxAttempts = 100;

export async function remove(registry: Registry, ref: ObjectRef, request: DeleteRequest): Promise<DeleteResult> {
  const fresh = registry.fresh({ mode: 'latest' });
  if (isPromise(fresh)) await fresh;
  let current = registry.cache.get(registry.key(ref));
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    if (current === undefined) throw notFound(registry.subject(ref.name));
    const old = current.parse();
    checkPreconditions(registry, old, current, request.options);
    await request.admit?.(old, old);
    const outcome = isHeld(registry, old)
      ? await mark(registry, current, old, request)
      : await drop(registry, current, old, request);
    if (outcome.kind === 'done') return outcome.result;
    current = outcome.current && registry.stored(outcome.current);
  }
  throw conflict(registry.subject(ref.name), modifiedMessage);
}

/** Whether an object that is being deleted has nothing left to wait for. */
export function removesItself(registry: Registry, object: ApiObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && !isHeld(registry, object);
}

function isHeld(registry: Registry, object: ApiObject): boolean {
  return (object.metadata.finalizers ?? []).length > 0 || (registry.strategy.isHeld?.(object) ?? false);
}

function checkPreconditions(
  registry: Registry,
  old: ApiObject,
  current: StoredObject,
  { preconditions }: DeleteOptions,
): void {
  const subject = registry.subject(old.metadata.name ?? '');
  const { uid, resourceVersion } = preconditions ?? {};
  if (uid !== undefined && uid !== old.metadata.uid) {
    throw conflict(
      subject,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== String(current.revision)) {
    const why = `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${current.revision}`;
    throw conflict(subject, why);
  }
}

/** The first delete sets the time; later ones change nothing. */
function markDeleted(registry: Registry, old: ApiObject): ApiObject {
  if (old.metadata.deletionTimestamp !== undefined) return old;
  const deletionTimestamp = formatTime(registry.clock.now());
  const marked = withMeta(old, { deletionTimestamp, deletionGracePeriodSeconds: 0 });
  return registry.strategy.beginDeletion?.(marked, registry.context) ?? marked;
}

type Outcome =
  | { readonly kind: 'done'; readonly result: DeleteResult }
  | { readonly kind: 'lost'; readonly current: StoredEntry | undefined };

async function mark(
  registry: Registry,
  current: StoredObject,
  old: ApiObject,
  request: DeleteRequest,
): Promise<Outcome> {
  const marked = markDeleted(registry, old);
  const done = (stored: StoredObject): Outcome => ({ kind: 'done', result: { stored, removed: false } });
  if (marked === old) return done(current);
  const value = registry.encode(marked);
  const { key, revision } = current;
  if (request.dryRun) return done(registry.stored({ key, value, revision }));
  const write = { key, value, expected: revision };
  const result = await registry.commit(write);
  return result.kind === 'committed'
    ? done(registry.committed(write, result))
    : { kind: 'lost', current: result.current };
}

async function drop(
  registry: Registry,
  current: StoredObject,
  old: ApiObject,
  request: DeleteRequest,
): Promise<Outcome> {
  const done: Outcome = { kind: 'done', result: { stored: current, removed: true } };
  if (request.dryRun) return done;
  const result = await registry.commit({ key: current.key, value: undefined, expected: current.revision });
  if (result.kind === 'conflict') return { kind: 'lost', current: result.current };
  await release(registry, old);
  return done;
}
