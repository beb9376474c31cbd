// Which parts of a rule no held rule covers, without breaking the rule down into every combination of its values.

import type { PolicyRule } from '../../meta/access.ts';
import type { Box, HeldBox, HeldRules, Value } from './held-rules.ts';
import { distinct, type Resting, type Work } from './work.ts';

/** A box that is not covered, or undefined where the caller may let other requests go on. */
type Uncovered = Generator<Box | undefined, void, undefined>;

const none: readonly string[] = [];
const anyName: readonly Value[] = [undefined];

/** Boxes with longer lists are cut: each piece is compared only with the held rules that concern it. */
const maxLength = 64;

export function* uncoveredParts(rule: PolicyRule, held: HeldRules, work: Work): Uncovered {
  const { apiGroups = none, resources = none, resourceNames = none, nonResourceURLs = none } = rule;
  const verbs = [...(yield* distinct(rule.verbs ?? none, work))];
  if (apiGroups.length > 0 && resources.length > 0) {
    const names = resourceNames.length === 0 ? anyName : [...(yield* distinct(resourceNames, work))];
    const about = [[...(yield* distinct(apiGroups, work))], [...(yield* distinct(resources, work))]];
    yield* uncoveredOf([verbs, ...about, names], held.universal, (box) => held.candidates(box, work), work);
  }
  if (nonResourceURLs.length > 0) {
    const paths = [...(yield* distinct(nonResourceURLs, work))];
    yield* uncoveredOf([verbs, paths], held.paths, () => allPaths(held), work);
  }
}

// biome-ignore lint/correctness/useYield: paths are looked for among all held rules about paths
function* allPaths({ paths }: HeldRules): Resting<readonly HeldBox[]> {
  return paths;
}

function* uncoveredOf(
  whole: Box,
  universal: readonly HeldBox[],
  candidatesFor: (box: Box) => Resting<readonly HeldBox[]>,
  work: Work,
): Uncovered {
  for (const held of universal) {
    if (work.take(whole.length)) yield undefined;
    if (held.every(({ isAll }) => isAll)) return;
  }
  for (const box of pieces(whole)) {
    const candidates = yield* candidatesFor(box);
    if (work.take(lengthOf(box) + candidates.length)) yield undefined;
    yield* subtract(box, candidates, work);
  }
}

/** A box in pieces whose lists are short, one after the other. */
function* pieces(box: Box, fixed: Box = []): Generator<Box> {
  const [values, ...rest] = box;
  if (values === undefined) {
    yield fixed;
    return;
  }
  for (let at = 0; at < values.length; at += maxLength) {
    const short = values.length <= maxLength ? values : values.slice(at, at + maxLength);
    yield* pieces(rest, [...fixed, short]);
  }
}

/** Takes away from a box what one held rule covers, from what is left of it what the next one does, and so on. */
function* subtract(whole: Box, all: readonly HeldBox[], work: Work): Uncovered {
  const candidates = yield* byShare(whole, all, work);
  const open: { readonly box: Box; readonly from: number }[] = [{ box: whole, from: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { box } = next;
    let shared: Box | undefined;
    let at = next.from;
    for (; shared === undefined && at < candidates.length; at++) {
      if (work.take(lengthOf(box))) yield undefined;
      shared = intersect(box, candidates[at] as HeldBox);
    }
    if (shared === undefined) yield box;
    else for (const rest of remainder(box, shared)) open.push({ box: rest, from: at });
  }
}

/** The held rules that cover a part of a box, those that cover the most of it first. */
function* byShare(box: Box, all: readonly HeldBox[], work: Work): Resting<readonly HeldBox[]> {
  const found: { readonly held: HeldBox; readonly size: number }[] = [];
  for (const held of all) {
    if (work.take(lengthOf(box))) yield undefined;
    const shared = intersect(box, held);
    const size = shared === undefined ? 0 : sizeOf(shared);
    if (size === sizeOf(box)) return [held];
    if (size > 0) found.push({ held, size });
  }
  return found.sort((a, b) => b.size - a.size).map(({ held }) => held);
}

/** The part of a box that a held rule covers; undefined where that is none. */
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

/** What is left of a box without the part that is covered, as boxes that do not overlap. */
function remainder(box: Box, shared: Box): Box[] {
  return box.flatMap((values, i) => {
    const inside = new Set(shared[i]);
    const outside = values.filter((value) => !inside.has(value));
    return outside.length === 0 ? [] : [[...shared.slice(0, i), outside, ...box.slice(i + 1)]];
  });
}

const lengthOf = (box: Box) => box.reduce((sum, values) => sum + values.length, 0);
const sizeOf = (box: Box) => box.reduce((product, values) => product * values.length, 1);
