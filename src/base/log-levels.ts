// How much is logged, as a whole and by area; may change while the program runs.
//
//   0  what an operator must act on
//   1  start, stop, configuration, leader changes
//   2  requests that failed or were slow
//   3  every request
//   4  decisions: authorizers, admission, webhooks, conversions, caches

export const logAreas = [
  'server',
  'requests',
  'authorization',
  'admission',
  'webhooks',
  'conversions',
  'caches',
] as const;
export type LogArea = (typeof logAreas)[number];

type AreaLevels = Readonly<Partial<Record<LogArea, number>>>;

/** What can be changed while the program runs. */
export interface LogSettings {
  readonly verbosity: number;
  readonly areas: AreaLevels;
}

export class LogLevels {
  /** Plain numbers: where a line is not wanted, a request costs one comparison. */
  readonly of: Record<LogArea, number>;
  #verbosity: number;
  #areas: AreaLevels;

  constructor(verbosity: number, areas: AreaLevels = {}) {
    this.of = Object.fromEntries(logAreas.map((area) => [area, 0])) as Record<LogArea, number>;
    this.#verbosity = verbosity;
    this.#areas = areas;
    this.#spread();
  }

  get settings(): LogSettings {
    return { verbosity: this.#verbosity, areas: this.#areas };
  }

  set settings({ verbosity, areas }: LogSettings) {
    this.#verbosity = verbosity;
    this.#areas = areas;
    this.#spread();
  }

  set verbosity(level: number) {
    this.#verbosity = level;
    this.#spread();
  }

  /** Areas that are not named have the level of the whole. */
  set areas(areas: AreaLevels) {
    this.#areas = areas;
    this.#spread();
  }

  #spread(): void {
    for (const area of logAreas) this.of[area] = this.#areas[area] ?? this.#verbosity;
  }
}

/** Files of klog whose lines belong to an area here: command lines of kube-apiserver name them. */
const areasOfFiles: Readonly<Record<string, LogArea>> = {
  httplog: 'requests',
  rbac: 'authorization',
  webhook: 'webhooks',
  cacher: 'caches',
};

interface ParsedLevels {
  readonly areas: AreaLevels;
  /** Patterns that match no area. */
  readonly unknown: readonly string[];
}

/**
 * `requests=3,webhooks=4`; empty for no area. A pattern of klog, such as `httplog=9` or `cach*=5`, stands for the areas that it
 * matches; the first pattern that matches an area applies. Throws an error that names a part of another form.
 */
export function parseAreaLevels(text: string): ParsedLevels {
  const areas: Partial<Record<LogArea, number>> = {};
  const unknown: string[] = [];
  for (const part of text.split(',').filter((one) => one.trim() !== '')) {
    const [, pattern = '', level = ''] = /^\s*([^=\s]{1,200})=(\d{1,9})\s*$/.exec(part) ?? [];
    if (pattern === '')
      throw new Error(
        `${JSON.stringify(part)} is not an area and its level, such as requests=3; areas are ${logAreas.join(', ')}`,
      );
    const matched = areasOf(pattern);
    if (matched.length === 0) unknown.push(pattern);
    for (const area of matched) areas[area] ??= Number(level);
  }
  return { areas, unknown };
}

/** What to report of patterns that match no area. */
export const unknownAreas = (patterns: readonly string[]): string =>
  `vmodule: ${patterns.join(', ')} has no effect: no area of the log has this name; areas are ${logAreas.join(', ')}`;

function areasOf(pattern: string): readonly LogArea[] {
  const isMatch = matcherOf(pattern);
  const files = Object.entries(areasOfFiles).filter(([file]) => isMatch(file));
  return [...new Set([...logAreas.filter(isMatch), ...files.map(([, area]) => area)])];
}

/** `*` stands for any characters, `?` for one. */
function matcherOf(pattern: string): (name: string) => boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    // one star after another would cost time for nothing
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.');
  const expression = new RegExp(`^${source}$`);
  return (name) => expression.test(name);
}
