// How a change moves ownership: the manager that changes a field takes it from its owners, and what is gone has none.

import type { JsonObject } from '../../base/json/json.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import {
  difference,
  emptySet,
  equals,
  type FieldSet,
  intersection,
  isEmpty,
  isWithin,
  union,
  unionOf,
} from '../fields/field-set.ts';
import { type Comparison, compare, isSame } from '../typed/compare.ts';
import { fieldsOf } from '../typed/fields-of.ts';
import { merge } from '../typed/merge.ts';
import { partlyOwned, withNamedFields } from '../typed/named-fields.ts';
import { reconcile } from '../typed/reconcile.ts';
import { removeFields } from '../typed/remove.ts';
import type { StructTopology } from '../typed/topology.ts';
import { type Conflict, ConflictError } from './conflict.ts';
import { isSameManager, type Manager, type ManagerName, ownerOf } from './managers.ts';

/** The versions of a kind. */
export interface Versions {
  /** Undefined for a version that no longer exists: who used it owns nothing any more. */
  topologyOf(apiVersion: string): StructTopology | undefined;
  /** The same object in another version; a webhook may have to convert it. */
  convert(object: object, from: string, to: string): MaybePromise<object>;
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

interface Updated extends Owned {
  /** What the change itself took. */
  readonly taken: FieldSet;
}

/** Ownership after `next` has replaced `live`. */
export function afterUpdate(request: Request & { readonly next: object }): MaybePromise<Updated> {
  const { live, next, by, versions } = request;
  const managers = reconcileAll(request);
  const comparison = compare(need(versions, by.apiVersion), live, next);
  if (isSame(comparison)) return { managers, comparison, taken: emptySet };
  const taken = union(comparison.modified, comparison.added);
  return andThen(moveOwnership({ live, next, comparison, by, versions }, managers), ({ left }) => ({
    ...{ managers: left, comparison, taken },
  }));
}

export interface Applied extends Owned {
  /** The merged object, before defaults. */
  readonly object: object;
}

/** Merges a configuration into the live object. Throws a `ConflictError` unless forced. */
export function afterApply(
  request: Request & { readonly config: object; readonly force: boolean },
): MaybePromise<Applied> {
  const { live, config, by, versions, force } = request;
  const topology = need(versions, by.apiVersion);
  const known = reconcileAll(request);
  const last = known.find((entry) => isSameManager(entry, by));
  const applier = applierOf(by, last, fieldsOf(topology, config));
  const others = last === undefined ? known : known.filter((entry) => entry !== last);
  const merged = merge(topology, live, config);
  return andThen(prune({ merged, config, others, applier, last, versions }), (object) => {
    const comparison = compare(topology, live, object);
    return andThen(moveOwnership({ live, next: object, comparison, by, versions }, others), ({ left, conflicts }) => {
      if (conflicts.length > 0 && !force) throw new ConflictError(conflicts);
      return { object, managers: isEmpty(applier.fields) ? left : [...left, applier], comparison };
    });
  });
}

/** Who applies what it did the last time is the very manager it was. */
function applierOf(by: ManagerName, last: Manager | undefined, fields: FieldSet): Manager {
  if (last?.apiVersion === by.apiVersion && equals(last.fields, fields)) return last;
  return ownerOf(by, last?.time, fields);
}

/** The managers under today's schemas; those of versions that are gone are gone too. */
function reconcileAll({ managers, versions }: Request): readonly Manager[] {
  let result: (Manager | undefined)[] | undefined;
  for (const [index, entry] of managers.entries()) {
    const topology = versions.topologyOf(entry.apiVersion);
    const fields = topology && reconcile(topology, entry.fields);
    if (fields === entry.fields) continue;
    result ??= [...managers];
    result[index] = fields && ownerOf(entry, entry.time, fields);
  }
  return result?.filter((entry) => entry !== undefined) ?? managers;
}

interface ObjectChange {
  readonly live: object;
  readonly next: object;
  /** In the version of the request. */
  readonly comparison: Comparison;
  readonly by: ManagerName;
  readonly versions: Versions;
}

interface Moved {
  /** Managers that still own something. */
  readonly left: readonly Manager[];
  /** What was taken from others. */
  readonly conflicts: readonly Conflict[];
}

/** Takes what a change changed or removed from those who owned it. */
function moveOwnership(change: ObjectChange, managers: readonly Manager[]): MaybePromise<Moved> {
  return andThen(comparisonsOf(change, managers), (comparisons) => {
    const left: Manager[] = [];
    const conflicts: Conflict[] = [];
    for (const entry of managers) {
      const comparison = comparisons.get(entry.apiVersion);
      if (comparison === undefined) continue;
      const lost = isSameManager(entry, change.by) ? emptySet : changedFields(entry, comparison);
      if (!isEmpty(lost)) conflicts.push({ owner: entry, fields: lost });
      const fields = difference(difference(entry.fields, lost), comparison.removed);
      if (!isEmpty(fields)) left.push(fields === entry.fields ? entry : ownerOf(entry, entry.time, fields));
    }
    return { left, conflicts };
  });
}

const changedFields = ({ fields }: Manager, { modified, added }: Comparison): FieldSet =>
  union(intersection(fields, modified), intersection(fields, added));

/** The change in every version in which a manager owns something, as far as these versions still exist. */
function comparisonsOf(
  change: ObjectChange,
  managers: readonly Manager[],
): MaybePromise<ReadonlyMap<string, Comparison>> {
  const { by, comparison } = change;
  const others = new Set(managers.map(({ apiVersion }) => apiVersion));
  others.delete(by.apiVersion);
  return [...others].reduce<MaybePromise<Map<string, Comparison>>>(
    (before, apiVersion) =>
      andThen(before, (comparisons) =>
        andThen(comparisonIn(change, apiVersion), (other) =>
          other === undefined ? comparisons : comparisons.set(apiVersion, other),
        ),
      ),
    new Map([[by.apiVersion, comparison]]),
  );
}

function comparisonIn(
  { live, next, by, versions }: ObjectChange,
  apiVersion: string,
): MaybePromise<Comparison | undefined> {
  const topology = versions.topologyOf(apiVersion);
  if (topology === undefined) return undefined;
  return andThen(versions.convert(live, by.apiVersion, apiVersion), (before) =>
    andThen(versions.convert(next, by.apiVersion, apiVersion), (after) => compare(topology, before, after)),
  );
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
function prune({ merged, config, others, applier, last, versions }: Pruning): MaybePromise<object> {
  if (last === undefined || isEmpty(last.fields)) return merged;
  // the common case: nothing was dropped
  if (last.apiVersion === applier.apiVersion && isWithin(last.fields, applier.fields)) return merged;
  const { apiVersion } = last;
  const topology = versions.topologyOf(apiVersion);
  if (topology === undefined) return merged;
  return andThen(versions.convert(merged, applier.apiVersion, apiVersion), (whole) => {
    const dropped = difference(withNamedFields(topology, last.fields), partlyOwned(topology, config));
    const bare = removeFields(topology, whole, dropped);
    const members = memberFields(topology, whole);
    const owned = keepOwned({ whole, members, bare, apiVersion }, [...others, applier], { versions, config });
    return andThen(owned, (object) => {
      const gone = difference(members, memberFields(topology, object));
      const left = removeFields(topology, whole, intersection(gone, dropped));
      return versions.convert(left, apiVersion, applier.apiVersion);
    });
  });
}

const memberFields = (topology: StructTopology, object: object): FieldSet =>
  withNamedFields(topology, fieldsOf(topology, object));

/** A merged object, and what is left of it without what its applier had applied, in one version. */
interface Pruned {
  readonly whole: object;
  /** Of the whole object. */
  readonly members: FieldSet;
  readonly bare: object;
  readonly apiVersion: string;
}

type Known = Pick<Pruning, 'versions' | 'config'>;

/** The bare object with everything put back that a manager owns, in whatever version. */
function keepOwned(pruned: Pruned, managers: readonly Manager[], known: Known): MaybePromise<object> {
  // its own version first: others may lack what a conversion needs
  const owned = new Map<string, FieldSet[]>([[pruned.apiVersion, []]]);
  for (const { apiVersion, fields } of managers) {
    const sets = owned.get(apiVersion);
    if (sets === undefined) owned.set(apiVersion, [fields]);
    else sets.push(fields);
  }
  const kept = [...owned].reduce<MaybePromise<Pruned>>(
    (before, [apiVersion, sets]) => andThen(before, (last) => keepOwnedIn(apiVersion, last, sets, known)),
    pruned,
  );
  return andThen(kept, ({ bare, apiVersion }) => known.versions.convert(bare, apiVersion, pruned.apiVersion));
}

function keepOwnedIn(
  apiVersion: string,
  last: Pruned,
  sets: readonly FieldSet[],
  { versions, config }: Known,
): MaybePromise<Pruned> {
  const topology = versions.topologyOf(apiVersion);
  if (topology === undefined) return last;
  return andThen(versions.convert(last.whole, last.apiVersion, apiVersion), (whole) =>
    andThen(versions.convert(last.bare, last.apiVersion, apiVersion), (bare) => {
      const keep = union(memberFields(topology, bare), withNamedFields(topology, unionOf(sets)));
      const members = whole === last.whole ? last.members : memberFields(topology, whole);
      const unowned = difference(difference(members, keep), partlyOwned(topology, config));
      return { whole, members, bare: removeFields(topology, whole, unowned), apiVersion };
    }),
  );
}
