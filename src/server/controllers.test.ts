import { describe, expect, test } from 'vitest';
import { createSystemNamespaces } from '../bootstrap/system-namespaces.ts';
import { Client } from '../client/client.ts';
import { openAdmission } from '../config/admission-file.ts';
import { resolveOptions, type ServerOptions } from '../config/options.ts';
import { unknownControllers } from '../controllers/entry.ts';
import { portStore } from '../groups/core/v1/service/node-ports.ts';
import type { ApiObject } from '../meta/object.ts';
import { ClientTrust } from '../pki/client-trust.ts';
import { FrontProxy } from '../pki/front-proxy.ts';
import { storedRecords } from '../registry/records.ts';
import { allControllers } from '../simulation/catalog.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { loopbackTransport } from '../transport/loopback.ts';
import { ControllerSet } from './controllers.ts';
import { HealthState } from './health-state.ts';
import { OwnPresence } from './own/own-presence.ts';
import { RecordedRequests } from './recorded-requests.ts';
import { ServerLog } from './server-log.ts';
import { wire } from './start/wiring.ts';
import { storedServices } from './stored-services.ts';
import { openWebhookClients } from './webhook-clients.ts';

/** Controllers with a signer that signs anything. */
async function start(options: ServerOptions = {}) {
  const resolved = resolveOptions({ clock: new FakeClock(), ...options });
  const config = { ...resolved, log: new ServerLog(resolved.log, resolved.levels, resolved.clock) };
  const store = openMemoryStore();
  const surroundings = {
    trust: new ClientTrust({ users: undefined, proxies: undefined }),
    webhookClients: await openWebhookClients(config),
    url: () => undefined,
    audit: undefined,
    presence: new OwnPresence(),
    frontProxy: new FrontProxy({ config: { kind: 'own' }, folder: undefined, clock: config.clock }),
    plugins: await openAdmission(config.admission, config.dialect, config.featureGates, () => {}),
    hooks: {},
    requests: new RecordedRequests({ clock: config.clock, tracing: undefined, remote: undefined, onOpen() {} }),
  };
  const { handler, resources, objects, customResources } = wire(
    config,
    store,
    new HealthState(store, [], { clock: config.clock, graceMs: 0 }),
    surroundings,
  );
  const client = new Client(loopbackTransport(handler, config.dialect.serverName));
  await createSystemNamespaces(client, config.dialect);
  const failures: object[] = [];
  const controllers = new ControllerSet({
    clients: { server: client, controllers: client },
    ...{ store, resources, clock: config.clock, dialect: config.dialect, isShared: false },
    config: config.controllers,
    simulation: config.simulation,
    gates: config.featureGates,
    parts: {
      rootCa: () => 'the CA',
      instances: customResources.instances,
      services: storedServices(objects, config.dialect),
      probeApi: async () => {},
      onAvailability: () => {},
      issueToken: (secret, account) => `token of ${account.metadata.name} in ${secret.metadata.name}`,
      certificateSigner: { signs: () => true, sign: async (role) => `signed by ${role}` },
      nodePorts: {
        ...{ store: portStore(storedRecords(store)), range: config.serviceNodePorts },
        onPortError() {},
        onFailure() {},
      },
      podGarbage: { maxTerminatedPods: config.controllers.maxTerminatedPods, onDeletion() {} },
    },
    onError: (fields) => failures.push(fields),
    onLeading: () => {},
  });
  controllers.start();
  return {
    client,
    failures,
    async [Symbol.asyncDispose]() {
      await controllers.close();
      resources.close();
      await store.close();
    },
  };
}

async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + 30_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error('nothing came of it');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

interface Secret extends ApiObject {
  readonly data?: Readonly<Record<string, string>>;
}
const isFilled = (secret: Secret | undefined) => (secret?.data?.['token'] === undefined ? undefined : secret);
const decoded = ({ data = {} }: Secret) =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));

describe('token Secrets', () => {
  test('are filled for an account that exists', async () => {
    await using it = await start();
    const { client, failures } = it;
    const account = await client.create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
    await client.create('/api/v1/namespaces/default/secrets', {
      metadata: { name: 'keys', annotations: { 'kubernetes.io/service-account.name': 'robot' } },
      type: 'kubernetes.io/service-account-token',
    });
    const path = '/api/v1/namespaces/default/secrets/keys';
    const secret = await eventually(async () => isFilled(await client.find<Secret>(path)));
    expect(decoded(secret)).toEqual({ 'ca.crt': 'the CA', namespace: 'default', token: 'token of robot in keys' });
    expect(secret.metadata.annotations?.['kubernetes.io/service-account.uid']).toBe(account.metadata.uid);
    expect(failures).toEqual([]);
  });

  test('are made for every account where the dialect says so, and made again when deleted', async () => {
    await using it = await start({ dialect: 'cluster' });
    const { client } = it;
    const accountPath = '/api/v1/namespaces/default/serviceaccounts/default';
    const mentioned = (but = '') =>
      eventually(async () => {
        const account = await client.find(accountPath);
        const [secret] = (account?.['secrets'] ?? []) as { name: string }[];
        return secret === undefined || secret.name === but ? undefined : secret.name;
      });
    const first = await mentioned();
    expect(first).toMatch(/^default-token-[a-z0-9]{5}$/);
    const path = (name: string) => `/api/v1/namespaces/default/secrets/${name}`;
    await eventually(async () => isFilled(await client.find<Secret>(path(first))));
    await client.delete(path(first));
    const second = await mentioned(first);
    const secret = await eventually(async () => isFilled(await client.find<Secret>(path(second))));
    expect(decoded(secret)['token']).toBe(`token of default in ${second}`);
  });
});

describe('registrations', () => {
  const collection = '/apis/apiregistration.k8s.io/v1/apiservices';

  test('are made for every group-version of the server', async () => {
    await using it = await start();
    const { client, failures } = it;
    const apps = (await eventually(() => client.find(`${collection}/v1.apps`))) as ApiObject;
    expect(apps.metadata.labels).toEqual({ 'kube-aggregator.kubernetes.io/automanaged': 'onstart' });
    expect(apps['spec']).toEqual({ group: 'apps', version: 'v1', groupPriorityMinimum: 17800, versionPriority: 15 });
    expect(apps['status']).toMatchObject({ conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] });
    const core = (await eventually(() => client.find(`${collection}/v1.`))) as ApiObject;
    expect(core['spec']).toEqual({ version: 'v1', groupPriorityMinimum: 18000, versionPriority: 1 });
    const { items } = await client.list(collection);
    expect(items.map(({ metadata }) => metadata.name)).not.toContain('v1.apiregistration.k8s.io');
    expect(failures).toEqual([]);
  });
});

describe('a selection of controllers', () => {
  test('knows them by both spellings', () => {
    const known = ['*', '-namespace', 'namespace-controller', 'tokencleaner', 'bootstrap-signer-controller'];
    expect(unknownControllers([...known, 'gardener', '-x'], allControllers)).toEqual(['gardener', '-x']);
  });

  test('may switch off what runs elsewhere, and not on', () => {
    expect(unknownControllers(['*', '-nodeipam', '-node-route-controller', 'ttl'], allControllers)).toEqual(['ttl']);
  });
});
