// GET with watch: a stream of events, one JSON document each.

import type { Representation } from '../codec/accept.ts';
import { watchFrame } from '../codec/protobuf/envelope.ts';
import { toProtobuf } from '../codec/render.ts';
import { status } from '../groups/meta/v1/types.ts';
import { metaGroup } from '../meta/dialect.ts';
import type { ApiResponse, Sink } from '../meta/exchange.ts';
import { invalidValue } from '../meta/field-errors.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import { queryFlag, queryInteger } from '../meta/query.ts';
import { parseRevision, type Revision } from '../meta/revision.ts';
import { expired, forbiddenOptions, invalid } from '../meta/status.ts';
import { type WatchEvent, type WatchRequest, watch as watchObjects } from '../registry/watch.ts';
import { type Shaped, shapeObject } from './answer.ts';
import { type Call, representationOf, type VerbHandler } from './call.ts';
import { EventStream } from './event-stream.ts';
import { selectionOf } from './list.ts';

const bookmarkIntervalMs = 60_000;

export const watch: VerbHandler = (call) => {
  const form = representationOf(call);
  const request = watchRequest(call);
  const options = watchOptions(call);
  const body = (sink: Sink) => run(call, request, options, form, sink);
  const contentType = form.format === 'protobuf' ? `${form.mediaType};stream=watch` : 'application/json';
  return { status: 200, headers: { 'content-type': contentType }, body } satisfies ApiResponse;
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
  form: Representation,
  sink: Sink,
): Promise<void> {
  const { clock, dialect } = call.services;
  const stream = new EventStream(sink);
  const encode = encoderFor(call, form);
  let revision: Revision | undefined;
  const mark = (annotations?: object) => {
    if (revision !== undefined) stream.send([frameOf('BOOKMARK', bookmark(call, revision, annotations), form)]);
  };
  const subscription = await watchObjects(call.registry, request, {
    onEvents: (events) => stream.send(events.map(encode)),
    onInitialState(reached) {
      revision = reached;
      if (options.markInitialState) mark({ [`${dialect.apiDomain}/initial-events-end`]: 'true' });
    },
    onProgress: (reached) => {
      revision = reached;
    },
    onEnd(reason) {
      if (reason === 'gone') stream.send([frameOf('ERROR', tooOld(), form)]);
      stream.end();
    },
  });
  const timeUp = clock.after(options.seconds * 1000, () => {
    if (options.bookmarks) mark();
    stream.end();
  });
  const regular = options.bookmarks ? repeat(clock, bookmarkIntervalMs, mark) : undefined;
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
  if (form.as === 'Object' && form.format !== 'protobuf') return encodePlain;
  // only the first event of a table says what its columns are
  let first = true;
  return ({ type, stored }) => {
    const shaped = shapeObject(call, stored, form, first);
    first = false;
    return frameOf(type, shaped, form);
  };
}

/** One event: a line of JSON, or a length-delimited message. */
function frameOf(type: string, { value, type: schema }: Shaped, { format }: Representation): Uint8Array {
  if (format === 'protobuf') return watchFrame(type, toProtobuf(value, schema));
  return Buffer.from(`${JSON.stringify({ type, object: value })}\n`);
}

function bookmark({ resource: { definition } }: Call, revision: Revision, annotations?: object): Shaped {
  const metadata = { resourceVersion: String(revision), ...(annotations ? { annotations } : {}) };
  return {
    value: { kind: definition.kind, apiVersion: formatApiVersion(definition), metadata },
    type: definition.type,
  };
}

const tooOld = (): Shaped => ({
  value: expired('The resourceVersion for the provided watch is too old.').toStatus(),
  type: status,
});
