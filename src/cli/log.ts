// The log of the command line: JSON lines on standard error.

import { pino } from 'pino';
import type { Log } from '../server/options.ts';

export function createLog(verbosity: number): Log {
  const level = verbosity >= 4 ? 'debug' : verbosity >= 2 ? 'info' : 'warn';
  return pino({ level, base: null }, pino.destination({ fd: 2, sync: true }));
}
