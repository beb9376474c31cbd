// Which parts of a rule no held rule covers, without breaking the rule down into every combination of its values.

import type { PolicyRule } from '../../meta/access.ts';
import type { Box, HeldBox, HeldRules, Value } from './held-rules.ts';
import { distinct, type Work } from './work.ts';

/** Takes a box that is not covered; returns true where no more are needed. */
type Report = (box: Box) => boolean;

const none: readonly string[] = [];
const anyName: readonly Value[] = [undefined];

/** Boxes with longer lists are cut: each piece is compared only with the held rules that concern it. */
const maxLength = 64;

export function findUncovered(rule: PolicyRule, held: HeldRules, work: Work, report: Report): void {
  const { apiGroups = none, resources = none, resourceNames = none, nonResourceURLs = none } = rule;
  const listOf = (values: readonly string[]) => [...distinct(values, work)];
  const verbs = listOf(rule.verbs ?? none);
  if (apiGroups.length > 0 && resources.length > 0) {
    const names = resourceNames.length === 0 ? anyName : listOf(resourceNames);
    const box = [verbs, listOf(apiGroups), listOf(resources), names];
    if (findInBox(box, held.universal, (piece) => held.candidates(piece, work), work, report)) return;
  }
  if (nonResourceURLs.length > 0)
    findInBox([verbs, listOf(nonResourceURLs)], held.paths, () => held.paths, work, report);
}

function findInBox(
  whole: Box,
  universal: readonly HeldBox[],
  candidatesFor: (piece: Box) => readonly HeldBox[],
  work: Work,
  report: Report,
): boolean {
  for (const held of universal) {
    work.take(whole.length);
    if (held.every(({ isAll }) => isAll)) return false;
  }
  return somePiece(whole, [], (piece) => {
    const candidates = candidatesFor(piece);
    work.take(lengthOf(piece) + candidates.length);
    return subtract(piece, candidates, work, report);
  });
}

/** Calls `isEnough` with a box in pieces whose lists are short, one after the other, until it returns true. */
function somePiece(box: Box, fixed: Box, isEnough: (piece: Box) => boolean): boolean {
  const [values, ...rest] = box;
  if (values === undefined) return isEnough(fixed);
  for (let at = 0; at < values.length; at += maxLength) {
    const short = values.length <= maxLength ? values : values.slice(at, at + maxLength);
    if (somePiece(rest, [...fixed, short], isEnough)) return true;
  }
  return false;
}

/**
 * Takes the part that one held rule covers away from a box, then the part of the next rule from the rest, and so on. True if
 * no more uncovered boxes are needed.
 */
function subtract(whole: Box, all: readonly HeldBox[], work: Work, report: Report): boolean {
  const candidates = byShare(whole, all, work);
  const open: { readonly box: Box; readonly from: number }[] = [{ box: whole, from: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { box } = next;
    let shared: Box | undefined;
    let at = next.from;
    for (; shared === undefined && at < candidates.length; at++) {
      work.take(lengthOf(box));
      shared = intersect(box, candidates[at] as HeldBox);
    }
    if (shared !== undefined) for (const rest of remainder(box, shared)) open.push({ box: rest, from: at });
    else if (report(box)) return true;
  }
  return false;
}

/** The held rules that cover a part of a box, those that cover the most of it first. */
function byShare(box: Box, all: readonly HeldBox[], work: Work): readonly HeldBox[] {
  const overlapping: { readonly held: HeldBox; readonly size: number }[] = [];
  for (const held of all) {
    work.take(lengthOf(box));
    const shared = intersect(box, held);
    const size = shared === undefined ? 0 : sizeOf(shared);
    if (size === sizeOf(box)) return [held];
    if (size > 0) overlapping.push({ held, size });
  }
  return overlapping.sort((a, b) => b.size - a.size).map(({ held }) => held);
}

/** The part of a box that a held rule covers; undefined without such a part. */
function intersect(box: Box, held: HeldBox): Box | undefined {
  const shared: (readonly Value[])[] = [];
  for (let i = 0; i < box.length; i++) {
    const [values, cover] = [box[i], held[i]];
    if (values === undefined || cover === undefined) return undefined;
    const inside = cover.isAll ? values : values.filter((value) => cover.has(value));
    if (inside.length === 0) return undefined;
    shared.push(inside);
  }
  return shared;
}

/** The rest of a box without the covered part, as boxes that do not overlap. */
function remainder(box: Box, shared: Box): Box[] {
  return box.flatMap((values, i) => {
    const inside = new Set(shared[i]);
    const outside = values.filter((value) => !inside.has(value));
    return outside.length === 0 ? [] : [[...shared.slice(0, i), outside, ...box.slice(i + 1)]];
  });
}

const lengthOf = (box: Box) => box.reduce((sum, values) => sum + values.length, 0);
const sizeOf = (box: Box) => box.reduce((product, values) => product * values.length, 1);
