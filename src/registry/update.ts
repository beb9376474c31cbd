// Changing an object: read, change, check, write if no other client did in the meantime.

import type { Turn } from '../base/keyed-mutex.ts';
import { andThen, isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import { invalidValue } from '../meta/field-errors.ts';
import { findAll, type Rules } from '../meta/find-each.ts';
import { type ApiObject, type ObjectRef, withMeta } from '../meta/object.ts';
import { parseRevision } from '../meta/revision.ts';
import { ApiError, conflict, invalid, modifiedMessage, notFound } from '../meta/status.ts';
import type { PartSubresource } from '../schema/part-subresource.ts';
import type { UpdateChecks } from '../schema/strategy.ts';
import type { StoredEntry } from '../storage/store.ts';
import { create } from './create.ts';
import { removesItself } from './deletion-plan.ts';
import { nextGeneration, ownMetaOnUpdate, times, validateMetaUpdate, withStatusOf } from './object-meta.ts';
import type { Registry } from './registry.ts';
import type { StoredObject } from './stored-object.ts';
import { throwIfInvalid } from './throw-if-invalid.ts';
import { isUntouched } from './untouched.ts';
import { release, withAllocation } from './with-allocation.ts';
import { sendWarnings, type WriteOptions } from './write-options.ts';

export interface Change extends WriteOptions {
  /** The part of the object written through a subresource, if any. */
  readonly subresource?: PartSubresource | undefined;
  /** Makes the next object from the current one; undefined stands for one that does not exist. */
  next(current: ApiObject | undefined): MaybePromise<ApiObject>;
  /** The uid that the object must have; anything else is a conflict. */
  readonly expectedUid?: string | undefined;
  /** Whether a missing object may be created: always, or where the resource allows it. */
  readonly mayCreate?: 'always' | 'where allowed' | undefined;
  /** Asked before an object is created; throws where the user may only change objects that exist. */
  permitCreate?(): MaybePromise<void>;
}

interface UpdateResult {
  readonly stored: StoredObject;
  readonly created: boolean;
}

/** Lost races are tried again on the newer object; a change that names a version then finds that it is stale. */
const maxAttempts = 100;

/** A deletion must be able to end on a full disk: finalizers go, and the status says what is waited for. */
const endingSlack = 4096;

export async function update(registry: Registry, ref: ObjectRef, change: Change): Promise<UpdateResult> {
  const key = registry.key(ref);
  const taken = registry.turns.take(key);
  const turn = isPromise(taken) ? await taken : taken;
  try {
    const fresh = registry.fresh({ mode: 'latest' });
    if (isPromise(fresh)) await fresh;
    let current = registry.cache.get(key);
    for (let attempt = 1; ; attempt++) {
      const isMissing = current === undefined;
      const outcome = await (current === undefined
        ? createInstead(registry, ref, change)
        : tryOnce(registry, current, change, turn));
      if (outcome.kind === 'done') return { stored: outcome.stored, created: isMissing };
      if (attempt === maxAttempts) throw conflict(registry.subject(ref.name), modifiedMessage);
      current = outcome.current;
    }
  } finally {
    turn.end();
  }
}

async function createInstead(registry: Registry, ref: ObjectRef, change: Change): Promise<Outcome> {
  if (await registry.unreadable(ref)) await registry.missing(ref);
  const { mayCreate } = change;
  const isAllowed = mayCreate === 'always' || (mayCreate !== undefined && registry.definition.quirks?.createOnUpdate);
  if (!isAllowed) throw notFound(registry.subject(ref.name));
  await change.permitCreate?.();
  const wanted = await change.next(undefined);
  // an apply says in other words that there is no such object
  if (mayCreate !== 'always') checkUid(registry, wanted.metadata.uid, { ...wanted, metadata: ref }, change.dryRun);
  const { resourceVersion = '' } = wanted.metadata;
  if (resourceVersion !== '' && parseRevision(resourceVersion) === undefined)
    throw registry.invalidResourceVersion(resourceVersion);
  const input = change.dryRun ? wanted : withMeta(wanted, { resourceVersion: undefined });
  try {
    return { kind: 'done', kept: true, stored: await create(registry, input, change) };
  } catch (error) {
    // another client was faster
    if (error instanceof ApiError && error.reason === 'AlreadyExists')
      return lost(registry, await registry.read(registry.key(ref)));
    throw error;
  }
}

type Outcome =
  | { readonly kind: 'done'; readonly kept: boolean; readonly stored: StoredObject }
  | { readonly kind: 'lost'; readonly kept: false; readonly current: StoredObject | undefined };

async function tryOnce(registry: Registry, current: StoredObject, change: Change, turn: Turn): Promise<Outcome> {
  change.moveIfLarge?.(current.size);
  const decoded = registry.decoded(current);
  const old = isPromise(decoded) ? await outside(turn, decoded) : decoded;
  checkUid(registry, change.expectedUid, old, change.dryRun);
  const write = (object: ApiObject) => writeOnce(registry, current, old, object, change, turn);
  const proceed = (produced: ApiObject) => {
    checkVersion(registry, produced, current);
    // parts of an object need nothing that it does not have already
    return change.subresource ? write(produced) : withAllocation(registry, produced, old, change.dryRun, write);
  };
  const produced = change.next(old);
  return isPromise(produced) ? outside(turn, produced).then(proceed) : proceed(produced);
}

/** Other writers do not wait for what is decided elsewhere: that may take long, and may itself want to change the object. */
function outside<T>(turn: Turn, decision: Promise<T>): Promise<T> {
  turn.end();
  return decision;
}

async function writeOnce(
  registry: Registry,
  current: StoredObject,
  old: ApiObject,
  produced: ApiObject,
  change: Change,
  turn: Turn,
): Promise<Outcome> {
  const next = makeNext(registry, produced, old, change);
  const checked = check(registry, next, old, change);
  if (isPromise(checked)) await checked;
  const admitted = change.admit?.(next, old);
  if (isPromise(admitted)) await outside(turn, admitted);
  if (isUntouched(old, next) && isCurrent(registry, current)) {
    const outdated = isOutdated(registry, current, change);
    if (!(isPromise(outdated) ? await outdated : outdated)) return done(registry.view.of(current));
  }
  const drafted = registry.draft(next, old);
  const draft = isPromise(drafted) ? await outside(turn, drafted) : drafted;
  const { value } = draft;
  if (!change.dryRun) change.beforeCommit?.();
  if (removesItself(registry, next)) return removed(registry, current, old, value, change);
  if (change.dryRun) return done(registry.shown({ key: current.key, value, revision: current.revision }));
  const reclaims = old.metadata.deletionTimestamp !== undefined && value.length < current.size + endingSlack;
  const write = { key: current.key, value, expected: current.revision, reclaims };
  const result = await registry.commit(write, change.notes);
  if (result.kind !== 'committed') return lost(registry, result.current);
  if (change.subresource !== undefined) registry.counted(change.subresource, next, old);
  return done(registry.committed(draft, write.key, result.revision));
}

/** An object that was stored in another version is stored again by each write: that is how stored versions are migrated. */
function isCurrent({ versions: { stored } }: Registry, { definition }: StoredObject): boolean {
  return definition === stored || (definition.version === stored.version && definition.group === stored.group);
}

/** So is one that is encrypted with an old key, or not yet: that is how keys are replaced. */
function isOutdated({ kind }: Registry, { key }: StoredObject, { dryRun }: Change): MaybePromise<boolean> {
  return !dryRun && (kind.store.isStale?.(key) ?? false);
}

function done(stored: MaybePromise<StoredObject>): MaybePromise<Outcome> {
  return andThen(stored, (shown) => ({ kind: 'done', kept: true, stored: shown }));
}

/** The last finalizer of a terminating object went: so does the object. */
async function removed(
  registry: Registry,
  current: StoredObject,
  old: ApiObject,
  value: Uint8Array,
  { dryRun, notes }: Change,
): Promise<Outcome> {
  const { key, revision } = current;
  const shown = registry.shown({ key, value, revision });
  const stored = isPromise(shown) ? await shown : shown;
  if (dryRun) return { kind: 'done', kept: false, stored };
  const result = await registry.commit({ key, value: undefined, expected: revision }, notes);
  if (result.kind === 'conflict') return lost(registry, result.current);
  await release(registry, old);
  return { kind: 'done', kept: false, stored };
}

function lost(registry: Registry, entry: StoredEntry | undefined): Outcome {
  return { kind: 'lost', kept: false, current: entry && registry.kind.materialize(entry) };
}

/** A change that names a version must name the current one. */
function checkVersion(registry: Registry, next: ApiObject, current: StoredObject): void {
  const { resourceVersion = '', name = '' } = next.metadata;
  if (resourceVersion === '' || resourceVersion === '0') {
    if (registry.definition.quirks?.conditionalUpdateOnly) {
      const { group, resource } = registry.subject(name);
      // compat: the resource stands where validation errors otherwise name the kind
      throw invalid({ group, kind: resource, name }, [
        invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'),
      ]);
    }
    return;
  }
  const wanted = parseRevision(resourceVersion);
  if (wanted === undefined) throw registry.invalidResourceVersion(resourceVersion);
  if (wanted !== current.revision) throw conflict(registry.subject(name), modifiedMessage);
}

/** Through most parts, metadata is only looked at for what changed, and the rest not at all. */
const partChecks: UpdateChecks = { meta: 0 };

function checksOf({ strategy }: Registry, part: PartSubresource | undefined): UpdateChecks {
  if (part === undefined || part.validatesWhole) return strategy.updateChecks ?? {};
  return { ...partChecks, ...part.updateChecks, fields: 0 };
}

/** The object that would be stored if rules have nothing against it. */
function makeNext(registry: Registry, produced: ApiObject, old: ApiObject, change: Change): ApiObject {
  const { context, definition, offFields } = registry;
  const { subresource } = change;
  const owned = ownMetaOnUpdate(produced, old, change.dryRun);
  const given = subresource ? owned : withStatusOf(definition, owned, old);
  const known = offFields.without(definition.type, given, old);
  const prepared = subresource ? subresource.merge(known, old, context) : prepare(registry, known, old);
  const compared = definition.quirks?.generationCountsOff ? owned : prepared;
  const generation = nextGeneration(definition, { next: compared, old, part: subresource?.name });
  return withMeta(prepared, { generation });
}

/** Throws where a rule of metadata or of the kind is against the object; sends the warnings of the kind. */
function check(registry: Registry, next: ApiObject, old: ApiObject, change: Change): MaybePromise<void> {
  const { strategy, definition } = registry;
  const { subresource, warn } = change;
  const { moveIfPossible } = change;
  const context = registry.contextFor({ dryRun: change.dryRun, moveIfPossible });
  const checks = checksOf(registry, subresource);
  const aboutFields: readonly Rules[] = [
    () => (checks.fields === 0 ? [] : times(checks.fields ?? 1, strategy.validate?.(next, context) ?? [])),
    () => (checks.fields === 0 ? [] : strategy.validateWrite?.(next, old, context)),
  ];
  const aboutChange: Rules = () => (subresource ?? strategy).validateUpdate?.(next, old, context);
  const errors = findAll([
    () => validateMetaUpdate(next.metadata, old.metadata, checks, definition, context.dialect),
    ...(checks.changesFirst ? [aboutChange, ...aboutFields] : [...aboutFields, aboutChange]),
  ]);
  return andThen(throwIfInvalid(registry, next, old, errors, change, subresource ?? strategy), () => {
    if (warn) sendWarnings(warn, (subresource ?? strategy).warnings?.(next, old, context) ?? []);
  });
}

function prepare({ strategy, context }: Registry, next: ApiObject, old: ApiObject): ApiObject {
  return strategy.prepareForUpdate?.(next, old, context) ?? next;
}

/** Below this, other servers keep their objects too. */
const storeRoot = '/registry';

export function checkUid(
  registry: Registry,
  wanted: string | undefined,
  { metadata }: ApiObject,
  dryRun = false,
): void {
  const { uid, namespace = '', name = '' } = metadata;
  if (wanted === undefined || wanted === uid) return;
  const why = otherUid(wanted, uid);
  // compat: a dry run does not come as far as the store, which has a root
  const key = `${dryRun ? '' : storeRoot}${registry.key({ namespace, name })}`;
  // compat: an update of another object with the same name fails in the words of the store
  const told = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
  throw conflict(registry.subject(name), told);
}

export const otherUid = (wanted: string, uid: string | undefined): string =>
  `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${uid ?? ''}`;
