// Whether a header field makes sense, whichever end sends it (RFC 9113, section 8.2).

import { type HeaderField, ofHttp1 } from './hpack-tables.ts';

const verdict = { unknown: 0, fine: 1, malformed: 2 } as const;

const validName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** Also a space or tab at either end. */
const invalidValue = /[^\t\x20-\x7e\x80-\xff]|^[\t ]|[\t ]$/;

/** A field that is referred to again and again is looked at once. */
export function makesSense(field: HeaderField): boolean {
  if (field.verdict === verdict.unknown) field.verdict = isFine(field) ? verdict.fine : verdict.malformed;
  return field.verdict === verdict.fine;
}

function isFine({ name, value }: HeaderField): boolean {
  if (!validName.test(name) || invalidValue.test(value)) return false;
  return name === 'te' ? value.toLowerCase() === 'trailers' : !ofHttp1.has(name);
}
