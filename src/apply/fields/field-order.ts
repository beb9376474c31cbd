// Sets of fields in the order in which they are written.

import { sortInSteps } from '../../base/sort-in-steps.ts';
import type { Steps } from '../../base/steps.ts';
import { type FieldSet, isEmpty, leaf } from './field-set.ts';

/** So many paths are put in order in one step. */
const stepPaths = 2000;

/** The same set with elements in alphabetical order; large ones in steps. */
export function* inOrder(node: FieldSet): Steps<FieldSet> {
  const look = { left: stepPaths, isOrdered: true };
  if (hasFew(node, look)) return look.isOrdered ? node : sorted(node);
  yield;
  return yield* new Sorting().sorted(node);
}

interface Look {
  left: number;
  isOrdered: boolean;
}

/** Whether there are fewer than are left, and in order. Once for both: to begin with a large node takes V8 long. */
function hasFew(node: FieldSet, look: Look): boolean {
  let last = '';
  for (const key in node) {
    if (--look.left <= 0 || !hasFew(node[key] as FieldSet, look)) return false;
    if (key < last) look.isOrdered = false;
    last = key;
  }
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
    const isLong = keys.length > stepPaths;
    if (isLong) yield;
    const result: Record<string, FieldSet> = {};
    for (const key of isLong ? yield* sortInSteps(keys) : keys.sort()) {
      const child = node[key] as FieldSet;
      result[key] = child === leaf ? leaf : yield* this.sorted(child);
      if (++this.#seen % stepPaths === 0) yield;
    }
    return result;
  }
}
