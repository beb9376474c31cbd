// Requests that end while they are admitted.

import { ApiError, timeout } from '../meta/status.ts';
import type { AdmissionRequest } from './plugin.ts';

/** Throws where the request has ended: it took too long, or its client left. */
export function throwIfEnded({ signal }: AdmissionRequest): void {
  if (!signal.aborted) return;
  const { reason } = signal as { reason: unknown };
  throw reason instanceof ApiError ? reason : timeout('request did not complete within requested timeout');
}
