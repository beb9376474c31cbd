// Requests that wait until they are recorded, but no longer than a budget allows.

import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { Clock } from '../base/time/clock.ts';
import type { AuditBackend } from './backend.ts';

/** A disk that hangs or a receiver that is dead holds up a request for this long, at each stage. */
export const blockingBudgetMs = 5000;

/** With `strict` a request that could not be recorded on arrival is refused; otherwise it is served. */
export function blocking(delegate: AuditBackend, clock: Clock, strict: boolean): AuditBackend {
  return {
    process(events) {
      const done = withinBudget(delegate.process(events), clock);
      if (strict) return done;
      return isPromise(done) ? done.then(() => true) : true;
    },
    close: () => delegate.close(),
  };
}

/** The event may still arrive later; the request no longer waits for it. */
function withinBudget(done: MaybePromise<boolean>, clock: Clock): MaybePromise<boolean> {
  if (!isPromise(done)) return done;
  return new Promise((resolve) => {
    const timer = clock.after(blockingBudgetMs, () => resolve(false));
    void done.then((delivered) => {
      timer.cancel();
      resolve(delivered);
    });
  });
}
