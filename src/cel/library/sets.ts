// Lists as sets.

import { inSteps, type Library, plain } from '../declarations.ts';
import { bool, list, param } from '../types.ts';
import type { ListValue, Value } from '../values.ts';
import { isIn } from './logic.ts';

const t = param('T');

/** Every item of one list may be compared with every item of the other, and an item may be large: one a step. */
function* contains(items: ListValue, part: ListValue): Generator<void, boolean> {
  for (let index = 0; index < part.size; index++) {
    if (!isIn(part.at(index), items)) return false;
    yield;
  }
  return true;
}

function* equivalent(a: ListValue, b: ListValue): Generator<void, boolean> {
  return (yield* contains(a, b)) && (yield* contains(b, a));
}

function* intersects(a: ListValue, b: ListValue): Generator<void, boolean> {
  for (let index = 0; index < a.size; index++) {
    if (isIn(a.at(index), b)) return true;
    yield;
  }
  return false;
}

const ofLists = (id: string, steps: (a: ListValue, b: ListValue) => Generator<void, Value>) =>
  inSteps(
    plain(id, [list(t), list(t)], bool, () => null),
    steps,
  );

export const sets: Library = {
  functions: {
    'sets.contains': [ofLists('list_sets_contains_list', contains)],
    'sets.equivalent': [ofLists('list_sets_equivalent_list', equivalent)],
    'sets.intersects': [ofLists('list_sets_intersects_list', intersects)],
  },
};
