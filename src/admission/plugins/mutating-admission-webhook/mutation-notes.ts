// What audit learns of a webhook that may change objects: that it was called, what it changed, that it could not be called.

import { stringifyJson } from '../../../base/json/json.ts';
import { apiGroup, type Dialect } from '../../../meta/dialect.ts';
import type { AdmissionRequest } from '../../plugin.ts';
import type { Hook } from '../../webhooks/webhook-source.ts';

export class MutationNotes {
  readonly #request: AdmissionRequest;
  readonly #hook: Hook;
  readonly #suffix: string;

  constructor(request: AdmissionRequest, hook: Hook, dialect: Dialect) {
    this.#request = request;
    this.#hook = hook;
    const round = request.rounds.isSecond ? 1 : 0;
    this.#suffix = `webhook.${apiGroup(dialect, 'admission')}/round_${round}_index_${hook.index}`;
  }

  called(mutated: boolean): void {
    const { configuration, name: webhook } = this.#hook;
    this.#request.annotate(`mutation.${this.#suffix}`, stringifyJson({ configuration, webhook, mutated }));
  }

  /** Patches may hold what is in the object: they are recorded where objects are. */
  patched(patch: readonly object[]): void {
    const { configuration, name: webhook } = this.#hook;
    const value = stringifyJson({ configuration, webhook, patch, patchType: 'JSONPatch' });
    this.#request.annotate(`patch.${this.#suffix}`, value, 'Request');
  }

  failedOpen(): void {
    this.#request.annotate(`failed-open.mutation.${this.#suffix}`, this.#hook.name);
  }
}
