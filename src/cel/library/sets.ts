// Lists as sets.

import { type Library, plain } from '../declarations.ts';
import { bool, list, param } from '../types.ts';
import type { ListValue } from '../values.ts';
import { isIn } from './logic.ts';

const t = param('T');

const contains = (items: ListValue, part: ListValue): boolean => part.toArray().every((item) => isIn(item, items));

export const sets: Library = {
  functions: {
    'sets.contains': [plain('list_sets_contains_list', [list(t), list(t)], bool, contains)],
    'sets.equivalent': [
      plain(
        'list_sets_equivalent_list',
        [list(t), list(t)],
        bool,
        (a: ListValue, b: ListValue) => contains(a, b) && contains(b, a),
      ),
    ],
    'sets.intersects': [
      plain('list_sets_intersects_list', [list(t), list(t)], bool, (a: ListValue, b: ListValue) =>
        a.toArray().some((item) => isIn(item, b)),
      ),
    ],
  },
};
