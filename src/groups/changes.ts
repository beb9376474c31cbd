// What changed in a value that may not change, for the message that says so.

import { stringifyJson } from '../base/json.ts';
import { lineDiff } from '../base/line-diff.ts';
import { inReferenceForm } from './reference-form.ts';

/** Line by line, as patches write it; a user who changed more than they meant to sees what it was. */
export function changes(type: string, old: object, next: object): string {
  const text = (value: object) => stringifyJson(inReferenceForm(type, value), 1);
  return lineDiff(text(old), text(next));
}
