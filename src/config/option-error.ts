// An option that cannot be used.

/** The message names the option. */
export class OptionError extends Error {}
