// Which policies run again in the second round: those that allow it and ran before a change that they did not see.

import { isSameJson } from '../../../base/json/json.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { AdmissionRequest, Rounds } from '../../plugin.ts';

export class Reinvocation {
  readonly #rounds: Rounds;
  #last: ApiObject | undefined;
  /** Those that ran since the last change. */
  readonly #ran = new Set<string>();
  readonly #again = new Set<string>();

  private constructor(rounds: Rounds) {
    this.#rounds = rounds;
  }

  static readonly #known = new WeakMap<Rounds, Reinvocation>();

  /** What is known of a request from its first round on. */
  static of({ rounds }: AdmissionRequest): Reinvocation {
    let found = Reinvocation.#known.get(rounds);
    if (found === undefined) {
      found = new Reinvocation(rounds);
      Reinvocation.#known.set(rounds, found);
    }
    return found;
  }

  /** Other plugins may have changed the object since the first round. */
  begin(object: ApiObject | undefined): void {
    if (this.#rounds.isSecond && !isSameJson(this.#last, object)) this.#runAgain();
  }

  isDue(invocation: string): boolean {
    return !this.#rounds.isSecond || this.#again.has(invocation);
  }

  /** A policy ran; `mayRunAgain` is what it says of itself. */
  ran(invocation: string, { changed, mayRunAgain }: { changed: boolean; mayRunAgain: boolean }): void {
    if (changed) this.#changed();
    if (mayRunAgain) this.#ran.add(invocation);
  }

  /** compat: what was changed at all is seen again by every policy that allows it, also by the one that changed it last */
  end(object: ApiObject | undefined, changed: boolean): void {
    if (changed) this.#changed();
    this.#last = object;
  }

  #changed(): void {
    this.#runAgain();
    this.#rounds.wantSecond();
  }

  #runAgain(): void {
    for (const invocation of this.#ran) this.#again.add(invocation);
    this.#ran.clear();
  }
}
