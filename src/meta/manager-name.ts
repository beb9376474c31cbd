// Names of field managers: printable, and not too long.

import { invalidValue, tooLong } from './field-errors.ts';
import type { FieldError } from './status.ts';

const maxManagerBytes = 128;
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** What nearly all names are made of; the tables behind the other one take milliseconds to make. */
const plain = /^[ -~]*$/;

const isPrintable = (name: string): boolean => plain.test(name) || !unprintable.test(name);

/** Short enough to be looked at no further: no character takes more bytes than four. */
export const isPlainManager = (name: string): boolean => name.length <= maxManagerBytes / 4 && isPrintable(name);

/** As much of a text as may be in a name. */
export function asManagerName(text: string): string {
  if (isPlainManager(text)) return text;
  let result = '';
  for (const letter of text) {
    if (!isPrintable(letter)) continue;
    if (Buffer.byteLength(result + letter) > maxManagerBytes) break;
    result += letter;
  }
  return result;
}

export function validateManagerName(field: string, name: string): readonly FieldError[] {
  if (isPlainManager(name)) return [];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(name) > maxManagerBytes) errors.push(tooLong(field, maxManagerBytes));
  if (isPrintable(name)) return errors;
  let position = 0;
  for (const letter of name) {
    // every validation error repeats the name: of a long one only as much is looked at as a name may have
    if (position >= maxManagerBytes) break;
    const code = (letter.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
    const detail = `invalid character U+${code} (at position ${position})`;
    if (!isPrintable(letter)) errors.push(invalidValue(field, name, detail));
    position += Buffer.byteLength(letter);
  }
  return errors;
}
