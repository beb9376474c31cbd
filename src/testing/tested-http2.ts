// For tests of HTTP/2 that run on both implementations: which of them this run tests, and where Node's deviates.

import type { Http2Implementation } from '../transport/http2-implementation.ts';

const tested: Http2Implementation = process.env['KEELSON_TESTED_HTTP2'] === 'node' ? 'node' : 'own';

export const testedHttp2 = (): Http2Implementation => tested;

/**
 * What Node's server does with a rule that the own one enforces otherwise: the code of its GOAWAY; `ignored`, where the frame has no
 * effect; `closed`, where the connection ends without a GOAWAY; `dropped`, where a malformed field is left out and the request is
 * served.
 */
type NodeDeviation = number | 'ignored' | 'closed' | 'dropped';

const internal = 2;
const streamClosed = 5;

/** By the titles of the tests. */
const nodeDeviations: Readonly<Record<string, NodeDeviation>> = {
  'headers on stream 0': internal,
  'priority on stream 0': internal,
  'a reset on stream 0': internal,
  'a reset of a stream that never was': internal,
  'settings on a stream': internal,
  'push that is neither on nor off': internal,
  'a first window without end': internal,
  'frames that are too small': internal,
  'frames that are too large': internal,
  'a push': internal,
  'a ping on a stream': internal,
  'a farewell on a stream': internal,
  'a window of the connection that grows by nothing': internal,
  'a window of the connection without end': internal,
  'a window of a stream that never was': internal,
  'a stream of the server': internal,
  'headers that are never whole': internal,
  'HTTP/1.1': internal,
  'a preface that is nearly right': internal,
  'a first frame that is no settings': internal,
  'a first frame that acknowledges': internal,
  'a stream with a lower number than before': 'ignored',
  'data on a stream that the client reset': 'ignored',
  'headers on a stream that is done': 'ignored',
  'data on a stream that is done': 'ignored',
  'a name with a space': 'dropped',
  'an empty name': 'dropped',
  'a name with a colon': 'dropped',
  'a line break in a value': 'dropped',
  'a NUL in a value': 'dropped',
  'a space at the end of a value': 'dropped',
  'a tab before a value': 'dropped',
  // these end the connection, not the stream
  'data behind its end': streamClosed,
  'headers behind its end': internal,
  'a window without end': 'closed',
  'a window that grows by nothing': internal,
};

/** Undefined if the tested implementation behaves as the row states. */
export const deviationOf = (title: string): NodeDeviation | undefined =>
  tested === 'node' ? nodeDeviations[title] : undefined;
