// Sets of completion indexes, and their text: `0,2-4`.

import { parseIndexes } from '../../../groups/batch/v1/job-indexes.ts';

export function readIndexes(text: string | undefined, completions: number): Set<number> {
  const parsed = parseIndexes(text ?? '', completions);
  const indexes = new Set<number>();
  if ('wrong' in parsed) return indexes;
  for (const { first, last } of parsed.intervals) for (let index = first; index <= last; index++) indexes.add(index);
  return indexes;
}

/** Two indexes in a row are listed, more are an interval. */
export function formatIndexes(indexes: ReadonlySet<number>): string {
  const sorted = [...indexes].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let at = 0; at < sorted.length; ) {
    const first = sorted[at] as number;
    let last = first;
    while (sorted[at + (last - first) + 1] === last + 1) last++;
    at += last - first + 1;
    parts.push(last === first ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`);
  }
  return parts.join(',');
}
