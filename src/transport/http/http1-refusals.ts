// HTTP/1.1 messages that are refused before a handler sees them, in the words of kube-apiserver: they would mean one thing
// here and another to a proxy in front of the server.

import type { IncomingMessage } from 'node:http';
import type { ApiResponse } from '../../meta/exchange.ts';

/** More are refused: Node would drop the rest, perhaps with the user that a proxy names. */
export const maxHeaders = 2000;

const headersTooLarge = '431 Request Header Fields Too Large';
const badRequest = '400 Bad Request';

/** Why a message is not served; undefined where nothing is wrong with it. */
export function refusalOf(message: IncomingMessage): ApiResponse | undefined {
  const { rawHeaders, httpVersion, headers, url = '' } = message;
  if (rawHeaders.length > maxHeaders * 2) return refused(headersTooLarge);
  const isKept = httpVersion === '1.1';
  if (!isKept && httpVersion !== '1.0') {
    // a request of HTTP/0.9 has nothing but a path
    if (httpVersion.startsWith('0')) return refused(badRequest);
    return refused('505 HTTP Version Not Supported: unsupported protocol version');
  }
  const { host, 'transfer-encoding': encoding } = headers;
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked')
    return { ...refused('501 Not Implemented'), body: 'Unsupported transfer encoding' };
  if (host === undefined) return isKept ? refused(`${badRequest}: missing required Host header`) : undefined;
  if (isRepeated(rawHeaders, 'host') || (url.includes('%') && badEscape.test(url.split('?', 1)[0] as string)))
    return refused(badRequest);
  return hostForm.test(host) ? undefined : refused(`${badRequest}: malformed Host header`);
}

/** The whole answer to what cannot be read as a message. */
export function unreadable(code: string | undefined): string {
  const { body, headers } = refused(code === 'HPE_HEADER_OVERFLOW' ? headersTooLarge : badRequest);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${body}\r\n${lines.join('')}\r\n${body}`;
}

const plainText = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' };

const refused = (line: string) => ({ status: Number(line.slice(0, 3)), headers: plainText, body: line });

const badEscape = /%(?![0-9a-f]{2})/i;

/** All that a name, an address and a port may consist of. */
const hostForm = /^[\w!$%&'()*+,.:;=[\]~-]*$/;

function isRepeated(raw: readonly string[], header: string): boolean {
  let count = 0;
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string;
    if (name.length === header.length && name.toLowerCase() === header) count++;
  }
  return count > 1;
}
