// A client's connection and another server's, joined after both agreed on a protocol.

import type { Duplex } from 'node:stream';
import type { Tunnel } from '../../meta/exchange.ts';

/** Two connections as one: each ends when the other does. */
export function tunnelTo(server: Duplex, fromServer: Buffer): Tunnel {
  return (client, fromClient) => {
    const close = () => {
      client.destroy();
      server.destroy();
    };
    for (const side of [client, server]) side.on('error', close).on('close', close);
    if (client.destroyed || server.destroyed) {
      close();
      return;
    }
    if (fromServer.length > 0) client.write(fromServer);
    if (fromClient.length > 0) server.write(fromClient);
    client.pipe(server).pipe(client);
  };
}
