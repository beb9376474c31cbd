// The log of the command line: JSON lines on standard error.

import { createRequire } from 'node:module';
import type { pino as Pino } from 'pino';
import type { Log } from '../config/options.ts';

/** The library is loaded with the first line that is worth writing: most runs write none. */
export function createLog(verbosity: number): Log {
  const level = verbosity >= 4 ? 'debug' : verbosity >= 2 ? 'info' : 'warn';
  let loaded: Log | undefined;
  const target = (): Log => {
    if (loaded === undefined) {
      const { pino } = createRequire(import.meta.url)('pino') as { pino: typeof Pino };
      loaded = pino({ level, base: null }, pino.destination({ fd: 2, sync: true }));
    }
    return loaded;
  };
  return {
    info: (fields, message) => verbosity >= 2 && target().info(fields, message),
    warn: (fields, message) => target().warn(fields, message),
    error: (fields, message) => target().error(fields, message),
  };
}
