// The namespaces every cluster has, created at start when they are missing.

import { type Client, isConflict, isNotFound } from '../client/client.ts';
import type { Dialect } from '../meta/dialect.ts';

export async function createSystemNamespaces(client: Client, dialect: Dialect): Promise<void> {
  const names = ['default', dialect.systemNamespace, dialect.publicNamespace, dialect.nodeLeaseNamespace];
  await Promise.all(names.map((name) => ensureNamespace(client, name)));
}

async function ensureNamespace(client: Client, name: string): Promise<void> {
  try {
    await client.get(`/api/v1/namespaces/${name}`);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await createNamespace(client, name);
  }
}

async function createNamespace(client: Client, name: string): Promise<void> {
  try {
    await client.create('/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name } });
  } catch (error) {
    // another replica was faster
    if (!isConflict(error)) throw error;
  }
}
