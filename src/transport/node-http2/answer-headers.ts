// The headers of an answer as Node's HTTP/2 takes them.

import { type OutgoingHttpHeaders, sensitiveHeaders } from 'node:http2';
import { ofHttp1 } from '../../http2/hpack-tables.ts';
import type { ApiResponse } from '../../meta/exchange.ts';

/** Different in every answer: neither end remembers them. */
const passing = ['audit-id', 'content-length'];

/** Characters that no header may have, as the own server replaces them. */
const forbidden = /[^\t\x20-\x7e\x80-\xff]/g;

/** Where no `length` is given, the answer has no content-length of the transport's. */
export function answerHeaders(
  { status, headers }: Pick<ApiResponse, 'status' | 'headers'>,
  length: number | undefined,
): OutgoingHttpHeaders {
  const all: Record<string | symbol, number | string | readonly string[]> = { ':status': status };
  for (const headerName in headers) {
    const name = headerName.toLowerCase();
    if (ofHttp1.has(name) || (name === 'content-length' && length !== undefined)) continue;
    all[name] = cleaned(headers[headerName] as string | readonly string[]);
  }
  if (length !== undefined) all['content-length'] = String(length);
  all[sensitiveHeaders] = passing;
  return all as OutgoingHttpHeaders;
}

function cleaned(value: string | readonly string[]): string | readonly string[] {
  if (Array.isArray(value)) return (value as readonly string[]).map(cleanText);
  return cleanText(value as string);
}

const cleanText = (text: string): string => String(text).replace(forbidden, '?');
