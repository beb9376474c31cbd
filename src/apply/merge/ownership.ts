// How a change moves ownership: the manager that changes a field takes it from its owners, and what is gone has none.

import type { JsonObject } from '../../base/json.ts';
import type { Steps } from '../../base/steps.ts';
import { emptySet, type FieldSet, isEmpty } from '../fields/field-set.ts';
import {
  checkingEqual,
  checkingWithin,
  intersecting,
  subtracting,
  uniting,
  unitingAll,
} from '../fields/field-set-steps.ts';
import { type Comparison, comparing, isSame } from '../typed/compare.ts';
import { findingFields } from '../typed/fields-of.ts';
import { merging } from '../typed/merge.ts';
import { addingNamedFields, partlyOwned } from '../typed/named-fields.ts';
import { reconciling } from '../typed/reconcile.ts';
import { removingFields } from '../typed/remove.ts';
import type { StructTopology } from '../typed/topology.ts';
import { type Conflict, ConflictError } from './conflict.ts';
import { isSameManager, type Manager, type ManagerName, ownerOf } from './managers.ts';

/** The versions of a kind. */
export interface Versions {
  /** Undefined for a version that no longer exists: who used it owns nothing any more. */
  topologyOf(apiVersion: string): StructTopology | undefined;
  /** The same object in another version. */
  converting(object: object, from: string, to: string): Steps<object>;
}

interface Owned {
  readonly managers: readonly Manager[];
  readonly comparison: Comparison;
}

interface Request {
  readonly live: object;
  readonly managers: readonly Manager[];
  /** Who asks; its apiVersion is that of the objects. */
  readonly by: ManagerName;
  readonly versions: Versions;
}

const need = (versions: Versions, apiVersion: string): StructTopology => {
  const topology = versions.topologyOf(apiVersion);
  if (topology === undefined) throw new Error(`the version of the request, ${apiVersion}, is unknown`);
  return topology;
};

/** Ownership after `next` has replaced `live`. Returns what the change itself took, apart. */
export function* afterUpdate(
  request: Request & { readonly next: object },
): Steps<Owned & { readonly taken: FieldSet }> {
  const { live, next, by, versions } = request;
  const managers = yield* reconciled(request);
  yield;
  const comparison = yield* comparing(need(versions, by.apiVersion), live, next);
  if (isSame(comparison)) return { managers, comparison, taken: emptySet };
  yield;
  const move = new Move(live, next, comparison, by, versions);
  const taken = yield* uniting(comparison.modified, comparison.added);
  yield;
  return { managers: yield* move.run(managers), comparison, taken };
}

export interface Applied extends Owned {
  /** The merged object, before defaults. */
  readonly object: object;
}

/** Merges a configuration into the live object. Throws a `ConflictError` unless forced. */
export function* afterApply(request: Request & { readonly config: object; readonly force: boolean }): Steps<Applied> {
  const { live, config, by, versions } = request;
  const topology = need(versions, by.apiVersion);
  const known = yield* reconciled(request);
  yield;
  const last = known.find((entry) => isSameManager(entry, by));
  const applier = yield* applierOf(by, last, yield* findingFields(topology, config));
  const others = last === undefined ? known : known.filter((entry) => entry !== last);
  yield;
  const merged = yield* merging(topology, live, config);
  yield;
  const object = yield* prune({ merged, config, others, applier, last, versions });
  yield;
  const comparison = yield* comparing(topology, live, object);
  yield;
  const move = new Move(live, object, comparison, by, versions);
  const left = yield* move.run(others);
  if (move.conflicts.length > 0 && !request.force) throw new ConflictError(move.conflicts);
  return { object, managers: isEmpty(applier.fields) ? left : [...left, applier], comparison };
}

/** Who applies what it did the last time is the very manager it was. */
function* applierOf(by: ManagerName, last: Manager | undefined, fields: FieldSet): Steps<Manager> {
  if (last?.apiVersion === by.apiVersion && (yield* checkingEqual(last.fields, fields))) return last;
  return ownerOf(by, last?.time, fields);
}

/** The managers under today's schemas; those of versions that are gone are gone too. */
function* reconciled({ managers, versions }: Request): Steps<readonly Manager[]> {
  let result: (Manager | undefined)[] | undefined;
  for (const [index, entry] of managers.entries()) {
    const topology = versions.topologyOf(entry.apiVersion);
    const fields = topology && (yield* reconciling(topology, entry.fields));
    if (fields === entry.fields) continue;
    result ??= [...managers];
    result[index] = fields && ownerOf(entry, entry.time, fields);
  }
  return result?.filter((entry) => entry !== undefined) ?? managers;
}

/** Takes what a change changed or removed from those who owned it. */
class Move {
  /** What was taken from others. */
  readonly conflicts: Conflict[] = [];
  readonly #live: object;
  readonly #next: object;
  readonly #comparison: Comparison;
  readonly #by: ManagerName;
  readonly #versions: Versions;
  #others: Map<string, Comparison | undefined> | undefined;

  /** `comparison` is in the version of the request. */
  constructor(live: object, next: object, comparison: Comparison, by: ManagerName, versions: Versions) {
    this.#live = live;
    this.#next = next;
    this.#comparison = comparison;
    this.#by = by;
    this.#versions = versions;
  }

  /** Those who still own something. */
  *run(managers: readonly Manager[]): Steps<readonly Manager[]> {
    const left: Manager[] = [];
    for (const entry of managers) {
      const comparison = yield* this.#comparisonAt(entry.apiVersion);
      if (comparison === undefined) continue;
      yield;
      const lost = isSameManager(entry, this.#by) ? emptySet : yield* this.#lostBy(entry, comparison);
      const kept = yield* subtracting(entry.fields, lost);
      const fields = yield* subtracting(kept, comparison.removed);
      if (!isEmpty(fields)) left.push(fields === entry.fields ? entry : ownerOf(entry, entry.time, fields));
    }
    return left;
  }

  *#lostBy(owner: Manager, { modified, added }: Comparison): Steps<FieldSet> {
    const shared = yield* intersecting(owner.fields, modified);
    const fields = yield* uniting(shared, yield* intersecting(owner.fields, added));
    if (!isEmpty(fields)) this.conflicts.push({ owner, fields });
    return fields;
  }

  *#comparisonAt(apiVersion: string): Steps<Comparison | undefined> {
    if (apiVersion === this.#by.apiVersion) return this.#comparison;
    this.#others ??= new Map();
    if (!this.#others.has(apiVersion)) this.#others.set(apiVersion, yield* this.#comparingAt(apiVersion));
    return this.#others.get(apiVersion);
  }

  *#comparingAt(apiVersion: string): Steps<Comparison | undefined> {
    const topology = this.#versions.topologyOf(apiVersion);
    if (topology === undefined) return undefined;
    yield;
    const live = yield* this.#in(apiVersion, this.#live);
    yield;
    const next = yield* this.#in(apiVersion, this.#next);
    yield;
    return yield* comparing(topology, live, next);
  }

  #in(apiVersion: string, object: object): Steps<object> {
    return this.#versions.converting(object, this.#by.apiVersion, apiVersion);
  }
}

interface Pruning {
  readonly merged: JsonObject;
  readonly config: object;
  readonly others: readonly Manager[];
  /** With its new fields. */
  readonly applier: Manager;
  /** What the applier had applied before. */
  readonly last: Manager | undefined;
  readonly versions: Versions;
}

/** Removes what the applier applied before, does not apply now, and no other manager owns. */
function* prune({ merged, config, others, applier, last, versions }: Pruning): Steps<object> {
  if (last === undefined || isEmpty(last.fields)) return merged;
  // the common case: nothing was dropped
  if (last.apiVersion === applier.apiVersion && (yield* checkingWithin(last.fields, applier.fields))) return merged;
  const { apiVersion } = last;
  const topology = versions.topologyOf(apiVersion);
  if (topology === undefined) return merged;
  const whole = yield* versions.converting(merged, applier.apiVersion, apiVersion);
  yield;
  const dropped = yield* subtracting(yield* addingNamedFields(topology, last.fields), partlyOwned(topology, config));
  yield;
  const bare = yield* removingFields(topology, whole, dropped);
  yield;
  const owned = yield* keepOwned({ whole, bare, apiVersion }, [...others, applier], { versions, config });
  yield;
  const before = yield* memberFields(topology, whole);
  const gone = yield* subtracting(before, yield* memberFields(topology, owned));
  const left = yield* removingFields(topology, whole, yield* intersecting(gone, dropped));
  return yield* versions.converting(left, apiVersion, applier.apiVersion);
}

function* memberFields(topology: StructTopology, object: object): Steps<FieldSet> {
  return yield* addingNamedFields(topology, yield* findingFields(topology, object));
}

/** A merged object, and what is left of it without what its applier had applied, in one version. */
interface Pruned {
  readonly whole: object;
  readonly bare: object;
  readonly apiVersion: string;
}

type Known = Pick<Pruning, 'versions' | 'config'>;

/** The bare object with everything put back that a manager owns, in whatever version. */
function* keepOwned(pruned: Pruned, managers: readonly Manager[], { versions, config }: Known): Steps<object> {
  // its own version first: others may lack what a conversion needs
  const owned = new Map<string, FieldSet[]>([[pruned.apiVersion, []]]);
  for (const { apiVersion, fields } of managers) {
    const sets = owned.get(apiVersion);
    if (sets === undefined) owned.set(apiVersion, [fields]);
    else sets.push(fields);
  }
  let last = pruned;
  for (const [apiVersion, sets] of owned) {
    const topology = versions.topologyOf(apiVersion);
    if (topology === undefined) continue;
    const whole = yield* versions.converting(last.whole, last.apiVersion, apiVersion);
    yield;
    const bare = yield* versions.converting(last.bare, last.apiVersion, apiVersion);
    yield;
    const kept = yield* addingNamedFields(topology, yield* unitingAll(sets));
    const keep = yield* uniting(yield* memberFields(topology, bare), kept);
    const rest = yield* subtracting(yield* memberFields(topology, whole), keep);
    const unowned = yield* subtracting(rest, partlyOwned(topology, config));
    last = { whole, bare: yield* removingFields(topology, whole, unowned), apiVersion };
  }
  return yield* versions.converting(last.bare, last.apiVersion, pruned.apiVersion);
}
