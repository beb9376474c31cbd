// Lists as sets.

import { type Library, plain } from '../declarations.ts';
import { bool, list, param } from '../types.ts';
import type { ListValue } from '../values.ts';
import { isIn } from './logic.ts';

const t = param('T');

function contains(items: ListValue, part: ListValue): boolean {
  for (let index = 0; index < part.size; index++) if (!isIn(part.at(index), items)) return false;
  return true;
}

const equivalent = (a: ListValue, b: ListValue): boolean => contains(a, b) && contains(b, a);

function intersects(a: ListValue, b: ListValue): boolean {
  for (let index = 0; index < a.size; index++) if (isIn(a.at(index), b)) return true;
  return false;
}

const ofLists = (id: string, run: (a: ListValue, b: ListValue) => boolean) => plain(id, [list(t), list(t)], bool, run);

export const sets: Library = {
  functions: {
    'sets.contains': [ofLists('list_sets_contains_list', contains)],
    'sets.equivalent': [ofLists('list_sets_equivalent_list', equivalent)],
    'sets.intersects': [ofLists('list_sets_intersects_list', intersects)],
  },
};
