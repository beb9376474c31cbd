// What the thread that received a large request and the lane that serves it send each other, over a port of their own.

import type { MovedRequest } from '../meta/move-to-lane.ts';
import type { NotedParts } from '../meta/request-notes.ts';

/** A request, with everything that a server sees of it. */
export interface LaneRequest {
  readonly method: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly address: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  readonly moved: MovedRequest;
}

/** To the lane. */
export type ToLane =
  | { readonly id: number; readonly request: LaneRequest }
  /** The client is gone, or the time is up. */
  | { readonly id: number; readonly isGone: true }
  /** The client has taken the pieces so far. */
  | { readonly id: number; readonly isDrained: true };

export interface LaneHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly expectedLength: number | undefined;
  /** Undefined where pieces follow. */
  readonly body: Uint8Array | string | undefined;
  readonly hasPieces: boolean;
}

/** From the lane. */
export type FromLane =
  /** The request was taken out of the queue: from now on it may have effects. */
  | { readonly id: number; readonly isBegun: true }
  /** Too many requests of the user wait. */
  | { readonly id: number; readonly isRefused: true }
  /** A write of the request is sent to the store. */
  | { readonly id: number; readonly isCommitted: true }
  /** The work that was done, for the trace of the request. */
  | { readonly id: number; readonly noted: NotedParts }
  | { readonly id: number; readonly head: LaneHead }
  | { readonly id: number; readonly piece: Uint8Array | string }
  /** The answer is complete, or broken off. */
  | { readonly id: number; readonly isOver: true; readonly error: string | undefined };
