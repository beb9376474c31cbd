// The operations on sets that may be large: nodes with much in them are gone through in steps, small ones at once.

import type { Steps } from '../../base/steps.ts';
import {
  differenceNodes,
  emptySet,
  type FieldSet,
  intersectNodes,
  isEmpty,
  isLarge,
  isMember,
  isNodeWithin,
  keysOf,
  NodeBuilder,
  self,
  settle,
  unionNodes,
  withSelf,
} from './field-set.ts';

/** After so many members of a node there is a rest, whatever is in them. */
const stepMembers = 100;

/** For loops over the members of a large node. */
export const isRestDue = (index: number): boolean => index % stepMembers === stepMembers - 1;

/** The same members in another node. No spread: that takes V8 several times as long, and cannot rest. */
export function* copying(node: FieldSet, result: NodeBuilder): Steps<void> {
  for (const [index, key] of keysOf(node).entries()) {
    result.put(key, node[key] as FieldSet);
    if (isRestDue(index)) yield;
  }
}

/** The node, in the set itself. */
export function* addingSelf(node: FieldSet): Steps<FieldSet> {
  if (!isLarge(node) || isMember(node)) return withSelf(node);
  const result = new NodeBuilder(self);
  yield* copying(node, result);
  return result.node;
}

/** Paths in `a` or in `b`. */
export function* uniting(a: FieldSet, b: FieldSet): Steps<FieldSet> {
  if (a === b || isEmpty(b)) return a;
  return isEmpty(a) ? b : yield* unitingNodes(a, b);
}

function* unitingNodes(a: FieldSet, b: FieldSet): Steps<FieldSet> {
  if (!isLarge(a) && !isLarge(b)) return unionNodes(a, b);
  yield;
  if (a === b) return a;
  if (isEmpty(a)) return yield* addingSelf(b);
  if (isEmpty(b)) return yield* addingSelf(a);
  const changed = new NodeBuilder();
  for (const [index, key] of keysOf(b).entries()) {
    const mine = a[key];
    const theirs = b[key] as FieldSet;
    const joined = mine === undefined ? theirs : key === self ? mine : yield* unitingNodes(mine, theirs);
    if (isRestDue(index)) yield;
    if (joined !== mine) changed.put(key, joined);
  }
  if (changed.count === 0) return a;
  const result = new NodeBuilder();
  yield* copying(a, result);
  yield* copying(changed.node, result);
  return result.node;
}

/** Paths in any of many sets. Joined in pairs, so that no path is looked at again for every set. */
export function* unitingAll(sets: readonly FieldSet[]): Steps<FieldSet> {
  if (sets.length < 2) return sets[0] ?? emptySet;
  const middle = sets.length >> 1;
  return yield* uniting(yield* unitingAll(sets.slice(0, middle)), yield* unitingAll(sets.slice(middle)));
}

/** Paths in `a` that are not in `b`. A path below one in `b` stays. */
export function* subtracting(a: FieldSet, b: FieldSet): Steps<FieldSet> {
  if (isEmpty(a) || isEmpty(b)) return a;
  return (yield* subtractingNodes(a, b)) ?? emptySet;
}

function* subtractingNodes(a: FieldSet, b: FieldSet): Steps<FieldSet | undefined> {
  if (!isLarge(a)) return differenceNodes(a, b);
  yield;
  const without = isMember(b);
  const result = new NodeBuilder();
  let isSame = true;
  for (const [index, key] of keysOf(a).entries()) {
    const mine = a[key] as FieldSet;
    const theirs = b[key];
    const isGone = key === self && without;
    const kept = key === self || theirs === undefined ? mine : yield* subtractingNodes(mine, theirs);
    if (isRestDue(index)) yield;
    if (isGone || kept !== mine) isSame = false;
    if (!isGone && kept !== undefined) result.put(key, kept);
  }
  return isSame ? a : settle(result.node, result.count);
}

/** Paths in both. */
export function* intersecting(a: FieldSet, b: FieldSet): Steps<FieldSet> {
  if (isEmpty(a) || isEmpty(b)) return emptySet;
  return (yield* intersectingNodes(a, b, false)) ?? emptySet;
}

function* intersectingNodes(a: FieldSet, b: FieldSet, mayBeMember = true): Steps<FieldSet | undefined> {
  const isLong = isLarge(a);
  const both = mayBeMember && isMember(a) && isMember(b);
  if (!isLong) return intersectNodes(a, b, both);
  yield;
  const result = new NodeBuilder(both ? self : undefined);
  for (const [index, key] of keysOf(a).entries()) {
    const theirs = b[key];
    if (key !== self && theirs !== undefined) {
      const shared = yield* intersectingNodes(a[key] as FieldSet, theirs);
      if (shared !== undefined) result.put(key, shared);
    }
    if (isRestDue(index)) yield;
  }
  return settle(result.node, result.count);
}

/** Whether every path in `a` is in `b`. */
export function* checkingWithin(a: FieldSet, b: FieldSet): Steps<boolean> {
  if (a === b) return true;
  for (const [index, key] of keysOf(a).entries()) {
    if (!(yield* checkingMember(a[key] as FieldSet, b, key))) return false;
    if (isRestDue(index)) yield;
  }
  return true;
}

function* checkingMember(mine: FieldSet, b: FieldSet, key: string): Steps<boolean> {
  if (key === self) return isMember(b);
  const theirs = b[key];
  if (theirs === undefined) return false;
  return isLarge(mine) ? yield* checkingWithin(mine, theirs) : isNodeWithin(mine, theirs);
}

export function* checkingEqual(a: FieldSet, b: FieldSet): Steps<boolean> {
  return (yield* checkingWithin(a, b)) && (yield* checkingWithin(b, a));
}
