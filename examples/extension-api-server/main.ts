// Runs the library as a program of its own, with the kubeconfig that KUBECONFIG names.

import { connect, loadKubeconfig } from 'keelson';
import { startLibrary } from './library.ts';

const cluster = connect(await loadKubeconfig());
const server = await startLibrary(cluster.client, {
  service: { namespace: 'library', name: 'library', port: 8443 },
  bindAddress: '0.0.0.0',
  securePort: 8443,
  store: 'embedded',
  dataDir: 'library-data',
});
console.log(`serving books at ${server.url}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void server.close().then(() => cluster.close());
  });
