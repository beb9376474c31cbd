// A promise settled from outside (Node 20 has no Promise.withResolvers), and a race against a deadline.
import { setTimeout as delay } from 'node:timers/promises';

/** Its rejection may go unobserved: the first waiter decides. */
export function deferred() {
  const settle = {};
  const promise = new Promise((resolve, reject) => Object.assign(settle, { resolve, reject }));
  promise.catch(() => {});
  return { promise, ...settle };
}

export async function within(ms, what, promise) {
  const timer = new AbortController();
  const late = delay(ms, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`${what}: nothing after ${ms} ms`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.abort();
  }
}
