// Sets of paths to fields. A set is the tree that FieldsV1 writes, so reading and writing one costs nothing: keys are
// path elements, an empty node is a path in the set, and a node with children is in the set when it has the key `.`.
// Sets are never changed; operations return one of their arguments where they can.

import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { inShownOrder, MalformedElementError, normalizeElement, showElement } from './element.ts';

export interface FieldSet {
  readonly [element: string]: FieldSet;
}

export type Mutable = Record<string, FieldSet>;

/** A path that is in the set and has nothing below it. */
export const leaf: FieldSet = Object.freeze({});
/** As a whole set: no path at all. */
export const emptySet: FieldSet = Object.freeze({});

/** Says of a node with children that it is in the set itself. */
export const self = '.';

export function isEmpty(node: FieldSet): boolean {
  if (node === leaf) return true;
  for (const _ in node) return false;
  return true;
}

/** Whether the path that ends at this node is in the set. */
const isMember = (node: FieldSet): boolean => node[self] !== undefined || isEmpty(node);

/** The node, in the set itself. */
export function withSelf(node: FieldSet | undefined): FieldSet {
  if (node === undefined) return leaf;
  return isMember(node) ? node : { [self]: leaf, ...node };
}

/** A node with nothing but itself is a leaf; one with nothing at all is no node. */
function settle(node: FieldSet, count: number): FieldSet | undefined {
  if (count === 0) return undefined;
  return count === 1 && node[self] !== undefined ? leaf : node;
}

/** Paths in `a` or in `b`. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a;
  return isEmpty(a) ? b : unionNodes(a, b);
}

function unionNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  if (isEmpty(a)) return withSelf(b);
  if (isEmpty(b)) return withSelf(a);
  let result: Mutable | undefined;
  for (const key in b) {
    const mine = a[key];
    const theirs = b[key] as FieldSet;
    const joined = mine === undefined ? theirs : key === self ? mine : unionNodes(mine, theirs);
    if (joined === mine) continue;
    result ??= { ...a };
    result[key] = joined;
  }
  return result ?? a;
}

/** Paths in any of many sets. Joined in pairs, so that no path is looked at again for every set. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  if (sets.length < 2) return sets[0] ?? emptySet;
  const middle = sets.length >> 1;
  return union(unionOf(sets.slice(0, middle)), unionOf(sets.slice(middle)));
}

/** Paths in `a` that are not in `b`. A path below one in `b` stays. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a) || isEmpty(b)) return a;
  return differenceNodes(a, b) ?? emptySet;
}

function differenceNodes(a: FieldSet, b: FieldSet): FieldSet | undefined {
  const without = isMember(b);
  if (isEmpty(a)) return without ? undefined : a;
  let result: Mutable | undefined;
  let count = 0;
  for (const key in a) {
    const kept = keptOf(a, b, key, without);
    if (kept !== a[key] && result === undefined) result = membersBefore(a, key);
    if (kept === undefined) continue;
    count++;
    if (result !== undefined) result[key] = kept;
  }
  return result === undefined ? a : settle(result, count);
}

/** The members of a node up to a key; what follows is not known yet. */
function membersBefore(node: FieldSet, end: string): Mutable {
  const result: Mutable = {};
  for (const key in node) {
    if (key === end) break;
    result[key] = node[key] as FieldSet;
  }
  return result;
}

/** What is left of one member; undefined for nothing. */
function keptOf(a: FieldSet, b: FieldSet, key: string, without: boolean): FieldSet | undefined {
  const mine = a[key] as FieldSet;
  if (key === self) return without ? undefined : mine;
  const theirs = b[key];
  return theirs === undefined ? mine : differenceNodes(mine, theirs);
}

/** Paths in both. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a) || isEmpty(b)) return emptySet;
  return intersectNodes(a, b, false) ?? emptySet;
}

function intersectNodes(a: FieldSet, b: FieldSet, both = isMember(a) && isMember(b)): FieldSet | undefined {
  let result: Mutable | undefined;
  for (const key in a) {
    const theirs = b[key];
    if (key === self || theirs === undefined) continue;
    const shared = intersectNodes(a[key] as FieldSet, theirs);
    if (shared === undefined) continue;
    result ??= both ? { [self]: leaf } : {};
    result[key] = shared;
  }
  return result ?? (both ? leaf : undefined);
}

/** Whether every path in `a` is in `b`. */
export function isWithin(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  for (const key in a) {
    const theirs = b[key];
    if (key === self) {
      if (!isMember(b)) return false;
    } else if (theirs === undefined || !isNodeWithin(a[key] as FieldSet, theirs)) return false;
  }
  return true;
}

const isNodeWithin = (a: FieldSet, b: FieldSet): boolean => (isEmpty(a) ? isMember(b) : isWithin(a, b));

export const equals = (a: FieldSet, b: FieldSet): boolean => isWithin(a, b) && isWithin(b, a);

/** Every path in the set, as messages show it: what is at one place before what is below it. */
export function showPaths(set: FieldSet, most = Number.POSITIVE_INFINITY): string[] {
  const paths: string[] = [];
  const walk = (node: FieldSet, path: string): void => {
    if (paths.length >= most) return;
    const elements = inShownOrder(Object.keys(node).filter((key) => key !== self));
    for (const key of elements) {
      if (paths.length >= most) return;
      if (isMember(node[key] as FieldSet)) paths.push(path + showElement(key));
    }
    for (const key of elements) {
      if (paths.length >= most) return;
      if (!isEmpty(node[key] as FieldSet)) walk(node[key] as FieldSet, path + showElement(key));
    }
  };
  walk(set, '');
  return paths;
}

/** How many paths are in the set. */
export function countPaths(set: FieldSet): number {
  let count = 0;
  for (const key in set) {
    if (key === self) continue;
    const node = set[key] as FieldSet;
    count += (isMember(node) ? 1 : 0) + countPaths(node);
  }
  return count;
}

/** FieldsV1 as a client sent it, spelled our way; throws `MalformedElementError`. */
export function parseFieldSet(value: unknown): FieldSet {
  if (!isJsonObject(value)) throw notASet();
  const result: Mutable = {};
  parseElements(value, result);
  return result;
}

const notASet = () => new MalformedElementError('a field set is an object');

/** Of a kind that is still to come. */
const unheardOf = /^[^fkvi]:/s;

function parseElements(value: JsonObject, result: Mutable): void {
  for (const key of Object.keys(value)) {
    if (key === self || unheardOf.test(key)) continue;
    result[normalizeElement(key)] = parseNode(value[key]);
  }
}

function parseNode(value: unknown): FieldSet {
  if (!isJsonObject(value)) throw notASet();
  const result: Mutable = Object.hasOwn(value, self) ? { [self]: leaf } : {};
  parseElements(value, result);
  return settle(result, Object.keys(result).length) ?? leaf;
}
