// GET with watch: a stream of events, one document each.

import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { objectOffer, type Representation } from '../../codec/accept.ts';
import type { ApiResponse, BodyStream } from '../../meta/exchange.ts';
import { selectedName } from '../../meta/field-selector.ts';
import { queryFlag, queryInteger } from '../../meta/query.ts';
import { ApiError, badRequest } from '../../meta/status.ts';
import type { Selection } from '../../registry/selection.ts';
import type { Call, VerbHandler } from '../call.ts';
import { selectionOf } from '../list/list.ts';
import { representationOf } from '../representation.ts';
import { shapeOf } from '../shape.ts';
import { sharedWatchFor, type WatchQuery } from './shared-watch.ts';
import { expiredWatch, WatchFrames } from './watch-frames.ts';
import { type WatchStart, watchStart } from './watch-start.ts';
import { type WatchClient, Watcher, type WatchTerms } from './watcher.ts';

const streamOffer = { ...objectOffer, stream: true };

export const watch: VerbHandler = (call) => {
  const form = streamForm(call);
  const { upgrade } = call.exchange.request;
  const query: WatchQuery = {
    // shared with watches of other requests
    registry: call.resource.registry,
    selection: watchSelection(call),
    shape: shapeOf(call, form),
    framing: upgrade === undefined ? 'stream' : upgrade,
  };
  const terms: WatchTerms = {
    client: clientOf(call),
    ...{ start: watchStart(call), ...watchOptions(call), deadlines: call.services.deadlines },
  };
  const answer = (body: BodyStream): ApiResponse => {
    const headers = { 'content-type': contentType(form) };
    return { status: 200, headers, body, ...(upgrade === undefined ? {} : { upgrade }) };
  };
  const answerWithState = (): ApiResponse => {
    const giveSeatsBack = takeSeats(call, terms.start);
    const response = answer(watchBody(query, terms, giveSeatsBack));
    return giveSeatsBack === undefined ? response : { ...response, onUnsent: giveSeatsBack };
  };
  const { fresh } = terms.start;
  const begin = () => andThen(demandHistory(call, terms.start), answerWithState);
  if (fresh.mode !== 'notOlderThan') return andThen(call.registry.fresh(fresh), begin);
  return inStream(call.registry.fresh(fresh), begin, (error) => answer(errorBody(query, error)));
};

/** compat: what is wrong with the options of a watch is told before a form that objects have and streams do not */
function streamForm(call: Call): Representation {
  try {
    return representationOf(call, streamOffer);
  } catch (error) {
    representationOf(call, objectOffer);
    watchSelection(call);
    watchStart(call);
    watchOptions(call);
    throw error;
  }
}

/** compat: a state that does not come in time is told by an ERROR event: the request itself was in order. */
async function inStream(
  ready: MaybePromise<void>,
  begin: () => MaybePromise<ApiResponse>,
  answerError: (error: ApiError) => ApiResponse,
): Promise<ApiResponse> {
  try {
    await ready;
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'Timeout') return answerError(error);
    throw error;
  }
  return begin();
}

/** In the cluster dialect a watch whose history is gone is answered with 410, not with a stream that says so. */
function demandHistory({ registry, services }: Call, start: WatchStart): MaybePromise<void> {
  if (start.kind !== 'after' || services.dialect.rules.expiredWatch === 'event') return;
  return andThen(registry.cache.hasHistory(start.revision), (isThere) => {
    if (!isThere) throw expiredWatch();
  });
}

function errorBody({ shape, framing }: WatchQuery, error: ApiError): BodyStream {
  return async (sink) => {
    sink.write(new WatchFrames(shape, framing).error(error));
  };
}

/** Apart from the handler, so that an open watch does not hold its request. */
function watchBody(query: WatchQuery, terms: WatchTerms, giveSeatsBack: (() => void) | undefined): BodyStream {
  return (sink) => {
    new Watcher(sharedWatchFor(query), sink, terms).begin(terms.start, giveSeatsBack);
    return undefined;
  };
}

/** The seats of a watch that begins with a state are used until the state is sent, not until the answer begins. */
function takeSeats({ exchange }: Call, start: WatchStart): (() => void) | undefined {
  if (start.kind !== 'state') return undefined;
  const { release } = exchange;
  exchange.release = undefined;
  return release;
}

const longestAgent = 128;

function clientOf({ exchange: { user, request }, services }: Call): WatchClient {
  const userAgent = (request.header('user-agent') ?? '').slice(0, longestAgent);
  return { user: user.name, userAgent, since: services.clock.now() };
}

function contentType({ format, mediaType }: Representation): string {
  return format === 'protobuf' ? `${mediaType};stream=watch` : 'application/json';
}

function watchOptions({ exchange: { query }, services }: Call): { seconds: number; bookmarks: boolean } {
  const asked = queryInteger(query, 'timeoutSeconds');
  const seconds = asked ? Math.max(0, asked) : services.minWatchSeconds * (1 + Math.random());
  return { seconds, bookmarks: queryFlag(query, 'allowWatchBookmarks') };
}

/** A watch of one object is a watch of the collection that selects its name. */
function watchSelection(call: Call): Selection {
  const parsed = selectionOf(call);
  if (call.ref.name === '') return parsed;
  if (parsed.fields.length > 0 && selectedName(parsed.fields) !== call.ref.name)
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  return { ...parsed, fields: [...parsed.fields, { field: 'metadata.name', operator: '=', value: call.ref.name }] };
}
