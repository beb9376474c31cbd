// How a simulated container behaves: the fields that rules and annotations set, and their limits.

/** Lines that a container writes to its log. */
export interface LogBehaviour {
  /** Undefined for lines that are made. */
  readonly logs?: readonly string[];
  /** Time between two lines; 0 writes all at the start. */
  readonly logIntervalSeconds?: number;
  /** Begins again after the last line, for as long as the container runs. */
  readonly repeatLogs?: boolean;
}

export interface Behaviour extends LogBehaviour {
  /** How long it takes to pull the image. */
  readonly pullSeconds?: number;
  /** The image cannot be pulled, for this reason. */
  readonly pullError?: string;
  /** Time from the image to the start of the container. */
  readonly startSeconds?: number;
  /** Time from the start until the container is ready. */
  readonly readySeconds?: number;
  /** The readiness probe never succeeds. */
  readonly neverReady?: boolean;
  /** From this time after the start on the readiness probe fails. */
  readonly failReadinessAfterSeconds?: number;
  /** The liveness probe fails at this time after the start, and the container is restarted. */
  readonly failLivenessAfterSeconds?: number;
  /** The startup probe fails for this time after the start. */
  readonly startupSeconds?: number;
  /** How long the container runs. Without it, containers of pods that are to end run for a short time, all others for ever. */
  readonly runSeconds?: number;
  readonly exitCode?: number;
  /** The container is killed for using too much memory when its time is over. */
  readonly oom?: boolean;
  /** The container fails as soon as it runs, each time. */
  readonly crashLoop?: boolean;
  /** How often the container fails before it runs well. */
  readonly crashes?: number;
  /** How long the container takes to stop after SIGTERM; after the grace period it is killed. */
  readonly stopSeconds?: number;
  /** What metrics show. */
  readonly cpu?: string;
  readonly memory?: string;
}

type FieldType = 'seconds' | 'code' | 'count' | 'flag' | 'text' | 'lines' | 'quantity';

export const behaviourFields: Readonly<Record<keyof Behaviour, FieldType>> = {
  pullSeconds: 'seconds',
  pullError: 'text',
  startSeconds: 'seconds',
  readySeconds: 'seconds',
  neverReady: 'flag',
  failReadinessAfterSeconds: 'seconds',
  failLivenessAfterSeconds: 'seconds',
  startupSeconds: 'seconds',
  runSeconds: 'seconds',
  exitCode: 'code',
  oom: 'flag',
  crashLoop: 'flag',
  crashes: 'count',
  stopSeconds: 'seconds',
  logs: 'lines',
  logIntervalSeconds: 'seconds',
  repeatLogs: 'flag',
  cpu: 'quantity',
  memory: 'quantity',
};

/** Largest values: a year, an exit code, and sizes that fit into an annotation. */
export const limits = { seconds: 31_536_000, code: 255, count: 1_000_000, textLength: 1024, lines: 10_000 } as const;
