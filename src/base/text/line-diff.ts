// What differs between two texts, line by line, as patches write it: a few lines around each change. What both have in
// common is found as clients of Kubernetes know it: the longest run of equal lines, then the longest before it and after it.

/** Lines that both texts have, one after the other. */
interface Run {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** Lines of the one text that stand in for lines of the other. */
interface Change {
  readonly a: number;
  readonly b: number;
  readonly removed: number;
  readonly added: number;
}

const around = 3;
const mostLines = 2000;
/** Pairs of lines that are looked at; in texts that need more only the beginning and the end are found to be the same. */
const mostPairs = 400_000;

/** Empty where the texts are the same. */
export function lineDiff(before: string, after: string): string {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const changes = changesBetween(new CommonLines(a, b).runs(), a.length, b.length);
  const lines = hunksOf(changes).flatMap((hunk) => shown(hunk, a, b));
  return lines.length === 0 ? '' : lines.slice(0, mostLines).join('\n').concat('\n');
}

class TooManyPairs extends Error {}

class CommonLines {
  readonly #a: readonly string[];
  readonly #b: readonly string[];
  /** Where in `b` each line of `a` stands. */
  readonly #places: readonly (readonly number[])[];
  /** How long the run is that ends before each place of `b`: at the line before and at the line that is looked at. */
  readonly #ending: readonly [Int32Array, Int32Array];
  #pairs = 0;

  constructor(a: readonly string[], b: readonly string[]) {
    this.#a = a;
    this.#b = b;
    const places = placesOf(b);
    this.#places = a.map((line) => places.get(line) ?? []);
    this.#ending = [new Int32Array(b.length + 1), new Int32Array(b.length + 1)];
  }

  runs(): readonly Run[] {
    try {
      return this.#within({ a: 0, b: 0 }, { a: this.#a.length, b: this.#b.length });
    } catch (error) {
      if (error instanceof TooManyPairs) return this.#ends();
      throw error;
    }
  }

  #within(from: Place, to: Place): readonly Run[] {
    if (from.a >= to.a || from.b >= to.b) return [];
    const run = this.#extended(this.#longest(from, to), from, to);
    if (run.size === 0) return [];
    const end = { a: run.a + run.size, b: run.b + run.size };
    return [...this.#within(from, run), run, ...this.#within(end, to)];
  }

  /** The first of the longest runs. */
  #longest(from: Place, to: Place): Run {
    let best: Run = { ...from, size: 0 };
    let [before, here] = this.#ending;
    for (let at = from.a; at < to.a; at++) {
      const places = this.#places[at] as readonly number[];
      this.#count(places.length + 1);
      for (const place of places) {
        if (place < from.b || place >= to.b) continue;
        const size = (before[place] as number) + 1;
        here[place + 1] = size;
        if (size > best.size) best = { a: at - size + 1, b: place - size + 1, size };
      }
      if (at > from.a) clear(before, this.#places[at - 1] as readonly number[]);
      [before, here] = [here, before];
    }
    clear(before, this.#places[to.a - 1] as readonly number[]);
    return best;
  }

  #count(pairs: number): void {
    this.#pairs += pairs;
    if (this.#pairs > mostPairs) throw new TooManyPairs();
  }

  /** With the common lines next to it. */
  #extended({ a, b, size }: Run, from: Place, to: Place): Run {
    let [start, end] = [0, size];
    while (a - start > from.a && b - start > from.b && this.#isSame(a - start - 1, b - start - 1)) start++;
    while (a + end < to.a && b + end < to.b && this.#isSame(a + end, b + end)) end++;
    return { a: a - start, b: b - start, size: start + end };
  }

  /** What the texts begin and end with. */
  #ends(): readonly Run[] {
    const [a, b] = [this.#a.length, this.#b.length];
    const first = this.#extended({ a: 0, b: 0, size: 0 }, { a: 0, b: 0 }, { a, b });
    const last = this.#extended({ a, b, size: 0 }, { a: first.size, b: first.size }, { a, b });
    return [first, last];
  }

  #isSame(a: number, b: number): boolean {
    return this.#a[a] === this.#b[b];
  }
}

/** Forgets the runs that end at these places. */
function clear(runs: Int32Array, places: readonly number[]): void {
  for (const place of places) runs[place + 1] = 0;
}

interface Place {
  readonly a: number;
  readonly b: number;
}

/** From so many lines on, those that are there often begin no run. */
const manyLines = 200;

function placesOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const found = places.get(line);
    if (found === undefined) places.set(line, [index]);
    else found.push(index);
  }
  if (lines.length < manyLines) return places;
  const often = Math.floor(lines.length / 100) + 1;
  return new Map([...places].filter(([, found]) => found.length <= often));
}

/** What lies between the runs; two that follow each other in both texts have nothing between them. */
function changesBetween(runs: readonly Run[], a: number, b: number): readonly Change[] {
  const changes: Change[] = [];
  let at: Place = { a: 0, b: 0 };
  for (const run of [...runs, { a, b, size: 0 }]) {
    const change = { ...at, removed: run.a - at.a, added: run.b - at.b };
    if (change.removed + change.added > 0) changes.push(change);
    at = { a: run.a + run.size, b: run.b + run.size };
  }
  return changes;
}

/** Changes whose lines around them touch are shown together. */
function hunksOf(changes: readonly Change[]): readonly (readonly Change[])[] {
  const hunks: Change[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const change of changes) {
    if (change.a - end <= 2 * around) hunks.at(-1)?.push(change);
    else hunks.push([change]);
    end = change.a + change.removed;
  }
  return hunks;
}

function shown(hunk: readonly Change[], a: readonly string[], b: readonly string[]): readonly string[] {
  const first = hunk[0] as Change;
  const last = hunk.at(-1) as Change;
  const before = Math.min(around, first.a, first.b);
  const lines: string[] = [];
  let at = first.a - before;
  for (const change of hunk) {
    const end = change.a + change.removed;
    lines.push(...signed(' ', a, at, change.a), ...signed('-', a, change.a, end));
    lines.push(...signed('+', b, change.b, change.b + change.added));
    at = end;
  }
  lines.push(...signed(' ', a, at, at + around));
  const after = Math.min(around, a.length - at, b.length - last.b - last.added);
  const ranges = [rangeOf(first.a - before, at + after), rangeOf(first.b - before, last.b + last.added + after)];
  return [`@@ -${ranges[0]} +${ranges[1]} @@`, ...lines];
}

const signed = (sign: string, lines: readonly string[], from: number, to: number) =>
  lines.slice(from, to).map((line) => `${sign}${line}`);

function rangeOf(from: number, to: number): string {
  const size = to - from;
  if (size === 1) return `${from + 1}`;
  return `${size === 0 ? from : from + 1},${size}`;
}
