// The example of an extension API server, run behind a test server.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { startLibrary } from '../../examples/extension-api-server/library.ts';
import { type Connection, connect, type ExtensionServer, loadKubeconfig, type Server } from '../../src/index.ts';
import { apiOf } from './api.ts';
import { credentialsOf } from './credentials.ts';

const example = join(import.meta.dirname, '../../examples/extension-api-server');

const collections: Readonly<Record<string, string>> = {
  Namespace: '/api/v1/namespaces',
  ServiceAccount: '/api/v1/namespaces/library/serviceaccounts',
  Service: '/api/v1/namespaces/library/services',
  RoleBinding: '/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/rolebindings',
  ClusterRole: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  ClusterRoleBinding: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
};

interface Manifest {
  readonly kind: string;
  readonly metadata: object;
}

/** A client of a server with the rights of the library's account. */
async function connectAsLibrary(server: Server): Promise<Connection> {
  const account = '/api/v1/namespaces/library/serviceaccounts/library/token';
  const { body } = await apiOf(server).post(account, {});
  const ca = credentialsOf(server.kubeconfig).ca.toString('base64');
  const config = {
    clusters: [{ name: 'c', cluster: { server: server.url, 'certificate-authority-data': ca } }],
    users: [{ name: 'u', user: { token: body.status.token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  return connect(await loadKubeconfig({ text: JSON.stringify(config) }));
}

export class Library implements AsyncDisposable {
  readonly server: ExtensionServer;
  readonly #connection: Connection;

  private constructor(server: ExtensionServer, connection: Connection) {
    this.server = server;
    this.#connection = connection;
  }

  /** Follows the example's own pages: what its manifests say, then the program. */
  static async open(behind: Server, port: number): Promise<Library> {
    const api = apiOf(behind);
    const texts = ['cluster.yaml', 'one-machine.yaml'].map((file) => readFileSync(join(example, file), 'utf8'));
    for (const document of texts.flatMap((text) => [...parseAllDocuments(text)])) {
      const object = document.toJS() as Manifest;
      const { status, body } = await api.post(collections[object.kind] ?? '', object);
      if (status !== 201) throw new Error(`${object.kind}: ${status} ${JSON.stringify(body)}`);
    }
    const connection = await connectAsLibrary(behind);
    const service = { namespace: 'library', name: 'library', port };
    const server = await startLibrary(connection.client, { service, securePort: port, shutdownGraceSeconds: 1 });
    return new Library(server, connection);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    this.#connection.close();
  }
}
