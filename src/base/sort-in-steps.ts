// Sorting many values in short steps.

import type { Steps } from './steps.ts';

/** Few enough to be sorted within a millisecond or two. */
const runLength = 2000;
/** Where each comparison is a call, which may look at much. */
const comparedRunLength = 400;

type Compare<T> = (a: T, b: T) => number;

/** The same values in order; texts in ascending order of their code units, unless they are to be compared otherwise. */
export function sortInSteps(texts: readonly string[]): Steps<string[]>;
export function sortInSteps<T>(values: readonly T[], compare: Compare<T>): Steps<T[]>;
export function* sortInSteps<T>(values: readonly T[], compare?: Compare<T>): Steps<T[]> {
  let runs: T[][] = [];
  const length = compare === undefined ? runLength : comparedRunLength;
  for (let from = 0; from < values.length; from += length) {
    runs.push(values.slice(from, from + length).sort(compare));
    yield;
  }
  const isFirst = (a: T, b: T) => (compare === undefined ? a <= b : compare(a, b) <= 0);
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let i = 0; i < runs.length; i += 2)
      longer.push(yield* merge(runs[i] as T[], runs[i + 1] ?? [], isFirst, length));
    runs = longer;
  }
  return runs[0] ?? [];
}

function* merge<T>(a: readonly T[], b: readonly T[], isFirst: (a: T, b: T) => boolean, stepLength: number): Steps<T[]> {
  const merged: T[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    merged.push((isFirst(a[i] as T, b[j] as T) ? a[i++] : b[j++]) as T);
    if (merged.length % stepLength === 0) yield;
  }
  yield;
  return merged.concat(a.slice(i), b.slice(j));
}
