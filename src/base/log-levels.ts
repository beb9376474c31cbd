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

export type AreaLevels = Readonly<Partial<Record<LogArea, number>>>;

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

/** `requests=3,webhooks=4`; empty for no area. Throws an error that says what is wrong. */
export function parseAreaLevels(text: string): AreaLevels {
  const found: Partial<Record<LogArea, number>> = {};
  for (const part of text.split(',').filter((one) => one.trim() !== '')) {
    const [, name = '', level = ''] = /^\s*([a-z]+)=(\d{1,9})\s*$/.exec(part) ?? [];
    const area = logAreas.find((known) => known === name);
    if (area === undefined)
      throw new Error(
        `${JSON.stringify(part)} is not an area and its level, such as requests=3; areas are ${logAreas.join(', ')}`,
      );
    found[area] = Number(level);
  }
  return found;
}
