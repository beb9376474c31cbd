// Sets of fields in the order in which they are written.

import { sortInSteps } from '../../base/sort-in-steps.ts';
import type { Steps } from '../../base/steps.ts';
import { type FieldSet, isEmpty, leaf } from './field-set.ts';

/** So many paths are put in order in one step. */
const stepPaths = 2000;

/** The same set with elements in alphabetical order; large ones in steps. */
export function* inOrder(node: FieldSet): Steps<FieldSet> {
  if (isInOrder(node, { left: stepPaths })) return node;
  if (hasFew(node, { left: stepPaths })) return sorted(node);
  yield;
  return yield* new Sorting().sorted(node);
}

/** False also where there are more than `count` says. */
function isInOrder(node: FieldSet, count: { left: number }): boolean {
  let last = '';
  for (const key in node) {
    if (--count.left <= 0 || key < last || !isInOrder(node[key] as FieldSet, count)) return false;
    last = key;
  }
  return true;
}

/** Whether there are fewer than `count` says. */
function hasFew(node: FieldSet, count: { left: number }): boolean {
  for (const key in node) if (--count.left <= 0 || !hasFew(node[key] as FieldSet, count)) return false;
  return true;
}

function sorted(node: FieldSet): FieldSet {
  if (isEmpty(node)) return leaf;
  const result: Record<string, FieldSet> = {};
  for (const key of Object.keys(node).sort()) result[key] = sorted(node[key] as FieldSet);
  return result;
}

class Sorting {
  #seen = 0;

  *sorted(node: FieldSet): Steps<FieldSet> {
    const keys = Object.keys(node);
    if (keys.length === 0) return leaf;
    const result: Record<string, FieldSet> = {};
    for (const key of keys.length > stepPaths ? yield* sortInSteps(keys) : keys.sort()) {
      const child = node[key] as FieldSet;
      result[key] = child === leaf ? leaf : yield* this.sorted(child);
      if (++this.#seen % stepPaths === 0) yield;
    }
    return result;
  }
}
