// When each node last showed that it is alive. Nodes are kept in the order of these times, so that the silent ones come first.

export class Heartbeats {
  readonly #graceMs: number;
  readonly #times = new Map<string, number>();

  /** A node is silent after more than `graceMs`. */
  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  /** Times must not decrease. */
  note(name: string, time: number): void {
    this.#times.delete(name);
    this.#times.set(name, time);
  }

  drop(name: string): void {
    this.#times.delete(name);
  }

  clear(): void {
    this.#times.clear();
  }

  names(): Iterable<string> {
    return this.#times.keys();
  }

  /** Removes and returns the names of silent nodes. */
  takeSilent(now: number): readonly string[] {
    const silent: string[] = [];
    for (const [name, time] of this.#times) {
      if (time + this.#graceMs >= now) break;
      silent.push(name);
      this.#times.delete(name);
    }
    return silent;
  }

  /** When the next node is silent, unless it shows itself before; undefined without nodes. */
  get nextSilentAt(): number | undefined {
    for (const time of this.#times.values()) return time + this.#graceMs + 1;
    return undefined;
  }
}
