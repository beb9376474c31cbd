// A client of a test server without a socket, as one of its users.

import { type ClientAnswer, RequestError, type Transport } from '../client/client.ts';
import type { UserInfo } from '../meta/user.ts';
import type { InProcessFetch, InProcessInit } from '../transport/in-process.ts';

const userAgent = 'keelson-testing';

export function fetchTransport(fetch: InProcessFetch, user: UserInfo): Transport {
  const headers = { accept: 'application/json', 'user-agent': userAgent };
  return {
    async send({ method, path, body, contentType = 'application/json', signal }): Promise<ClientAnswer> {
      const init: InProcessInit = { method, user, ...(signal === undefined ? {} : { signal }) };
      const sent = { headers: { ...headers, 'content-type': contentType }, body: JSON.stringify(body) };
      const answer = await fetch(path, body === undefined ? { ...init, headers } : { ...init, ...sent });
      return { status: answer.status, body: parsed(await answer.text()) };
    },
    async *lines(path, signal) {
      const answer = await fetch(path, { headers, user, signal });
      if (answer.status !== 200 || answer.body === null)
        throw new RequestError(`GET ${path}`, answer.status, parsed(await answer.text()));
      yield* linesOf(answer.body, signal);
    },
  };
}

const parsed = (text: string): unknown => (text.startsWith('{') ? JSON.parse(text) : text);

/** Ends where the stream does, or the caller has enough. */
async function* linesOf(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
    if (signal.aborted) return;
  }
}
