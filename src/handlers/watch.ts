// GET with watch: a stream of events, one document each.

import type { Clock } from '../base/clock.ts';
import { andThen } from '../base/maybe-promise.ts';
import type { Representation } from '../codec/accept.ts';
import type { ApiResponse, Sink } from '../meta/exchange.ts';
import { queryFlag, queryInteger } from '../meta/query.ts';
import type { Revision } from '../meta/revision.ts';
import type { Selection } from '../registry/selection.ts';
import { currentState, follow } from '../registry/watch.ts';
import { tableOptions } from './answer.ts';
import { type Call, representationOf, type VerbHandler } from './call.ts';
import { EventStream } from './event-stream.ts';
import { selectionOf } from './list.ts';
import { WatchFrames } from './watch-frames.ts';
import { type WatchStart, watchStart } from './watch-start.ts';

const bookmarkIntervalMs = 60_000;

export const watch: VerbHandler = (call) => {
  const form = representationOf(call);
  if (form.as === 'Table') tableOptions(call, form);
  const request = { selection: watchSelection(call), start: watchStart(call), ...watchOptions(call) };
  const headers = {
    'content-type': form.format === 'protobuf' ? `${form.mediaType};stream=watch` : 'application/json',
  };
  // what can be refused is refused before the stream begins
  return andThen(call.registry.fresh(request.start.fresh), () => {
    return { status: 200, headers, body: (sink) => run(call, request, form, sink) } satisfies ApiResponse;
  });
};

interface WatchRequest {
  readonly selection: Selection;
  readonly start: WatchStart;
  readonly seconds: number;
  readonly bookmarks: boolean;
}

function watchOptions({ exchange: { query }, services }: Call): { seconds: number; bookmarks: boolean } {
  const asked = queryInteger(query, 'timeoutSeconds');
  const seconds = asked !== undefined && asked > 0 ? asked : services.minWatchSeconds * (1 + Math.random());
  return { seconds, bookmarks: queryFlag(query, 'allowWatchBookmarks') };
}

/** A watch of one object is a watch of the collection that selects its name. */
function watchSelection(call: Call): Selection {
  const parsed = selectionOf(call);
  if (call.ref.name === '') return parsed;
  return { ...parsed, fields: [...parsed.fields, { field: 'metadata.name', operator: '=', value: call.ref.name }] };
}

/** Resolves when the stream is over: time is up, the client left, or the server has to end it. */
async function run(call: Call, request: WatchRequest, form: Representation, sink: Sink): Promise<void> {
  const { clock } = call.services;
  const { selection, start, bookmarks } = request;
  const frames = new WatchFrames(call, form);
  const stream = new EventStream(sink);
  const cleanups: { cancel(): void }[] = [];
  let revision = start.kind === 'after' ? start.revision : call.registry.cache.revision;
  const mark = () => stream.send([frames.bookmark(revision)]);
  try {
    if (start.kind === 'state') revision = await sendState(call, request, frames, stream);
    const subscription = follow(call.registry, selection, revision, {
      onEvents: (events) => stream.send(events.map((event) => frames.event(event))),
      onProgress: (reached) => {
        revision = reached;
      },
      onEnd(reason) {
        if (reason === 'gone') stream.send([frames.gone()]);
        stream.end();
      },
    });
    cleanups.push(
      { cancel: () => subscription.close() },
      clock.after(request.seconds * 1000, () => finish()),
    );
    if (bookmarks) cleanups.push(repeat(clock, bookmarkIntervalMs, mark));
    await stream.finished;
  } finally {
    for (const cleanup of cleanups) cleanup.cancel();
    stream.end();
  }

  function finish(): void {
    if (bookmarks) mark();
    stream.end();
  }
}

/** Frames are joined into chunks of about this size. */
const chunkBytes = 64 * 1024;

/** What there is now, as fast as the client takes it; the revision it shows. */
async function sendState(
  call: Call,
  { selection, start, bookmarks }: WatchRequest,
  frames: WatchFrames,
  stream: EventStream,
): Promise<Revision> {
  const { objects, revision } = currentState(call.registry, selection);
  let chunk: Uint8Array[] = [];
  let size = 0;
  for (const stored of objects) {
    const frame = frames.once('ADDED', stored);
    chunk.push(frame);
    size += frame.length;
    if (size < chunkBytes) continue;
    stream.send(chunk);
    await stream.writable();
    chunk = [];
    size = 0;
  }
  if (chunk.length > 0) stream.send(chunk);
  if (bookmarks && start.kind === 'state' && start.markEnd) stream.send([frames.bookmark(revision, true)]);
  return revision;
}

function repeat(clock: Clock, ms: number, action: () => void): { cancel(): void } {
  let timer = clock.after(ms, tick);
  function tick(): void {
    action();
    timer = clock.after(ms, tick);
  }
  return { cancel: () => timer.cancel() };
}
