// Sets of paths to fields. A set is the tree that FieldsV1 writes, so reading and writing one costs nothing: keys are
// path elements, an empty node is a path in the set, and a node with children is in the set when it has the key `.`.
// Sets are never changed; operations return one of their arguments where they can.

import { isJsonObject } from '../../base/json.ts';
import { MalformedElementError, normalizeElement, showElement } from './element.ts';

export interface FieldSet {
  readonly [element: string]: FieldSet;
}

type Mutable = Record<string, FieldSet>;

/** A path that is in the set and has nothing below it. */
export const leaf: FieldSet = Object.freeze({});
/** As a whole set: no path at all. */
export const emptySet: FieldSet = Object.freeze({});

/** Says of a node with children that it is in the set itself. */
export const self = '.';

export function isEmpty(node: FieldSet): boolean {
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
function settle(node: Mutable, count: number): FieldSet | undefined {
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

/** Paths in `a` that are not in `b`. A path below one in `b` stays. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a) || isEmpty(b)) return a;
  return differenceNodes(a, b) ?? emptySet;
}

function differenceNodes(a: FieldSet, b: FieldSet): FieldSet | undefined {
  const without = isMember(b);
  if (isEmpty(a)) return without ? undefined : a;
  const result: Mutable = {};
  let count = 0;
  let isChanged = false;
  for (const key in a) {
    const mine = a[key] as FieldSet;
    const theirs = b[key];
    let kept: FieldSet | undefined = mine;
    if (key === self) kept = without ? undefined : mine;
    else if (theirs !== undefined) kept = differenceNodes(mine, theirs);
    if (kept !== mine) isChanged = true;
    if (kept === undefined) continue;
    result[key] = kept;
    count++;
  }
  return isChanged ? settle(result, count) : a;
}

/** Paths in both. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a) || isEmpty(b)) return emptySet;
  return intersectNodes(a, b, false) ?? emptySet;
}

function intersectNodes(a: FieldSet, b: FieldSet, both = isMember(a) && isMember(b)): FieldSet | undefined {
  const result: Mutable = {};
  let count = 0;
  if (both) {
    result[self] = leaf;
    count++;
  }
  for (const key in a) {
    const theirs = b[key];
    if (key === self || theirs === undefined) continue;
    const shared = intersectNodes(a[key] as FieldSet, theirs);
    if (shared === undefined) continue;
    result[key] = shared;
    count++;
  }
  return settle(result, count);
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

/** Every path in the set, as messages show it, parents before children. */
export function showPaths(set: FieldSet): string[] {
  const paths: string[] = [];
  const walk = (node: FieldSet, path: string): void => {
    if (isMember(node)) paths.push(path);
    for (const key in node) if (key !== self) walk(node[key] as FieldSet, path + showElement(key));
  };
  for (const key in set) walk(set[key] as FieldSet, showElement(key));
  return paths;
}

/** FieldsV1 as a client sent it, spelled our way; throws `MalformedElementError`. */
export function parseFieldSet(value: unknown): FieldSet {
  if (!isJsonObject(value)) throw new MalformedElementError('a field set is an object');
  const result: Mutable = {};
  for (const key of Object.keys(value)) {
    const node = parseNode(value[key]);
    if (key !== self && node !== undefined) result[normalizeElement(key)] = node;
  }
  return result;
}

function parseNode(value: unknown): FieldSet | undefined {
  if (!isJsonObject(value)) throw new MalformedElementError('a field set is an object');
  const keys = Object.keys(value);
  if (keys.length === 0) return leaf;
  const result: Mutable = Object.hasOwn(value, self) ? { [self]: leaf } : {};
  for (const key of keys) {
    const node = parseNode(value[key]);
    if (key !== self && node !== undefined) result[normalizeElement(key)] = node;
  }
  return settle(result, Object.keys(result).length);
}

/** The same set with elements in alphabetical order. */
export function inOrder(node: FieldSet): FieldSet {
  const keys = Object.keys(node);
  let last = '';
  let isOrdered = true;
  let isChanged = false;
  const children: Mutable = {};
  for (const key of keys) {
    const child = node[key] as FieldSet;
    const ordered = inOrder(child);
    children[key] = ordered;
    if (ordered !== child) isChanged = true;
    if (key < last) isOrdered = false;
    last = key;
  }
  if (isOrdered) return isChanged ? children : node;
  const result: Mutable = {};
  for (const key of keys.sort()) result[key] = children[key] as FieldSet;
  return result;
}
