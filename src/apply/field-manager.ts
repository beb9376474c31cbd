// metadata.managedFields of one kind, through one subresource or none: who owns what after a create, an update, an
// apply.

import { isJsonObject, isSameJson, type JsonObject, type JsonValue } from '../base/json/json.ts';
import { andThen, type MaybePromise, orElse } from '../base/maybe-promise.ts';
import { type ApiObject, withMeta, withMetaField } from '../meta/object.ts';
import { badRequest, plainError } from '../meta/status.ts';
import type { ObjectType } from '../schema/object-type.ts';
import { difference, emptySet, type FieldSet, isEmpty, union } from './fields/field-set.ts';
import {
  allowedByLastApplied,
  areTooLong,
  buildLastApplied,
  clientSideManager,
  lastAppliedOf,
} from './last-applied.ts';
import { applyConflict, type Conflict, ConflictError } from './merge/conflict.ts';
import {
  capUpdates,
  isSameManager,
  type Manager,
  type ManagerName,
  type Operation,
  ownerOf,
  readForeignManagers,
  readManagers,
  rewritten,
  writeManagers,
  writtenEntry,
} from './merge/managers.ts';
import { type Applied, afterApply, afterUpdate, type Versions } from './merge/ownership.ts';
import { checkFit, MisfitError } from './typed/check.ts';
import { isSame } from './typed/compare.ts';
import { CreatedFields } from './typed/created-fields.ts';
import { MissingKeyError } from './typed/list-items.ts';
import { objectTopology } from './typed/object-topology.ts';
import { type StructTopology, zeroObject } from './typed/topology.ts';

interface FieldManagerOptions {
  readonly type: ObjectType;
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Fields (`status`, `metadata.labels`) that a write through here does not change, whatever it says. */
  readonly ignored: readonly string[];
  /** Other versions of the kind in which managers may have written. */
  readonly versions?: Versions;
  /** Annotation in which client-side apply remembers what it applied. */
  readonly lastAppliedAnnotation: string;
  /** Why no object can be made of what an apply merged, where that is so. */
  readonly applyProblem?: string | undefined;
  /** Whether writes are recorded also of an object whose managedFields are empty, where no apply has begun to keep them. */
  readonly tracksAlways: boolean;
  /** How a configuration is refused that does not fit the kind. */
  readonly refuseMisfit?: (text: string) => Error;
}

/** What a client said about managedFields in an object it sent. */
export type GivenManagers = 'none' | 'reset' | readonly unknown[];

interface UpdateInput {
  /** The object as it is; undefined when it is being created. */
  readonly live: ApiObject | undefined;
  readonly next: ApiObject;
  readonly given: GivenManagers;
  readonly manager: string;
  /** Undefined where the write has no time of its own. */
  readonly now: string | undefined;
}

interface ApplyInput {
  readonly live: ApiObject | undefined;
  readonly config: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  readonly now: string | undefined;
}

const unknownManager = 'unknown';
const beforeFirstApply = 'before-first-apply';

export class FieldManager {
  readonly #options: FieldManagerOptions;
  readonly #topology: StructTopology;
  readonly #versions: Versions;
  readonly #created = new CreatedFields();
  #zero: Record<string, unknown> | undefined;

  constructor(options: FieldManagerOptions) {
    this.#options = options;
    this.#topology = objectTopology(options.type, options.ignored);
    const { apiVersion: own, versions } = options;
    this.#versions = {
      topologyOf: (apiVersion) => (apiVersion === own ? this.#topology : versions?.topologyOf(apiVersion)),
      convert: (object, from, to) =>
        from === to || versions === undefined ? object : versions.convert(object, from, to),
    };
  }

  /**
   * `next` with its managedFields after a write that is no apply.
   * compat: an object with an item that lacks the keys of its list has no managedFields any more
   */
  update(input: UpdateInput): MaybePromise<ApiObject> {
    return orElse(
      () => this.#updateRecords(input),
      (error) => {
        if (error instanceof MissingKeyError) return withMeta(input.next, { managedFields: undefined });
        throw error;
      },
    );
  }

  #updateRecords({ live, next, given, manager, now }: UpdateInput): MaybePromise<ApiObject> {
    if (live === undefined && given === 'none') return this.#create(next, manager, now);
    const managers = this.#startFrom(live, given);
    const isUntracked = live !== undefined && managers.length === 0;
    if (isUntracked && !this.#options.tracksAlways) return withMeta(next, { managedFields: undefined });
    const by = this.#name(manager, 'Update');
    const request = { live: live ?? this.#nothing, next, managers, by, versions: this.#versions };
    return andThen(afterUpdate(request), (owned) => {
      const all = capUpdates(withTaken(owned.managers, by, owned.taken, now));
      return withManagers(next, writeManagers(all, live?.metadata.managedFields));
    });
  }

  /** The common case, made cheap: no manager owned anything before. */
  #create(next: ApiObject, manager: string, now: string | undefined): ApiObject {
    const fields = this.#created.of(this.#topology, this.#nothing, next);
    if (fields === '{}') return next;
    return withManagers(next, [writtenEntry(this.#name(manager, 'Update'), now, fields)]);
  }

  /** Who owns what before the change. Clients that do not understand managedFields cannot lose them by accident. */
  #startFrom(live: ApiObject | undefined, given: GivenManagers): readonly Manager[] {
    const isOwn = this.#options.subresource === '';
    if (isOwn && given === 'reset') return [];
    const sent = isOwn && given !== 'none' && given !== 'reset' ? readForeignManagers(given) : undefined;
    if (sent !== undefined && sent.length > 0) return sent;
    return readManagers(live?.metadata.managedFields) ?? [];
  }

  /** The live object with the configuration merged in, before defaults. Throws a 409 that names every conflict. */
  apply(input: ApplyInput): MaybePromise<ApiObject> {
    checkConfiguration(this.#topology, input.config, this.#options.refuseMisfit);
    const by = this.#name(input.manager, 'Apply');
    return andThen(this.#applyAs(by, input), (applied) => this.#asApplied(by, input, applied));
  }

  #asApplied(by: ManagerName, { live, config, manager, now }: ApplyInput, applied: Applied): ApiObject {
    const { applyProblem } = this.#options;
    const isUnchanged = isNoChange(live, applied);
    if (!isUnchanged && applyProblem !== undefined) throw unapplicable('new', config, applyProblem);
    const managers = isUnchanged
      ? applied.managers
      : applied.managers.map((entry) => (isSameManager(entry, by) ? rewritten(entry, by, now, entry.fields) : entry));
    const merged = applied.object as ApiObject;
    // a configuration may leave metadata out altogether
    const named = (merged.metadata as unknown) ? merged : { ...merged, metadata: {} };
    const object = withManagers(named, writeManagers(managers, live?.metadata.managedFields));
    return manager === clientSideManager ? this.#syncLastApplied(object, config) : object;
  }

  #applyAs(by: ManagerName, { live, config, force, now }: ApplyInput): MaybePromise<Applied> {
    const { applyProblem } = this.#options;
    if (applyProblem !== undefined && !live?.metadata.managedFields) throw unapplicable('live', config, applyProblem);
    return andThen(this.#managersOf(live, now), (managers) => {
      const request = { live: live ?? emptyObject, config, managers, by, versions: this.#versions, force };
      return orElse(
        () => afterApply(request),
        (error) => {
          if (error instanceof MissingKeyError && live !== undefined) throw this.#misfitOf(live, liveMisfit, error);
          if (!(error instanceof ConflictError)) throw error;
          const left = by.manager === clientSideManager ? this.#notClientSide(error.conflicts, live) : error.conflicts;
          if (left.length > 0) throw applyConflict(left);
          return afterApply({ ...request, force: true });
        },
      );
    });
  }

  /** Why nothing can be applied to an object with an item that lacks the keys of its list. */
  #misfitOf(live: ApiObject, words: MisfitWords, cause: MissingKeyError): Error {
    try {
      checkFit(this.#topology, live, true);
    } catch (error) {
      if (error instanceof MisfitError) return plainError(words(shownName(live), error.message));
      throw error;
    }
    return cause;
  }

  /** Conflicts over fields that client-side apply had set and that were not changed since are none. */
  #notClientSide(conflicts: readonly Conflict[], live: ApiObject | undefined): readonly Conflict[] {
    const { lastAppliedAnnotation, apiVersion } = this.#options;
    const text = live && lastAppliedOf(live, lastAppliedAnnotation);
    const allowed = live && text ? allowedByLastApplied(this.#topology, live, text, apiVersion) : emptySet;
    return conflicts
      .map(({ owner, fields }) => ({ owner, fields: difference(fields, allowed) }))
      .filter(({ fields }) => !isEmpty(fields));
  }

  #managersOf(live: ApiObject | undefined, now: string | undefined): MaybePromise<readonly Manager[]> {
    return orElse(
      () => this.#managersBefore(live, now),
      (error) => {
        if (error instanceof MissingKeyError && live !== undefined) throw this.#misfitOf(live, unmanagedMisfit, error);
        throw error;
      },
    );
  }

  /** Fields of an object that never had managers belong to the manager `before-first-apply`. */
  #managersBefore(live: ApiObject | undefined, now: string | undefined): MaybePromise<readonly Manager[]> {
    if (live === undefined) return [];
    const managers = readManagers(live.metadata.managedFields);
    if (managers === undefined) throw plainError('failed to decode managed fields');
    if (managers.length > 0) return managers;
    const by = this.#name(beforeFirstApply, 'Update');
    const owned = afterUpdate({ live: this.#nothing, next: live, managers, by, versions: this.#versions });
    return andThen(owned, ({ managers: others, taken }) => withTaken(others, by, taken, now));
  }

  /** Client-side apply, should it come back, finds what was applied meanwhile. */
  #syncLastApplied(object: ApiObject, config: JsonObject): ApiObject {
    const annotation = this.#options.lastAppliedAnnotation;
    if (!lastAppliedOf(object, annotation)) return object;
    const { [annotation]: _, ...others } = object.metadata.annotations ?? {};
    const annotations = { ...others, [annotation]: buildLastApplied(config, annotation) };
    return withMeta(object, { annotations: areTooLong(annotations) ? others : annotations });
  }

  #name(manager: string, operation: Operation): ManagerName {
    const { apiVersion, subresource } = this.#options;
    return { manager: manager === '' ? unknownManager : manager, operation, apiVersion, subresource };
  }

  /** An object about which nothing was said. */
  get #nothing(): object {
    this.#zero ??= zeroObject(this.#topology);
    return this.#zero;
  }
}

/** compat: who only agrees with what is there is recorded without a time */
function isNoChange(live: object | undefined, { object, comparison }: Applied): boolean {
  return object === live || (live !== undefined && isSame(comparison) && isSameJson(object, live));
}

/**
 * Throws for a configuration that says what only the server may say, or that does not fit its kind.
 * compat: a configuration that does not fit its kind is a bare 500
 */
export function checkConfiguration(
  topology: StructTopology,
  config: JsonObject,
  refuse: (text: string) => Error = plainError,
): void {
  if (isJsonObject(config['metadata']) && Array.isArray(config['metadata']['managedFields'])) {
    throw badRequest('metadata.managedFields must be nil');
  }
  try {
    checkFit(topology, config);
  } catch (error) {
    if (error instanceof MisfitError)
      throw refuse(`failed to create typed patch object ${shownName(config)}: ${error.message}`);
    throw error;
  }
}

const emptyObject = {};

function withManagers(object: ApiObject, managedFields: readonly unknown[] | undefined): ApiObject {
  if (managedFields === object.metadata.managedFields) return object;
  if (managedFields === undefined) return withMeta(object, { managedFields });
  return withMetaField(object, 'managedFields', managedFields);
}

/** Adds what a manager took to what it had; the time changes only when it took something. */
function withTaken(
  managers: readonly Manager[],
  by: ManagerName,
  taken: FieldSet,
  now: string | undefined,
): readonly Manager[] {
  if (isEmpty(taken)) return managers;
  const at = managers.findIndex((entry) => isSameManager(entry, by));
  const before = managers[at];
  if (before === undefined) return [...managers, ownerOf(by, now, taken)];
  return managers.with(at, rewritten(before, by, now, union(before.fields, taken)));
}

/** Why nothing was applied, where only an apply that changes nothing can be: the new object, or the live one, is none. */
function unapplicable(which: 'new' | 'live', config: JsonObject, why: string): Error {
  const { kind, apiVersion } = config as { kind: JsonValue; apiVersion: JsonValue };
  if (which === 'new') return plainError(`failed to convert new object ${shownName(config)} to proper version: ${why}`);
  const name = shownName({ kind, apiVersion });
  return plainError(
    `failed to create manager for existing fields: failed to convert live object ${name} to proper version: ${why}`,
  );
}

/** Why an object does not fit, after its name. */
type MisfitWords = (name: string, why: string) => string;

const liveMisfit: MisfitWords = (name, why) => `failed to create typed live object ${name}: ${why}`;
const unmanagedMisfit: MisfitWords = (name, why) =>
  `failed to create manager for existing fields: failed to convert new object ${name} to smd typed: ${why}`;

/** `(namespace/name; group/version, Kind=kind)` */
function shownName(object: Readonly<Record<string, unknown>>): string {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  const path = [metadata['namespace'], metadata['name']]
    .map((part) => (typeof part === 'string' ? part : ''))
    .join('/');
  const kind = `${String(object['apiVersion'] ?? '')}, Kind=${String(object['kind'] ?? '')}`;
  return `(${path}; ${kind.includes('/') ? kind : `/${kind}`})`;
}
