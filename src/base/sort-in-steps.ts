// Sorting many texts in short steps.

import type { Steps } from './steps.ts';

/** Few enough to be sorted within a millisecond or two. */
const runLength = 2000;

/** The same texts in ascending order of their code units. */
export function* sortInSteps(texts: readonly string[]): Steps<string[]> {
  let runs: string[][] = [];
  for (let from = 0; from < texts.length; from += runLength) {
    runs.push(texts.slice(from, from + runLength).sort());
    yield;
  }
  while (runs.length > 1) {
    const longer: string[][] = [];
    for (let i = 0; i < runs.length; i += 2) longer.push(yield* merge(runs[i] as string[], runs[i + 1] ?? []));
    runs = longer;
  }
  return runs[0] ?? [];
}

function* merge(a: readonly string[], b: readonly string[]): Steps<string[]> {
  const merged: string[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const isFirst = (a[i] as string) <= (b[j] as string);
    merged.push((isFirst ? a[i++] : b[j++]) as string);
    if (merged.length % runLength === 0) yield;
  }
  yield;
  return merged.concat(a.slice(i), b.slice(j));
}
