// The headers of an answer that goes on for long, such as a watch: Node keeps them while the stream is open.

import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { isPlainRuntime } from './plain-runtime.ts';

const noHeaders: OutgoingHttpHeaders = Object.freeze({});

/**
 * Nothing asks for them again: 1 KiB less for every open watch. Emptying them would leave half of that as an empty table, so each
 * field of the stream that refers to them refers to nothing from here on.
 */
export function forgetSentHeaders(stream: ServerHttp2Stream, isPlain = isPlainRuntime): void {
  if (isPlain) return;
  const fields = stream as unknown as Record<symbol, unknown>;
  const sent: unknown = stream.sentHeaders;
  for (const field of Object.getOwnPropertySymbols(stream)) if (fields[field] === sent) fields[field] = noHeaders;
}
