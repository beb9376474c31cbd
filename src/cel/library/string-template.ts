// The texts that `format` fills in: their clauses, and what each of them takes.

import { EvaluationError } from '../values.ts';

export type Clause = 's' | 'd' | 'f' | 'e' | 'b' | 'o' | 'x' | 'X';

interface TemplateArguments {
  readonly count: number;
  /** The text in place of a clause; digits are undefined if the clause has none. */
  write(clause: Clause, index: number, digits: number | undefined): string;
}

export const textFault = (type: string): string =>
  `string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${type}`;
const decimalFault = (type: string): string => `decimal clause can only be used on integers, was given ${type}`;
const hexFault = (type: string): string =>
  `only integers, byte buffers, and strings can be formatted as hex, was given ${type}`;

/** Errors of arguments with another type than the clause accepts. */
export const typeFaults: Readonly<Record<Clause, (type: string) => string>> = {
  s: textFault,
  d: decimalFault,
  f: (type) => `fixed-point clause can only be used on doubles, was given ${type}`,
  e: (type) => `scientific clause can only be used on doubles, was given ${type}`,
  b: (type) => `only integers and bools can be formatted as binary, was given ${type}`,
  o: (type) => `octal clause can only be used on integers, was given ${type}`,
  x: hexFault,
  X: hexFault,
};

const clauses: ReadonlySet<string> = new Set(Object.keys(typeFaults));

const clauseForm = /%(?:%|(?:\.([0-9]*))?([\s\S]?))/gu;

const unreadable = (why: string) => new EvaluationError(`could not parse formatting clause: ${why}`);

export function interpolate(template: string, args: TemplateArguments): string {
  let used = 0;
  return template.replace(
    clauseForm,
    (found: string, precision: string | undefined, letter: string | undefined = '') => {
      if (found === '%%') return '%';
      if (found === '%') throw new EvaluationError('unexpected end of string');
      if (used >= args.count) throw new EvaluationError(`index ${used} out of range`);
      const digits = precision === undefined ? undefined : digitsOf(precision, letter);
      if (!clauses.has(letter)) throw unreadable(`unrecognized formatting clause "${firstByte(letter)}"`);
      return args.write(letter as Clause, used++, digits);
    },
  );
}

function digitsOf(precision: string, letter: string): number {
  const failed = (why: string) => unreadable(`error while parsing precision: ${why}`);
  if (letter === '') throw failed('could not find end of precision specifier');
  const converting = `error while converting precision to integer: strconv.Atoi: parsing "${precision}"`;
  if (precision === '') throw failed(`${converting}: invalid syntax`);
  const digits = Number(precision);
  if (digits > Number.MAX_SAFE_INTEGER) throw failed(`${converting}: value out of range`);
  return digits;
}

/** Of a letter outside of ASCII only its first byte is read. */
const firstByte = (letter: string): string => String.fromCharCode(Buffer.from(letter)[0] ?? 0);
