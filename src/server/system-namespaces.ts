// The namespaces every cluster has, created at start when they are missing.

import type { Dialect } from '../meta/dialect.ts';
import type { InProcessFetch } from './in-process.ts';

export async function createSystemNamespaces(fetch: InProcessFetch, dialect: Dialect): Promise<void> {
  const names = ['default', dialect.systemNamespace, dialect.publicNamespace, dialect.nodeLeaseNamespace];
  await Promise.all(names.map((name) => createNamespace(fetch, name)));
}

async function createNamespace(fetch: InProcessFetch, name: string): Promise<void> {
  const found = await fetch(`/api/v1/namespaces/${name}`);
  if (found.status === 200) return;
  const body = JSON.stringify({ kind: 'Namespace', apiVersion: 'v1', metadata: { name } });
  const made = await fetch('/api/v1/namespaces', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  // another replica may have been faster
  if (made.status !== 201 && made.status !== 409)
    throw new Error(`namespace ${name} could not be created: ${await made.text()}`);
}
