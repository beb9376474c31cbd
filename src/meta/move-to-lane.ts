// A request that is too large for the thread that received it.

import type { MovedNotes } from './request-notes.ts';
import type { UserInfo } from './user.ts';

/** Thrown before anything is committed or sent: the lane for large requests serves the request, from its beginning. */
export class MoveToLane extends Error {}

/** A request that may still move. */
export interface MovableRequest {
  /** Throws `MoveToLane` where the lane should serve a request of this size. */
  moveIfLarge(bytes: number): void;
}

/** One for all requests: where it was thrown does not matter. */
export const moveToLane = new MoveToLane('the request is served by the lane for large requests');

/** Who the client is, and everything else that the first thread knows of a request that it moves. */
export interface MovedRequest {
  readonly id: string;
  readonly startedAt: number;
  readonly deadline: number;
  readonly user: UserInfo;
  readonly impersonator: UserInfo | undefined;
  readonly impersonationConstraint: string | undefined;
  /** Annotations of the audit event so far. */
  readonly annotations: Readonly<Record<string, string>> | undefined;
  /** Set while a trace of the request is taken. */
  readonly notes: MovedNotes | undefined;
}
