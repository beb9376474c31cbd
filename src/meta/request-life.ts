// How long a request lasts, for calls of other servers that are made for it.

import type { RequestNotes } from './request-notes.ts';

export interface RequestLife {
  /** When the answer must have begun, by the server's clock. */
  readonly deadline: number;
  /** Aborts when the time is up or the client leaves. */
  readonly signal: AbortSignal;
  /** Set while a trace of the request is taken. */
  readonly notes?: RequestNotes | undefined;
}
