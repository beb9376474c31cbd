// Honest clients that read slowly keep their connection, however much has piled up for them.

import { once } from 'node:events';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { frame, greeting, word } from '../../src/testing/http2-bytes.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { RawClient } from '../../src/testing/raw-http2-client.ts';
import { configMap, configMaps } from './api.ts';
import { credentialsOf } from './credentials.ts';
import { get } from './raw-http2.ts';

const answers = 40;
const bodyBytes = 600_000;
const stepBytes = 4096;

const grow = (stream: number, bytes: number) => frame(8, 0, stream, word(bytes));
/** A first window of 4 MiB for each stream and of 1 GiB for the connection, as Go's client has. */
const wideWindows = [frame(4, 0, 0, Buffer.concat([Buffer.from('\0\x04'), word(4 << 20)])), grow(0, 1 << 30)];

test('a client that reads 40 answers of 600 KB in steps of 4 KiB, long after they were sent, keeps its watches', async () => {
  // no time goes by: nothing but the bytes that were sent pays for the frames
  const clock = new FakeClock(Date.now());
  await using server = await startTestServer({ clock });
  await server.fetch(configMaps, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(configMap('large', { text: 'é'.repeat(bodyBytes / 2) })),
  });
  const port = Number(new URL(server.url).port);
  const socket = connect({ port, host: '127.0.0.1', ALPNProtocols: ['h2'], ...credentialsOf(server.kubeconfig) });
  await once(socket, 'secureConnect');
  const client = new RawClient(socket);
  try {
    client.send(greeting, ...wideWindows, get(1, `${configMaps}?watch=true`));
    const ids = Array.from({ length: answers }, (_, at) => 2 * at + 3);
    client.send(...ids.map((id) => get(id, `${configMaps}/large`)));
    await client.until(() => ids.every((id) => client.isEnded(id)));
    for (const id of ids) {
      const steps = Math.floor(client.body(id).length / stepBytes);
      expect(steps).toBeGreaterThan(140);
      for (let step = 0; step < steps; step++) client.send(grow(id, stepBytes), grow(0, stepBytes));
    }
    client.send(get(201, '/livez'));
    await client.until(() => client.isEnded(201));
    expect([client.code(0), client.code(1), client.isEnded(1)]).toEqual([undefined, undefined, false]);
  } finally {
    socket.destroy();
  }
});
