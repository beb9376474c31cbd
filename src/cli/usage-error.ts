// A command line that cannot be used: one clear line, exit code 2.

export class UsageError extends Error {}
