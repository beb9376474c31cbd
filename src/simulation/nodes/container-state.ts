// One container of a simulated pod between two looks: in which stage it is, and since when.

type Stage =
  /** Other containers come first. */
  | 'waiting'
  | 'pulling'
  /** The image could not be pulled just now. */
  | 'pullFailed'
  | 'pullBackOff'
  | 'creating'
  | 'running'
  | 'exited'
  /** It failed often, and is started again after a pause. */
  | 'backOff';

/** A run that is over. */
export interface EndedRun {
  /** Which run of the container it was, from 1. */
  readonly run: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** How a container ends after SIGTERM. */
export interface Stop {
  readonly at: number;
  readonly exitCode: number;
  readonly reason: string;
}

/** Times are milliseconds since the epoch. */
export interface ContainerState {
  readonly stage: Stage;
  readonly since: number;
  /** How often it was started. */
  readonly runs: number;
  /** The image it was started with. */
  readonly image: string;
  /** The run that ended last. */
  readonly ended: EndedRun | undefined;
  readonly stop: Stop | undefined;
  /** The readiness probe fails from now on. */
  readonly isUnhealthy: boolean;
  readonly backOffMs: number;
  readonly pullBackOffMs: number;
}

export const freshContainer = (now: number): ContainerState => ({
  stage: 'waiting',
  since: now,
  runs: 0,
  image: '',
  ended: undefined,
  stop: undefined,
  isUnhealthy: false,
  backOffMs: 0,
  pullBackOffMs: 0,
});

/** Something that happened, as an event of the pod. */
export interface Occurrence {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** The container it is about. */
  readonly container: string;
}
