// The error of an invalid time, in the words of Go's parser.

interface Piece {
  readonly before: string;
  readonly form: RegExp;
  /** How the layout names it. */
  readonly name: string;
  readonly max?: number;
  readonly min?: number;
  readonly unit?: string;
}

const date: readonly Piece[] = [
  { before: '', form: /^\d{4}/, name: '2006' },
  { before: '-', form: /^\d\d/, name: '01', min: 1, max: 12, unit: 'month' },
  { before: '-', form: /^\d\d/, name: '02' },
  { before: 'T', form: /^\d\d?/, name: '15', max: 23, unit: 'hour' },
  { before: ':', form: /^\d\d/, name: '04', max: 59, unit: 'minute' },
];
const zone: Piece = { before: '', form: /^(?:Z|[+-]\d\d:\d\d)/, name: 'Z07:00' };
const second = { before: ':', name: '05', max: 59, unit: 'second' } as const;
const fraction: Piece = { before: '', form: /^\.\d{6}/, name: '.000000' };

export const timePieces: readonly Piece[] = [...date, { ...second, form: /^\d\d(?:[.,]\d+)?/ }, zone];
export const microTimePieces: readonly Piece[] = [...date, { ...second, form: /^\d\d/ }, fraction, zone];

/** A sentence about the first thing that is wrong. */
export function timeProblem(text: string, pieces: readonly Piece[]): string {
  const quoted = JSON.stringify(text);
  const layout = pieces.map(({ before, name }) => before + name).join('');
  const cannot = (rest: string, as: string) =>
    `parsing time ${quoted} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(as)}`;
  let rest = text;
  for (const { before, form, name, min = 0, max = Number.POSITIVE_INFINITY, unit } of pieces) {
    if (!rest.startsWith(before)) return cannot(rest, before);
    rest = rest.slice(before.length);
    const [found] = form.exec(rest) ?? [];
    if (found === undefined) return cannot(rest, name);
    const amount = Number.parseInt(found, 10);
    if (amount < min || amount > max) return `parsing time ${quoted}: ${unit} out of range`;
    rest = rest.slice(found.length);
  }
  return `parsing time ${quoted}: ${rest === '' ? 'day out of range' : `extra text: ${JSON.stringify(rest)}`}`;
}
