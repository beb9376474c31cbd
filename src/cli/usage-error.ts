// A command line that cannot be used: one clear line, exit code 2.

import { ValueError } from '../config/value-error.ts';

export class UsageError extends ValueError {}
