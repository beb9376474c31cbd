// The end of open watches when a server stops. Their clients connect elsewhere and list again: not all of them in one moment.

import type { Clock } from '../../base/time/clock.ts';
import type { LiveSinks } from './stream-sink.ts';

/** Few watches need not wait long. */
const leastPerSecond = 200;
const stepMs = 10;

/** Ends them one after the other; those that are left when `graceMs` have passed end together. */
export async function endStreams(live: LiveSinks, clock: Clock, graceMs: number): Promise<void> {
  const end = clock.now() + graceMs;
  const perSecond = Math.max(leastPerSecond, (live.size * 1000) / graceMs);
  const perStep = Math.ceil((perSecond * stepMs) / 1000);
  while (live.size > 0 && clock.now() < end) {
    stopSome(live, perStep);
    if (live.size > 0) await new Promise<void>((resolve) => clock.after(stepMs, resolve));
  }
  stopSome(live, live.size);
}

function stopSome(live: LiveSinks, most: number): void {
  for (const sink of [...live].slice(0, most)) sink.stop();
}
