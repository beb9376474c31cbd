// Deleting an object: at once when nothing holds it, otherwise by marking it and waiting.

import { andThen, isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { DeleteOptions } from '../groups/meta/v1/types.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject, ObjectRef } from '../meta/object.ts';
import { conflict, modifiedMessage } from '../meta/status.ts';
import { checkPreconditions } from '../meta/write-errors.ts';
import type { StoredEntry } from '../storage/store.ts';
import { deletesUnreadable } from './delete-options.ts';
import { planDeletion } from './deletion-plan.ts';
import type { Registry } from './registry.ts';
import { StoredObject } from './stored-object.ts';
import { release } from './with-allocation.ts';
import type { WriteOptions } from './write-options.ts';

interface DeleteRequest extends WriteOptions {
  readonly options: DeleteOptions;
}

export interface DeleteResult {
  /** The last state of the object, as bytes and as values. */
  readonly stored: StoredObject;
  readonly object: ApiObject;
  /** False while grace, finalizers, or the kind itself, still hold it. */
  readonly removed: boolean;
}

const maxAttempts = 100;

export async function remove(registry: Registry, ref: ObjectRef, request: DeleteRequest): Promise<DeleteResult> {
  const fresh = registry.fresh({ mode: 'latest' });
  if (isPromise(fresh)) await fresh;
  let current = registry.cache.get(registry.key(ref));
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    if (current === undefined) return removeUnreadable(registry, ref, request);
    request.moveIfLarge?.(current.size);
    const viewed = registry.view.of(current);
    const { flaw } = isPromise(viewed) ? await viewed : viewed;
    if (flaw !== undefined && deletesUnreadable(request.options, registry.context.dialect))
      return removeAtOnce(registry, ref, current, request);
    const decoded = registry.decoded(current);
    const old = isPromise(decoded) ? await decoded : decoded;
    const shown = { ...old, metadata: { ...old.metadata, resourceVersion: String(current.revision) } };
    checkPreconditions(preconditionSubject(registry), shown, request.options);
    await request.admit?.(old, old);
    if (!request.dryRun) request.beforeCommit?.();
    const outcome = await tryOnce(registry, current, old, request);
    if (outcome.kind === 'done') return outcome.result;
    current = outcome.current && registry.kind.materialize(outcome.current);
  }
  throw conflict(registry.subject(ref.name), modifiedMessage);
}

/** compat: a delete of another object than the client knows is refused in the name of the kind, not of the resource. */
function preconditionSubject({ versions: { stored } }: Registry) {
  const { group, kind, plural, quirks } = stored;
  const saysFailed = quirks?.preconditionsByResource === true;
  return { group, resource: saysFailed ? plural : kind, saysFailed };
}

/** What cannot be read goes only when the client says that it knows: the server cannot tell which objects depended on it. */
async function removeUnreadable(registry: Registry, ref: ObjectRef, request: DeleteRequest): Promise<DeleteResult> {
  const entry = await registry.unreadable(ref);
  if (!entry || !deletesUnreadable(request.options, registry.context.dialect)) return registry.missing(ref);
  return removeAtOnce(registry, ref, entry, request);
}

async function removeAtOnce(
  registry: Registry,
  ref: ObjectRef,
  entry: Pick<StoredEntry, 'key' | 'revision'>,
  request: DeleteRequest,
): Promise<DeleteResult> {
  const { kind, group, version, namespaced } = registry.definition;
  const metadata = { name: ref.name, ...(namespaced ? { namespace: ref.namespace } : {}) };
  const object: ApiObject = { kind, apiVersion: formatApiVersion({ group, version }), metadata };
  await request.admit?.(object, object);
  const result = await registry.commit({ key: entry.key, value: undefined, expected: entry.revision }, request.notes);
  if (result.kind === 'conflict') throw conflict(registry.subject(ref.name), modifiedMessage);
  const value = Buffer.from(JSON.stringify(object));
  return { stored: StoredObject.unversioned(registry.definition, { ...entry, value }), object, removed: true };
}

type Outcome =
  | { readonly kind: 'done'; readonly result: DeleteResult }
  | { readonly kind: 'lost'; readonly current: StoredEntry | undefined };

function done(stored: MaybePromise<StoredObject>, object: ApiObject, removed: boolean): MaybePromise<Outcome> {
  return andThen(stored, (shown) => ({ kind: 'done', result: { stored: shown, object, removed } }));
}

async function tryOnce(
  registry: Registry,
  current: StoredObject,
  old: ApiObject,
  request: DeleteRequest,
): Promise<Outcome> {
  const plan = planDeletion(registry, old, request.options);
  switch (plan.does) {
    case 'nothing':
      return done(registry.view.of(current), old, false);
    case 'keep':
      return write(registry, current, plan.object, request);
    case 'remove': {
      if (plan.last === undefined) return drop(registry, current, old, request);
      // compat: an object with a grace period is shown with the time of its end before it goes
      const marked = await write(registry, current, plan.last, request);
      return marked.kind === 'done' ? drop(registry, marked.result.stored, plan.last, request) : marked;
    }
  }
}

async function write(
  registry: Registry,
  current: StoredObject,
  next: ApiObject,
  { dryRun, notes }: WriteOptions,
): Promise<Outcome> {
  const draft = await registry.draftOfDeleted(next);
  const { value } = draft;
  const { key, revision } = current;
  if (dryRun) return done(registry.shown({ key, value, revision }), next, false);
  const result = await registry.commit({ key, value, expected: revision, reclaims: true }, notes);
  return result.kind === 'committed'
    ? done(registry.committed(draft, key, result.revision), next, false)
    : { kind: 'lost', current: result.current };
}

async function drop(
  registry: Registry,
  current: StoredObject,
  object: ApiObject,
  { dryRun, notes }: WriteOptions,
): Promise<Outcome> {
  if (dryRun) return done(registry.view.of(current), object, true);
  const result = await registry.commit({ key: current.key, value: undefined, expected: current.revision }, notes);
  if (result.kind === 'conflict') return { kind: 'lost', current: result.current };
  await release(registry, object);
  return done(
    // compat: what is gone is shown with the version at which it went
    andThen(registry.view.of(current), (shown) => shown.at(result.revision)),
    object,
    true,
  );
}
