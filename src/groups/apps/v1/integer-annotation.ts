// Annotations that hold an integer, since they stand for a field of an older version.

import { goQuoted } from '../../../wording/go-format.ts';

/** Why a text is no int64, in the words of the language of kube-apiserver. */
export function integerProblem(text: string): string | undefined {
  const refuse = (why: string) => `strconv.ParseInt: parsing ${goQuoted(text)}: ${why}`;
  if (!/^[+-]?[0-9]+$/.test(text)) return refuse('invalid syntax');
  return fitsInt64(text) ? undefined : refuse('value out of range');
}

function fitsInt64(text: string): boolean {
  const digits = text.replace(/^[+-]?0*/, '');
  if (digits.length > 19) return false;
  const value = BigInt(`${text.startsWith('-') ? '-' : ''}${digits || 0}`);
  return BigInt.asIntN(64, value) === value;
}
