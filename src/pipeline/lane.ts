// Large requests: the stage that serves requests gives them to the lane, and the lane goes on where that stage began.

import { isPromise } from '../base/maybe-promise.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { MoveToLane } from '../meta/move-to-lane.ts';
import type { Stage } from './stage.ts';

/** Serves requests that are too large for this thread, on another one. */
export interface Lane {
  /** Requests with more bytes, or that change a larger object, are moved. */
  readonly largeBytes: number;
  /** The whole answer, with all its headers. Rejects with an ApiError. */
  serve(exchange: Exchange): Promise<ApiResponse>;
}

/** The stage as it is where there is no lane. */
export function movingLarge(stage: Stage, lane: Lane | undefined): Stage {
  if (lane === undefined) return stage;
  const move = (exchange: Exchange, error: unknown): Promise<ApiResponse> => {
    if (!(error instanceof MoveToLane)) throw error;
    return lane.serve(exchange);
  };
  return function serve(exchange) {
    exchange.largeBytes = lane.largeBytes;
    try {
      const answer = stage(exchange);
      return isPromise(answer) ? answer.catch((error: unknown) => move(exchange, error)) : answer;
    } catch (error) {
      return move(exchange, error);
    }
  };
}

/** In the lane: everything that the first thread knows of the request. */
export const resume: Stage = function resume(exchange) {
  const { moved } = exchange.request;
  if (moved === undefined) throw new Error('the request was not moved');
  exchange.user = moved.user;
  exchange.impersonator = moved.impersonator;
  exchange.impersonationConstraint = moved.impersonationConstraint;
  exchange.deadline = moved.deadline;
  exchange.earlyNotes = moved.annotations;
  return undefined;
};
