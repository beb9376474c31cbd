// What it costs to reach an object through another API server: the same get through Keelson, which passes it on to a second
// Keelson, and of that second one directly.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../api.mjs';
import { get } from '../objects.mjs';
import { createCertificate } from '../processes/certificate.mjs';
import { startKeelson } from '../processes/keelson.mjs';
import { compare } from './compare.mjs';

const GROUP = 'bench.example.com';
const items = `/apis/${GROUP}/v1/namespaces/default/items`;
const trust = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
const load = { inFlight: 32, connections: 2, requests: [get(`${items}/one`)], expect: 200 };
const ATTEMPTS = 200;

/** `bare` is the backend, asked directly: the ratio is what the way through the other server leaves. */
export async function measureAggregated({ scope, command, generator, pace }) {
  const front = await startKeelson({ scope, command });
  const servers = { keelson: front };
  try {
    const api = new Api(front.target);
    servers.bare = await startBackend({ scope, command, data: await published(api) });
    await connect(api, servers.bare);
    api.close();
    const run = (side, times) => generator.run('load', { target: servers[side].target, ...load, ...times });
    for (const side of ['bare', 'keelson']) await run(side, { rampMs: 0, windowMs: pace.warmMs });
    const times = { rampMs: pace.rampMs, windowMs: pace.windowMs };
    return await compare({ rounds: pace.rounds, measure: (side) => run(side, times) });
  } finally {
    for (const server of Object.values(servers)) await server.stop();
  }
}

/** What aggregated servers have to trust; written a moment after the start. */
async function published(api) {
  const { body } = await eventually(() => api.request({ path: trust }));
  return JSON.parse(body.toString()).data;
}

/** Its certificate is not for the name of the API servers: no server passes requests on to one of its own kind. */
async function startBackend({ scope, command, data }) {
  const folder = scope.folder('backend');
  const file = (name, text) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const { certificate, key } = await createCertificate();
  const args = [
    ...['--tls-cert-file', file('tls.crt', certificate), '--tls-private-key-file', file('tls.key', key)],
    ...['--requestheader-client-ca-file', file('front.crt', data['requestheader-client-ca-file'])],
    ...['--requestheader-username-headers', 'X-Remote-User', '--requestheader-group-headers', 'X-Remote-Group'],
  ];
  const server = await startKeelson({ scope, command, args });
  const api = new Api(server.target);
  await api.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  const one = { apiVersion: `${GROUP}/v1`, kind: 'Item', metadata: { name: 'one' }, spec: { text: 'x'.repeat(800) } };
  await eventually(() => api.create(items, one));
  api.close();
  return server;
}

async function connect(api, { target }) {
  const service = { namespace: 'default', name: 'backend', port: target.port };
  await api.create('/api/v1/namespaces/default/services', {
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: service.name } },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  const spec = { group: GROUP, version: 'v1', service, groupPriorityMinimum: 1000, versionPriority: 100 };
  await api.create('/apis/apiregistration.k8s.io/v1/apiservices', {
    ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name: `v1.${GROUP}` } },
    spec: { ...spec, insecureSkipTLSVerify: true },
  });
  await eventually(() => api.request({ path: `${items}/one` }));
}

async function eventually(attempt) {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (count === ATTEMPTS) throw error;
      await delay(50);
    }
  }
}

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `items.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'items', kind: 'Item' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { text: { type: 'string' } } } },
          },
        },
      },
    ],
  },
};
