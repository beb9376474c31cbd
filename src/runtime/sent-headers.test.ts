import { once } from 'node:events';
import { connect, createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { forgetSentHeaders } from './sent-headers.ts';

/** What a stream says it sent, after the headers were forgotten, and what its client got. */
async function afterForgetting(isPlain: boolean) {
  const server = createServer();
  const sent = new Promise<unknown>((resolve) =>
    server.on('stream', (stream: ServerHttp2Stream) => {
      stream.respond({ ':status': 200, 'x-kind': 'watch' });
      forgetSentHeaders(stream, isPlain);
      resolve(stream.sentHeaders['x-kind']);
      stream.end('event');
    }),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const stream = client.request({ ':path': '/' });
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  client.close();
  server.close();
  return { kept: await sent, got: [headers['x-kind'], text] };
}

test('this Node lets go of headers that were sent, and the answer goes on', async () => {
  expect(await afterForgetting(false)).toEqual({ kept: undefined, got: ['watch', 'event'] });
});

test('a plain runtime leaves them with the stream', async () => {
  expect(await afterForgetting(true)).toEqual({ kept: 'watch', got: ['watch', 'event'] });
});
