// A signal that aborts with another one, or when its time is up.

/**
 * `AbortSignal.any` with `AbortSignal.timeout` would be shorter, but in Node 20 the garbage collector takes such a time-out
 * away while it is waited for, and what was to end then never does.
 */
export function timeLimited(signal: AbortSignal, ms: number): AbortSignal {
  if (signal.aborted) return signal;
  const limited = new AbortController();
  const onAbort = () => {
    clearTimeout(timer);
    limited.abort(signal.reason);
  };
  const timer = setTimeout(() => {
    signal.removeEventListener('abort', onAbort);
    limited.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }, ms);
  timer.unref();
  signal.addEventListener('abort', onAbort, { once: true });
  return limited.signal;
}
