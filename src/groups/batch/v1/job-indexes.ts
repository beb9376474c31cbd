// Sets of indexes as an indexed Job writes them: `1,3-5,7`.

/** A set of indexes, or what is wrong with its text. */
type Indexes = { readonly intervals: readonly Interval[]; readonly count: number } | { readonly wrong: string };

interface Interval {
  readonly first: number;
  readonly last: number;
}

/** All indexes are below `completions`, each interval after the one before. */
export function parseIndexes(text: string, completions: number): Indexes {
  const intervals: Interval[] = [];
  let count = 0;
  for (const part of text === '' ? [] : text.split(',')) {
    const interval = parseInterval(part, completions);
    if (typeof interval === 'string') return { wrong: interval };
    const before = intervals.at(-1);
    if (before !== undefined && before.last >= interval.first) return { wrong: notRising(before.last, interval.first) };
    intervals.push(interval);
    count += interval.last - interval.first + 1;
  }
  return { intervals, count };
}

const notRising = (previous: number, current: number) =>
  `non-increasing order, previous: ${previous}, current: ${current}`;

function parseInterval(text: string, completions: number): Interval | string {
  const limits = text.split('-');
  if (limits.length > 2) {
    const fragment = JSON.stringify(text);
    return `the fragment ${fragment} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const numbers: number[] = [];
  for (const limit of limits) {
    if (!/^\+?[0-9]{1,18}$/.test(limit)) return `cannot convert string to integer for index: ${JSON.stringify(limit)}`;
    if (Number(limit) >= completions) return `too large index: ${JSON.stringify(limit)}`;
    numbers.push(Number(limit));
  }
  const [first = 0, last = first] = numbers;
  return limits.length === 2 && first >= last ? notRising(first, last) : { first, last };
}

/** The first index that both sets have; sets that cannot be read share none. */
export function firstShared(a: Indexes, b: Indexes): number | undefined {
  if ('wrong' in a || 'wrong' in b) return undefined;
  for (let i = 0, j = 0; i < a.intervals.length && j < b.intervals.length; ) {
    const one = a.intervals[i] as Interval;
    const other = b.intervals[j] as Interval;
    if (one.first <= other.last && other.first <= one.last) return Math.max(one.first, other.first);
    if (one.first <= other.first) i++;
    else j++;
  }
  return undefined;
}
