// How a change moves ownership: whoever changes a field takes it from its owners, and what is gone belongs to nobody.

import type { JsonObject } from '../../base/json.ts';
import { difference, emptySet, type FieldSet, intersection, isEmpty, isWithin, union } from '../fields/field-set.ts';
import { type Comparison, compare, isSame } from '../typed/compare.ts';
import { fieldsOf } from '../typed/fields-of.ts';
import { merge } from '../typed/merge.ts';
import { withNamedFields } from '../typed/named-fields.ts';
import { reconcile } from '../typed/reconcile.ts';
import { removeFields } from '../typed/remove.ts';
import type { StructTopology } from '../typed/topology.ts';
import { type Conflict, ConflictError } from './conflict.ts';
import { isSameManager, type Manager, type ManagerName } from './managers.ts';

/** One version of a kind, as seen from the version of the request. */
export interface Version {
  readonly topology: StructTopology;
  /** An object of the request's version in this one. */
  from(object: object): object;
  /** An object of this version in the request's. */
  to(object: object): object;
}

/** Undefined for a version that no longer exists: who used it owns nothing any more. */
export type Versions = (apiVersion: string) => Version | undefined;

export interface Owned {
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

const need = (versions: Versions, apiVersion: string): Version => {
  const version = versions(apiVersion);
  if (version === undefined) throw new Error(`the version of the request, ${apiVersion}, is unknown`);
  return version;
};

/** Ownership after `next` has replaced `live`. Returns what the change itself took, apart. */
export function afterUpdate(request: Request & { readonly next: object }): Owned & { readonly taken: FieldSet } {
  const managers = reconciled(request);
  const { topology } = need(request.versions, request.by.apiVersion);
  const comparison = compare(topology, request.live, request.next);
  if (isSame(comparison)) return { managers, comparison, taken: emptySet };
  const outcome = move({ ...request, managers, comparison, keeper: undefined });
  const taken = union(comparison.modified, comparison.added);
  return { managers: outcome.managers, comparison, taken };
}

export interface Applied extends Owned {
  /** The merged object, before defaults. */
  readonly object: object;
}

/** Merges a configuration into the live object. Throws a `ConflictError` unless forced. */
export function afterApply(request: Request & { readonly config: object; readonly force: boolean }): Applied {
  const { live, config, by, versions } = request;
  const { topology } = need(versions, by.apiVersion);
  const known = reconciled(request);
  const last = known.find((entry) => isSameManager(entry, by));
  const applier: Manager = { ...by, time: last?.time, fields: fieldsOf(topology, config) };
  const managers = [...known.filter((entry) => entry !== last), applier];
  const merged = merge(topology, live, config);
  const object = prune({ merged, managers, applier, last, versions });
  const comparison = compare(topology, live, object);
  const outcome = move({ ...request, managers, next: object, comparison, keeper: applier });
  if (outcome.conflicts.length > 0 && !request.force) throw new ConflictError(outcome.conflicts);
  return { object, managers: outcome.managers, comparison };
}

function reconciled({ managers, versions }: Request): readonly Manager[] {
  return managers.map((entry) => {
    const version = versions(entry.apiVersion);
    const fields = version === undefined ? entry.fields : reconcile(version.topology, entry.fields);
    return fields === entry.fields ? entry : { ...entry, fields };
  });
}

interface Move extends Request {
  readonly next: object;
  /** In the version of the request. */
  readonly comparison: Comparison;
  /** Whose fields are not touched. */
  readonly keeper: Manager | undefined;
}

/** Takes changed and removed fields from everybody but the keeper. */
function move({ live, next, managers, by, versions, comparison, keeper }: Move) {
  const comparisons = new Map<string, Comparison | undefined>([[by.apiVersion, comparison]]);
  const comparisonAt = (apiVersion: string): Comparison | undefined => {
    if (!comparisons.has(apiVersion)) {
      const version = versions(apiVersion);
      comparisons.set(apiVersion, version && compare(version.topology, version.from(live), version.from(next)));
    }
    return comparisons.get(apiVersion);
  };
  const left: Manager[] = [];
  const conflicts: Conflict[] = [];
  for (const entry of managers) {
    if (entry === keeper) {
      left.push(entry);
      continue;
    }
    const at = comparisonAt(entry.apiVersion);
    if (at === undefined) continue;
    const lost = intersection(entry.fields, union(at.modified, at.added));
    if (!isEmpty(lost)) conflicts.push({ owner: entry, fields: lost });
    const fields = difference(difference(entry.fields, lost), at.removed);
    if (!isEmpty(fields)) left.push(fields === entry.fields ? entry : { ...entry, fields });
  }
  return { managers: left.filter(({ fields }) => !isEmpty(fields)), conflicts };
}

interface Pruning {
  readonly merged: JsonObject;
  /** The applier with its new fields among them. */
  readonly managers: readonly Manager[];
  readonly applier: Manager;
  /** What the applier had applied before. */
  readonly last: Manager | undefined;
  readonly versions: Versions;
}

/** Removes what the applier applied before, does not apply now, and nobody else owns. */
function prune({ merged, managers, applier, last, versions }: Pruning): object {
  if (last === undefined || isEmpty(last.fields)) return merged;
  // the common case: nothing was dropped
  if (last.apiVersion === applier.apiVersion && isWithin(last.fields, applier.fields)) return merged;
  const version = versions(last.apiVersion);
  if (version === undefined) return merged;
  const { topology } = version;
  const whole = version.from(merged);
  const dropped = withNamedFields(topology, last.fields);
  const bare = removeFields(topology, whole, dropped);
  const owned = keepOwned({ whole, bare, managers, version, versions });
  const gone = difference(memberFields(topology, whole), memberFields(topology, owned));
  return version.to(removeFields(topology, whole, intersection(gone, dropped)));
}

const memberFields = (topology: StructTopology, object: object): FieldSet =>
  withNamedFields(topology, fieldsOf(topology, object));

interface Keeping {
  /** The merged object, and what is left of it without what the applier had applied; both in `version`. */
  readonly whole: object;
  readonly bare: object;
  readonly managers: readonly Manager[];
  readonly version: Version;
  readonly versions: Versions;
}

/** `bare` with everything put back that somebody owns, in whatever version. */
function keepOwned({ whole, bare, managers, version, versions }: Keeping): object {
  const owned = new Map<string, FieldSet>();
  for (const { apiVersion, fields } of managers)
    owned.set(apiVersion, union(owned.get(apiVersion) ?? emptySet, fields));
  let kept = bare;
  for (const [apiVersion, fields] of owned) {
    const other = versions(apiVersion);
    if (other === undefined) continue;
    const { topology } = other;
    const inOther = (object: object) => (other === version ? object : other.from(version.to(object)));
    const all = inOther(whole);
    const keep = union(memberFields(topology, inOther(kept)), withNamedFields(topology, fields));
    const next = removeFields(topology, all, difference(memberFields(topology, all), keep));
    kept = other === version ? next : version.from(other.to(next));
  }
  return kept;
}
