// A request as its priority level sees it.

import type { RequestInfo } from '../meta/request-info.ts';
import type { UserInfo } from '../meta/user.ts';
import type { FlowStats } from './flow-stats.ts';
import type { Queue } from './queue.ts';

/** How long a request probably takes; what it really took is corrected afterwards. */
export const estimatedSeconds = 0.003;

/** The seats that a request needs while it is worked on, and those that its watch events need afterwards. */
export interface SeatEstimate {
  readonly initialSeats: number;
  readonly finalSeats: number;
  /** How long watch events use seats. */
  readonly extraMs: number;
}

/** Who asks for what, for the page of requests. */
interface RequestSubject {
  readonly user: UserInfo;
  readonly info: RequestInfo;
}

type SeatState = 'new' | 'waiting' | 'seated' | 'lingering' | 'over';

export class SeatedRequest implements SeatEstimate {
  readonly subject: RequestSubject;
  readonly distinguisher: string;
  readonly stats: FlowStats;
  readonly initialSeats: number;
  readonly finalSeats: number;
  readonly extraMs: number;
  /** What it takes as a whole, and keeps until its watch events are sent. */
  readonly seats: number;
  /** In seat-seconds. */
  readonly work: number;
  state: SeatState = 'new';
  queue: Queue | undefined;
  arrivedAt = 0;
  startedAt = 0;
  arrivalProgress = 0;
  /** Called when a waiting request has its seats. */
  onSeated: (() => void) | undefined;

  constructor(
    subject: RequestSubject,
    flow: { readonly distinguisher: string; readonly stats: FlowStats },
    { initialSeats, finalSeats, extraMs }: SeatEstimate,
  ) {
    this.subject = subject;
    this.distinguisher = flow.distinguisher;
    this.stats = flow.stats;
    this.initialSeats = initialSeats;
    this.finalSeats = finalSeats;
    this.extraMs = extraMs;
    this.seats = Math.max(initialSeats, finalSeats);
    this.work = initialSeats * estimatedSeconds + (finalSeats * extraMs) / 1000;
  }
}
