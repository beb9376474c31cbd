// The log as the server uses it: lines below the wanted level are left out, failures that repeat are counted.

import type { LogArea, LogLevels } from '../base/log-levels.ts';
import type { Clock } from '../base/time/clock.ts';
import type { Log, ServerConfig } from '../config/options.ts';
import { RepeatedFailures } from './repeated-failures.ts';

export class ServerLog implements Log {
  readonly levels: LogLevels;
  readonly #log: Log;
  readonly #failures: RepeatedFailures;

  constructor(log: Log, levels: LogLevels, clock: Clock) {
    this.levels = levels;
    this.#log = log;
    this.#failures = new RepeatedFailures(log, clock);
  }

  /** Start, stop, configuration, leader changes. */
  info(fields: object, message: string): void {
    if (this.levels.of.server >= 1) this.#log.info(fields, message);
  }

  warn(fields: object, message: string): void {
    this.#failures.tell('warn', fields, message);
  }

  error(fields: object, message: string): void {
    this.#failures.tell('error', fields, message);
  }

  /** For callers that have asked `levels` whether the line is wanted. */
  detail(area: LogArea, fields: object, message: string): void {
    this.#log.info({ area, ...fields }, message);
  }

  /** A line of another thread, which has decided to log it. */
  pass(level: 'info' | 'warn' | 'error', fields: object, message: string): void {
    this.#log[level](fields, message);
  }

  close(): void {
    this.#failures.close();
  }
}

/** A configuration whose log knows levels. */
export interface LoggedConfig extends ServerConfig {
  readonly log: ServerLog;
}
