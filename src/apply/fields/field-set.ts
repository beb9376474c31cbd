// Sets of paths to fields. A set is the tree that FieldsV1 writes, so reading and writing one costs nothing: keys are
// path elements, an empty node is a path in the set, and a node with children is in the set when it has the key `.`.
// Sets are never changed; operations return one of their arguments where they can.

import { countValues } from '../../base/count-values.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { atOnce, type Steps } from '../../base/steps.ts';
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
  if (node === leaf || largeKeys.has(node)) return node === leaf;
  for (const _ in node) return false;
  return true;
}

/** So many members, in all, are looked at at once. */
const manyMembers = 400;

/** The keys of large nodes: of 20,000 keys V8 takes milliseconds to list them, or to find out that there is one. */
const largeKeys = new WeakMap<FieldSet, readonly string[]>();

export function keysOf(node: FieldSet): readonly string[] {
  const known = largeKeys.get(node);
  if (known !== undefined) return known;
  const keys = Object.keys(node);
  if (keys.length >= manyMembers) largeKeys.set(node, keys);
  return keys;
}

/** Makes a node that may be large: what its keys are does not have to be found out again. */
export class NodeBuilder {
  readonly #node: Mutable;
  readonly #keys: string[];

  constructor(first?: string) {
    this.#node = first === undefined ? {} : { [first]: leaf };
    this.#keys = first === undefined ? [] : [first];
  }

  get count(): number {
    return this.#keys.length;
  }

  put(key: string, member: FieldSet): void {
    if (this.#node[key] === undefined) this.#keys.push(key);
    this.#node[key] = member;
  }

  get node(): FieldSet {
    if (this.#keys.length >= manyMembers) largeKeys.set(this.#node, this.#keys);
    return this.#node;
  }
}

/** Whether there is so much in a node that what is done with all of it is done in steps. */
export const isLarge = (node: FieldSet): boolean => countMembers(node, manyMembers) >= manyMembers;

function countMembers(node: FieldSet, most: number): number {
  if (node === leaf) return 0;
  if (largeKeys.has(node)) return most;
  let [own, all] = [0, 0];
  for (const key in node) {
    own++;
    all += 1 + countMembers(node[key] as FieldSet, most - all - 1);
    if (all >= most) break;
  }
  if (own >= manyMembers) keysOf(node);
  return all;
}

/** Whether the path that ends at this node is in the set. */
export const isMember = (node: FieldSet): boolean => node[self] !== undefined || isEmpty(node);

/** The node, in the set itself. */
export function withSelf(node: FieldSet | undefined): FieldSet {
  if (node === undefined) return leaf;
  return isMember(node) ? node : { [self]: leaf, ...node };
}

/** A node with nothing but itself is a leaf; one with nothing at all is no node. */
export function settle(node: FieldSet, count: number): FieldSet | undefined {
  if (count === 0) return undefined;
  return count === 1 && node[self] !== undefined ? leaf : node;
}

/** Paths in `a` or in `b`. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a;
  return isEmpty(a) ? b : unionNodes(a, b);
}

export function unionNodes(a: FieldSet, b: FieldSet): FieldSet {
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

export function differenceNodes(a: FieldSet, b: FieldSet): FieldSet | undefined {
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

export function intersectNodes(a: FieldSet, b: FieldSet, both = isMember(a) && isMember(b)): FieldSet | undefined {
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

export const isNodeWithin = (a: FieldSet, b: FieldSet): boolean => (isEmpty(a) ? isMember(b) : isWithin(a, b));

export const equals = (a: FieldSet, b: FieldSet): boolean => isWithin(a, b) && isWithin(b, a);

/** Every path in the set, as messages show it: what is at one place before what is below it. */
export function* showingPaths(set: FieldSet, most = Number.POSITIVE_INFINITY): Steps<string[]> {
  const paths: string[] = [];
  function* walk(node: FieldSet, path: string): Steps<void> {
    if (paths.length >= most) return;
    const elements = yield* inShownOrder(Object.keys(node).filter((key) => key !== self));
    for (const key of elements) {
      if (paths.length >= most) return;
      if (isMember(node[key] as FieldSet)) paths.push(path + showElement(key));
    }
    for (const key of elements) {
      if (paths.length >= most) return;
      if (!isEmpty(node[key] as FieldSet)) yield* walk(node[key] as FieldSet, path + showElement(key));
    }
  }
  yield* walk(set, '');
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
export const parseFieldSet = (value: unknown): FieldSet => atOnce(parsingFieldSet(value));

/** The same, in steps where there is much of it. */
export function* parsingFieldSet(value: unknown): Steps<FieldSet> {
  if (!isJsonObject(value)) throw notASet();
  const result: Mutable = {};
  if (countValues(value, stepElements) < stepElements) parseElements(value, result);
  else yield* parsingElements(value, result);
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
  const result = startOf(value);
  parseElements(value, result);
  return settle(result, Object.keys(result).length) ?? leaf;
}

const startOf = (value: JsonObject): Mutable => (Object.hasOwn(value, self) ? { [self]: leaf } : {});

/** So many elements are read in a fraction of a millisecond. */
const stepElements = 500;

function* parsingElements(value: JsonObject, result: Mutable): Steps<void> {
  let read = 0;
  for (const key of Object.keys(value)) {
    if (key === self || unheardOf.test(key)) continue;
    const count = countValues(value[key], stepElements);
    result[normalizeElement(key)] = count < stepElements ? parseNode(value[key]) : yield* parsingNode(value[key]);
    read += count;
    if (read < stepElements) continue;
    read = 0;
    yield;
  }
}

function* parsingNode(value: unknown): Steps<FieldSet> {
  if (!isJsonObject(value)) throw notASet();
  const result = startOf(value);
  yield* parsingElements(value, result);
  return settle(result, Object.keys(result).length) ?? leaf;
}
