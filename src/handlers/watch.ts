// GET with watch: a stream of events, one JSON document each.

import type { Representation } from '../codec/accept.ts';
import { partialMetadata, table, tableRow } from '../codec/render.ts';
import { metaGroup } from '../meta/dialect.ts';
import type { ApiResponse, Sink } from '../meta/exchange.ts';
import { invalidValue } from '../meta/field-errors.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import { queryFlag, queryInteger } from '../meta/query.ts';
import { parseRevision, type Revision } from '../meta/revision.ts';
import { expired, forbiddenOptions, invalid } from '../meta/status.ts';
import { type WatchEvent, type WatchRequest, watch as watchObjects } from '../registry/watch.ts';
import { tableOptions } from './answer.ts';
import { type Call, representationOf, type VerbHandler } from './call.ts';
import { EventStream } from './event-stream.ts';
import { selectionOf } from './list.ts';

const bookmarkIntervalMs = 60_000;

export const watch: VerbHandler = (call) => {
  const form = representationOf(call);
  const request = watchRequest(call);
  const options = watchOptions(call);
  const encode = encoderFor(call, form);
  const body = (sink: Sink) => run(call, request, options, encode, sink);
  return { status: 200, headers: { 'content-type': form.mediaType }, body } satisfies ApiResponse;
};

interface WatchOptions {
  readonly seconds: number;
  readonly bookmarks: boolean;
  /** Whether a bookmark marks the end of the initial state. */
  readonly markInitialState: boolean;
}

function watchOptions({ exchange: { query }, services }: Call): WatchOptions {
  const asked = queryInteger(query, 'timeoutSeconds');
  const seconds = asked !== undefined && asked > 0 ? asked : services.minWatchSeconds * (1 + Math.random());
  const bookmarks = queryFlag(query, 'allowWatchBookmarks');
  return { seconds, bookmarks, markInitialState: bookmarks && queryFlag(query, 'sendInitialEvents') };
}

function watchRequest(call: Call): WatchRequest {
  const { query } = call.exchange;
  const text = query.get('resourceVersion') ?? '';
  const named = call.ref.name === '' ? [] : [{ field: 'metadata.name', operator: '=', value: call.ref.name } as const];
  const parsed = selectionOf(call);
  const selection = { ...parsed, fields: [...parsed.fields, ...named] };
  const initial = query.has('sendInitialEvents') ? queryFlag(query, 'sendInitialEvents') : undefined;
  checkInitialEvents(call, initial);
  const revision = text === '' || text === '0' ? undefined : needRevision(call, text);
  if (initial === true) {
    const at =
      revision === undefined
        ? ({ mode: text === '0' ? 'any' : 'latest' } as const)
        : ({ mode: 'notOlderThan', revision } as const);
    return { selection, start: { kind: 'state', at } };
  }
  if (revision !== undefined) return { selection, start: { kind: 'after', revision } };
  if (initial === false) return { selection, start: { kind: 'after', revision: call.registry.cache.revision } };
  return { selection, start: { kind: 'state', at: { mode: text === '0' ? 'any' : 'latest' } } };
}

function needRevision({ services: { dialect } }: Call, text: string): Revision {
  const revision = parseRevision(text);
  if (revision !== undefined) return revision;
  const detail = 'strconv.ParseUint: parsing: invalid syntax';
  throw invalid({ group: metaGroup(dialect), kind: 'ListOptions', name: '' }, [
    invalidValue('resourceVersion', text, detail),
  ]);
}

/** sendInitialEvents goes with resourceVersionMatch=NotOlderThan, and only with that. */
function checkInitialEvents({ exchange: { query }, services: { dialect } }: Call, initial: boolean | undefined): void {
  const match = query.get('resourceVersionMatch') ?? '';
  if (initial === undefined && match !== '') {
    throw forbiddenOptions(
      metaGroup(dialect),
      'resourceVersionMatch',
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    );
  }
  if (initial !== undefined && match !== 'NotOlderThan') {
    throw forbiddenOptions(
      metaGroup(dialect),
      'resourceVersionMatch',
      'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    );
  }
}

type EncodeEvent = (event: WatchEvent) => Uint8Array;

/** Resolves when the stream is over: time is up, the client left, or the server has to end it. */
async function run(
  call: Call,
  request: WatchRequest,
  options: WatchOptions,
  encode: EncodeEvent,
  sink: Sink,
): Promise<void> {
  const { clock } = call.services;
  const stream = new EventStream(sink);
  let revision: Revision | undefined;
  const bookmark = (annotations?: object) => {
    if (revision !== undefined) stream.send([bookmarkFrame(call, revision, annotations)]);
  };
  const subscription = await watchObjects(call.registry, request, {
    onEvents: (events) => stream.send(events.map(encode)),
    onInitialState(reached) {
      revision = reached;
      if (options.markInitialState) bookmark({ [`${call.services.dialect.apiDomain}/initial-events-end`]: 'true' });
    },
    onProgress: (reached) => {
      revision = reached;
    },
    onEnd(reason) {
      if (reason === 'gone') stream.send([errorFrame('The resourceVersion for the provided watch is too old.')]);
      stream.end();
    },
  });
  const timeUp = clock.after(options.seconds * 1000, () => {
    if (options.bookmarks) bookmark();
    stream.end();
  });
  const regular = options.bookmarks ? repeat(clock, bookmarkIntervalMs, bookmark) : undefined;
  await stream.finished;
  timeUp.cancel();
  regular?.cancel();
  subscription.close();
}

function repeat(clock: Call['services']['clock'], ms: number, action: () => void): { cancel(): void } {
  let timer = clock.after(ms, tick);
  function tick(): void {
    action();
    timer = clock.after(ms, tick);
  }
  return { cancel: () => timer.cancel() };
}

const frames = new WeakMap<WatchEvent, Uint8Array>();
const newline = Buffer.from('}\n');
const heads = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
} as const;

/** The common form is serialised once for all watchers. */
const encodePlain: EncodeEvent = (event) => {
  let frame = frames.get(event);
  if (frame === undefined) {
    frame = Buffer.concat([heads[event.type], event.stored.bytes, newline]);
    frames.set(event, frame);
  }
  return frame;
};

function encoderFor(call: Call, form: Representation): EncodeEvent {
  if (form.as === 'Object') return encodePlain;
  if (form.as === 'PartialObjectMetadata') {
    return ({ type, stored }) => frameOf(type, partialMetadata(stored.parse(), call.services.dialect, form.version));
  }
  const options = tableOptions(call, form);
  let first = true;
  return ({ type, stored }) => {
    const withColumns = first;
    first = false;
    const object = stored.parse();
    const metadata = { resourceVersion: String(stored.revision) };
    return frameOf(type, table([tableRow(object, options)], metadata, options, withColumns));
  };
}

const frameOf = (type: string, object: unknown) => Buffer.from(`${JSON.stringify({ type, object })}\n`);

const errorFrame = (message: string) => frameOf('ERROR', expired(message).toStatus());

function bookmarkFrame({ resource: { definition } }: Call, revision: Revision, annotations?: object): Uint8Array {
  const metadata = { resourceVersion: String(revision), ...(annotations ? { annotations } : {}) };
  return frameOf('BOOKMARK', { kind: definition.kind, apiVersion: formatApiVersion(definition), metadata });
}
