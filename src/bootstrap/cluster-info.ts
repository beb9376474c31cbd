// What newcomers need to find this server and to trust it, in the public namespace. Made where the bootstrap signer
// runs, which signs it (spec: Bootstrap token signing of a public ConfigMap).

import { type Client, isConflict } from '../client/client.ts';
import { clusterInfoName, type Dialect } from '../meta/dialect.ts';

interface Whereabouts {
  readonly server: string;
  /** PEM. */
  readonly ca: string;
}

/** Applied, so that what other clients wrote there stays. */
export async function publishClusterInfo(client: Client, dialect: Dialect, where: Whereabouts): Promise<void> {
  const name = clusterInfoName;
  const path = `/api/v1/namespaces/${dialect.publicNamespace}/configmaps/${name}`;
  try {
    const data = { kubeconfig: kubeconfigWithoutUser(where) };
    await client.apply(path, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data }, 'keelson');
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
}

/** Clients look for a cluster without a name. */
function kubeconfigWithoutUser({ server, ca }: Whereabouts): string {
  return `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${Buffer.from(ca).toString('base64')}
    server: ${server}
  name: ""
contexts: null
current-context: ""
kind: Config
preferences: {}
users: null
`;
}
