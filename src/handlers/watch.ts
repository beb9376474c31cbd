// GET with watch: a stream of events, one document each.

import { andThen } from '../base/maybe-promise.ts';
import { objectOffer, type Representation } from '../codec/accept.ts';
import type { ApiResponse, BodyStream } from '../meta/exchange.ts';
import { queryFlag, queryInteger } from '../meta/query.ts';
import type { Selection } from '../registry/selection.ts';
import { type Call, representationOf, type VerbHandler } from './call.ts';
import { type FeedQuery, feedFor } from './feed.ts';
import { selectionOf } from './list.ts';
import { shapeOf } from './shape.ts';
import { watchStart } from './watch-start.ts';
import { Watcher, type WatchTerms } from './watcher.ts';

const streamOffer = { ...objectOffer, stream: true };

export const watch: VerbHandler = (call) => {
  const form = representationOf(call, streamOffer);
  const { upgrade } = call.exchange.request;
  const query: FeedQuery = {
    registry: call.registry,
    selection: watchSelection(call),
    shape: shapeOf(call, form),
    framing: upgrade === undefined ? 'stream' : upgrade,
  };
  const terms: WatchTerms = { start: watchStart(call), ...watchOptions(call), deadlines: call.services.deadlines };
  const body = watchBody(query, terms);
  // what can be refused is refused before the stream begins
  return andThen(call.registry.fresh(terms.start.fresh), (): ApiResponse => {
    const headers = { 'content-type': contentType(form) };
    return { status: 200, headers, body, ...(upgrade === undefined ? {} : { upgrade }) };
  });
};

/** Apart from the handler, so that an open watch does not hold its request. */
function watchBody(query: FeedQuery, terms: WatchTerms): BodyStream {
  return (sink) => {
    new Watcher(feedFor(query), sink, terms).begin(terms.start);
    return undefined;
  };
}

function contentType({ format, mediaType }: Representation): string {
  return format === 'protobuf' ? `${mediaType};stream=watch` : 'application/json';
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
