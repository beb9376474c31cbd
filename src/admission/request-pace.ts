// Long work for a request, in turns with other work: it ends with the request.

import { YieldTimer } from '../base/yield-timer.ts';
import { ApiError, timeout } from '../meta/status.ts';
import type { AdmissionRequest } from './plugin.ts';

export class RequestPace extends YieldTimer {
  readonly #request: AdmissionRequest;

  constructor(request: AdmissionRequest) {
    super();
    this.#request = request;
  }

  /** Throws where the request has ended meanwhile. */
  override async rest(): Promise<void> {
    await super.rest();
    if (this.#request.signal.aborted) throw endOf(this.#request);
  }
}

/** Why a request has ended. */
export function endOf({ signal }: AdmissionRequest): ApiError {
  const { reason } = signal as { reason: unknown };
  return reason instanceof ApiError ? reason : timeout('request did not complete within requested timeout');
}
