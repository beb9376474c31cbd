// The name that a misspelt one was meant to be.

/** Undefined where no name is near. A name whose beginning, middle or end was given is near, too. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const maxDistance = lower.length < 3 ? 0 : lower.length < 5 ? 1 : Math.max(2, lower.length / 4);
  const distances = candidates.map((candidate) => ({
    candidate,
    distance: distanceOf(lower, candidate.toLowerCase()),
  }));
  const [nearest] = distances.sort((a, b) => a.distance - b.distance);
  if (nearest === undefined) return undefined;
  if (nearest.distance <= maxDistance) return nearest.candidate;
  if (lower.length < 3) return undefined;
  return distances.find(({ candidate }) => candidate.toLowerCase().includes(lower))?.candidate;
}

/** `; did you mean NAME?`, or nothing. */
export function suggestion(name: string, candidates: readonly string[]): string {
  const nearest = nearestName(name, candidates);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

/** The number of letters to add, remove or replace, and of neighbours to swap. */
function distanceOf(a: string, b: string): number {
  let above: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (above[j - 2] as number) + 1 : same;
      next.push(Math.min(same, swapped, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    [above, row] = [row, next];
  }
  return row[b.length] as number;
}
