// What changed in a value that may not change, for the message that says so.

import { stringifyJson } from '../base/json.ts';
import { lineDiff } from '../base/line-diff.ts';

/** Line by line, as patches write it; a user who changed more than they meant to sees what it was. */
export const changes = (old: object, next: object): string => lineDiff(stringifyJson(old, 1), stringifyJson(next, 1));
