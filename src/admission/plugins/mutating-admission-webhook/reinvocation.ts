// Which webhooks see a request again after others changed its object.

import { isSameJson } from '../../../base/json/json.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { AdmissionRequest, Rounds } from '../../plugin.ts';
import type { Hook } from '../../webhooks/webhook-source.ts';

export class Reinvocation {
  /** Those that were called and want to be called again after a change. */
  #called = new Set<string>();
  readonly #again = new Set<string>();
  #lastOutput: ApiObject | undefined;

  /** At the start of a round: what plugins of the server changed since the last webhook counts too. */
  begin({ rounds, object }: AdmissionRequest): void {
    if (rounds.isSecond && !isSameJson(this.#lastOutput, object)) this.#demand();
  }

  /** In the second round nothing is called that was not called in the first. */
  mayCall({ uid }: Hook, rounds: Rounds): boolean {
    return !rounds.isSecond || this.#again.has(uid);
  }

  called({ uid, webhook }: Hook, isChanged: boolean, rounds: Rounds): void {
    if (isChanged) {
      this.#demand();
      rounds.wantSecond();
    }
    if (webhook.reinvocationPolicy === 'IfNeeded') this.#called.add(uid);
  }

  end(object: ApiObject | undefined): void {
    this.#lastOutput = object;
  }

  #demand(): void {
    for (const uid of this.#called) this.#again.add(uid);
    this.#called = new Set();
  }
}
