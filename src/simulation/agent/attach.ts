// A client that attaches sees the later output of the container, and its own input.

import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import type { BodyStream, Sink } from '../../meta/exchange.ts';
import { containerStatusIn } from './container-run.ts';
import { type LogSource, readLog } from './read-log.ts';
import type { SimulatedCommand } from './sessions.ts';

/** Ends when the container does; gives its exit code. */
export async function attachToLog(pod: Pod, session: SimulatedCommand, source: LogSource): Promise<number> {
  const { container, signal, stdin, stdout } = session;
  const request = {
    ...{ container, follow: true, previous: false, timestamps: false },
    ...{ since: 0, tail: 0, maxBytes: Number.POSITIVE_INFINITY },
  };
  const { body } = await readLog(pod, request, source);
  const sink: Sink = {
    write(chunk) {
      stdout(chunk);
      return true;
    },
    drained: () => Promise.resolve(),
    isGone: false,
    onStop: (stop) => signal.addEventListener('abort', stop, { once: true }),
    end: () => {},
    cut: () => {},
  };
  const copy = async () => {
    for await (const chunk of stdin) stdout(chunk);
  };
  // input may go on for ever; the container decides when it is over
  copy().catch(() => {});
  if (typeof body === 'function') await (body as BodyStream)(sink);
  const current = await source.pod();
  const { state, lastState } = (current && containerStatusIn(current, container)) ?? {};
  return (state?.terminated ?? lastState?.terminated)?.exitCode ?? 0;
}
