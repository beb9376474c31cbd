// What changed in a value that may not change, for the message that says so.

import { stringifyJson } from '../base/json/json.ts';
import { countValues } from '../base/maps/count-values.ts';
import { lineDiff } from '../base/text/line-diff.ts';
import { inReferenceForm } from '../wording/types/reference-form.ts';

/** No object in use has so many; what changed in a larger one is not looked for. */
const mostValues = 10_000;

const isLarge = (value: object) => countValues(value, mostValues) >= mostValues;

/** Line by line, as patches write it; a user who changed more than they meant to sees what it was. */
export function changes(type: string, old: object, next: object): string {
  if (isLarge(old) || isLarge(next)) return '';
  const text = (value: object) => stringifyJson(inReferenceForm(type, value), 1);
  return lineDiff(text(old), text(next));
}
