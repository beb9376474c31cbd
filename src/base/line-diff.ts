// What differs between two texts, line by line, as patches write it: a few lines around each change.

interface Edit {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
}

const around = 3;
/** Changes that are looked for; texts that differ in more are shown as one replaced by the other. */
const mostChanges = 500;
const mostLines = 2000;

/** Empty where the texts are the same. */
export function lineDiff(before: string, after: string): string {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const changed = edits(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const first = Math.max(0, start - around);
  const all = [
    ...a.slice(first, start).map(kept),
    ...changed,
    ...a.slice(a.length - end, a.length - end + around).map(kept),
  ];
  return changed.length === 0 ? '' : hunks(all, first).slice(0, mostLines).join('\n').concat('\n');
}

/** The shortest way from one list of lines to the other, by Myers' greedy search. */
function edits(a: readonly string[], b: readonly string[]): readonly Edit[] {
  const trace = search(a, b);
  if (trace === undefined) return [...a.map(removed), ...b.map(added)];
  const path: Edit[] = [];
  let [x, y] = [a.length, b.length];
  for (let d = trace.length - 1; d >= 0; d--) {
    const reach = trace[d] as ReadonlyMap<number, number>;
    const k = x - y;
    const down = goesDown(reach, k, d);
    const fromX = reach.get(down ? k + 1 : k - 1) ?? 0;
    const fromY = fromX - (down ? k + 1 : k - 1);
    for (; x > fromX && y > fromY; y--) path.push(kept(a[--x] as string));
    if (d > 0) path.push(down ? added(b[--y] as string) : removed(a[--x] as string));
  }
  return path.reverse();
}

/** Whether the last of `d` changes on a diagonal is a line that was added. */
const goesDown = (reach: ReadonlyMap<number, number>, k: number, d: number) =>
  k === -d || (k !== d && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));

const kept = (line: string): Edit => ({ sign: ' ', line });
const removed = (line: string): Edit => ({ sign: '-', line });
const added = (line: string): Edit => ({ sign: '+', line });

/** How far each diagonal reaches before each further change; undefined where there are too many changes. */
function search(a: readonly string[], b: readonly string[]): readonly ReadonlyMap<number, number>[] | undefined {
  const trace: ReadonlyMap<number, number>[] = [];
  const reach = new Map<number, number>([[1, 0]]);
  for (let d = 0; d <= Math.min(a.length + b.length, mostChanges); d++) {
    trace.push(new Map(reach));
    for (let k = -d; k <= d; k += 2) {
      const down = goesDown(reach, k, d);
      let x = down ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach.set(k, x);
      if (x >= a.length && x - k >= b.length) return trace;
    }
  }
  return undefined;
}

/** Groups of changes with the lines around them; `first` lines come before all of it. */
function hunks(all: readonly Edit[], first: number): readonly string[] {
  const near = all.map((_, index) =>
    all.slice(Math.max(0, index - around), index + around + 1).some(({ sign }) => sign !== ' '),
  );
  const lines: string[] = [];
  let [before, after] = [first, first];
  for (let index = 0; index < all.length; index++) {
    if (near[index] && !near[index - 1]) {
      const end = near.indexOf(false, index);
      const hunk = all.slice(index, end < 0 ? all.length : end);
      const size = (sign: string) => hunk.filter((one) => one.sign !== sign).length;
      lines.push(`@@ -${before + 1},${size('+')} +${after + 1},${size('-')} @@`);
    }
    const { sign, line } = all[index] as Edit;
    if (near[index]) lines.push(`${sign}${line}`);
    if (sign !== '+') before++;
    if (sign !== '-') after++;
  }
  return lines;
}
