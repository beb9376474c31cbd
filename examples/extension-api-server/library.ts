// An extension API server: the group library.example.com, behind the API server of a cluster.

import { type Client, createExtensionServer, type ExtensionServer, type ExtensionServerOptions } from 'keelson';
import { books } from './books.ts';

type Place = Omit<ExtensionServerOptions, 'definitions' | 'cluster'>;

/** Serves books, and tells the cluster where. */
export async function startLibrary(cluster: Client, place: Place): Promise<ExtensionServer> {
  const server = await createExtensionServer({ definitions: [books], cluster, ...place });
  await server.listen();
  for (const apiService of server.apiServices) {
    const path = `/apis/${apiService.apiVersion}/apiservices/${apiService.metadata.name}`;
    await cluster.apply(path, apiService, 'library', { force: true });
  }
  return server;
}
