// Time as a dependency: everything that waits or stamps takes a Clock, so that tests can move it.

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `run` once after `ms`; never keeps the process alive by itself. */
  after(ms: number, run: () => void): Timer;
}

/** Longer timeouts would fire at once; nothing here waits for weeks. */
const longestTimeout = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const handle = setTimeout(run, Math.min(ms, longestTimeout));
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};
