// The rules that a user holds, arranged so that a rule to be granted is compared with few of them.

import type { PolicyRule } from '../../meta/access.ts';
import { pathPrefix, subresourceOfAny } from './rules.ts';
import { distinct, type Work } from './work.ts';

/** One coordinate of what a rule speaks of; undefined in place of a name stands for objects of every name. */
export type Value = string | undefined;

/**
 * What a rule speaks of: every combination of one value from each list. Rules about resources have the lists verbs,
 * groups, resources and names, those about paths verbs and paths.
 */
export type Box = readonly (readonly Value[])[];

/** What a held rule covers of one list of a box. */
interface Cover {
  readonly isAll: boolean;
  has(value: Value): boolean;
}

/** A held rule: one cover for each list of a box. */
export type HeldBox = readonly Cover[];

const star = '*';
const none: readonly string[] = [];
const everything: Cover = { isAll: true, has: () => true };
/** Lists up to this length are searched faster than a set is made of them. */
const few = 8;
/** Path patterns cannot be indexed. Further patterns of a rule are ignored; no ordinary rule has so many. */
const maxPatterns = 200;

/** What a rule costs besides its words. */
const stepsToArrange = 10;

export class HeldRules {
  /** Held rules that name objects, by these names. */
  readonly #named = new Map<string, HeldBox[]>();
  /** Held rules about objects of every name, by resource. */
  readonly #unnamed = new Map<string, HeldBox[]>();
  readonly #paths: HeldBox[] = [];

  add(rule: PolicyRule, work: Work): void {
    const { verbs = none, apiGroups = none, resources = none, resourceNames = none, nonResourceURLs = none } = rule;
    work.take(stepsToArrange);
    const verbCover = coverOf(verbs, work);
    // a rule that names objects covers no path
    if (nonResourceURLs.length > 0 && resourceNames.length === 0)
      this.#paths.push([verbCover, pathCover(nonResourceURLs, work)]);
    if (resources.length === 0) return;
    const about = [verbCover, coverOf(apiGroups, work), resourceCover(resources, work)];
    const isNamed = resourceNames.length > 0;
    const box = [...about, isNamed ? literalCover(resourceNames, work) : everything];
    file(isNamed ? this.#named : this.#unnamed, isNamed ? resourceNames : resources, box, work);
  }

  /** Held rules about all resources and names. */
  get universal(): readonly HeldBox[] {
    return this.#unnamed.get(star) ?? [];
  }

  get paths(): readonly HeldBox[] {
    return this.#paths;
  }

  /** Held rules that may cover a part of a box about resources. */
  candidates([, , resources = [], names = []]: Box, work: Work): readonly HeldBox[] {
    const concerned = new Set<HeldBox>(this.universal);
    for (const boxes of this.#concerning(resources, names)) {
      work.take(boxes.length);
      for (const box of boxes) concerned.add(box);
    }
    return [...concerned];
  }

  #concerning(resources: readonly Value[], names: readonly Value[]): readonly (readonly HeldBox[])[] {
    const byResource = (resources as readonly string[]).flatMap((resource) => [
      this.#unnamed.get(resource) ?? [],
      this.#unnamed.get(subresourceOfAny(resource) ?? resource) ?? [],
    ]);
    return [...byResource, ...names.map((name) => (name === undefined ? [] : (this.#named.get(name) ?? [])))];
  }
}

function file(index: Map<string, HeldBox[]>, keys: readonly string[], box: HeldBox, work: Work): void {
  for (const key of keys) {
    const entries = index.get(key);
    if (entries === undefined) index.set(key, [box]);
    // a key that repeats in one rule
    else if (entries.at(-1) !== box) entries.push(box);
    work.take(1);
  }
}

/** Verbs and groups: a star stands for all of them. */
function coverOf(values: readonly string[], work: Work): Cover {
  return values.includes(star) ? everything : literalCover(values, work);
}

/** Names: a star is a name like any other. */
function literalCover(values: readonly string[], work: Work): Cover {
  if (values.length <= few) return { isAll: false, has: (value) => value !== undefined && values.includes(value) };
  const distinctValues = distinct(values, work);
  return { isAll: false, has: (value) => value !== undefined && distinctValues.has(value) };
}

function resourceCover(values: readonly string[], work: Work): Cover {
  const cover = coverOf(values, work);
  if (cover.isAll || !values.some((value) => value.startsWith('*/'))) return cover;
  return { isAll: false, has: (value = '') => cover.has(value) || cover.has(subresourceOfAny(value)) };
}

function pathCover(values: readonly string[], work: Work): Cover {
  const exact = literalCover(values, work);
  const prefixes: string[] = [];
  for (const value of values) {
    const prefix = pathPrefix(value);
    if (prefix === '') return everything;
    if (prefix !== undefined && prefixes.length < maxPatterns) prefixes.push(prefix);
    work.take(1);
  }
  return { isAll: false, has: (value = '') => exact.has(value) || prefixes.some((prefix) => value.startsWith(prefix)) };
}
