// Conditional requests for documents (RFC 9110, section 13): what the client has is not sent again.

import type { ApiRequest } from '../meta/exchange.ts';

/** What a request is about. */
interface Validators {
  /** With its quotation marks. */
  readonly tag: string;
  /** In milliseconds; undefined for what goes by its tag alone. */
  readonly modified: number | undefined;
}

/** 200: the document is to be sent. */
type Outcome = 200 | 304 | 412;

export function outcomeOf(request: ApiRequest, { tag, modified }: Validators): Outcome {
  if (modified !== undefined && !isAsExpected(request, tag, modified)) return 412;
  const reads = request.method === 'GET' || request.method === 'HEAD';
  const known = request.header('if-none-match');
  if (known !== undefined) return !names(known, tag, 'weakly') ? 200 : reads ? 304 : 412;
  const since = timeOf(request.header('if-modified-since'));
  return reads && modified !== undefined && since !== undefined && seconds(modified) <= seconds(since) ? 304 : 200;
}

function isAsExpected(request: ApiRequest, tag: string, modified: number): boolean {
  const expected = request.header('if-match');
  if (expected !== undefined) return names(expected, tag, 'strongly');
  const since = timeOf(request.header('if-unmodified-since'));
  return since === undefined || seconds(modified) <= seconds(since);
}

/** Whether a list of tags has this one; a tag that is weak has no strong equal. */
function names(list: string, tag: string, how: 'weakly' | 'strongly'): boolean {
  const found = list.split(',').map((one) => one.trim());
  return found.some((one) => one === '*' || one === tag || (how === 'weakly' && one === `W/${tag}`));
}

/** Headers tell whole seconds. */
const seconds = (ms: number) => Math.floor(ms / 1000);

/** Undefined for what is no time of HTTP: such a header is passed over. */
function timeOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^[A-Z][a-z]+, .* GMT$/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
