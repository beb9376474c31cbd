// One server of several threads: what is acknowledged on one of them is read on all others, and a thread may end.

import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { createHookedServer } from '../../src/server/create-server.ts';
import { eventually } from './eventually.ts';
import { secureCall } from './secure-call.ts';
import { type Client, collection, type Stored, type Threads, withThreads } from './several-threads.ts';

const configMap = (name: string, value: string) => ({ metadata: { name }, data: { value } });

/** The threads that serve the clients, as far as counts of requests show it. */
async function servingThreads(clients: readonly Client[], { server }: Threads): Promise<void> {
  await Promise.all(clients.map((client) => client.call('GET', '/version')));
  const text = String(await (await server.fetch('/metrics')).text());
  expect(text).toMatch(/keelson_thread_load\{thread="1"\}/);
  expect(text).toMatch(/keelson_thread_heap_bytes\{thread="0"\} \d\.\d+e\+\d\d/);
}

test('a write that is acknowledged on one connection is read on every other one', () =>
  withThreads(3, async (threads) => {
    const clients = Array.from({ length: 9 }, () => threads.connect());
    await servingThreads(clients, threads);
    const rounds = clients.map(async (writer, id) => {
      let version = '';
      for (let round = 0; round < 12; round++) {
        const value = `${id}.${round}`;
        const body = { ...configMap(`w${id}`, value) };
        const answer =
          round === 0
            ? await writer.call('POST', collection, body)
            : await writer.call('PUT', `${collection}/w${id}`, {
                ...body,
                metadata: { name: `w${id}`, resourceVersion: version },
              });
        expect([200, 201]).toContain(answer.status);
        version = answer.body.metadata.resourceVersion;
        const readers = clients.map(async (reader, at) => {
          const path = at % 2 === 0 ? `${collection}/w${id}` : `${collection}?fieldSelector=metadata.name=w${id}`;
          const { body: found } = await reader.call('GET', path);
          const object: Stored = at % 2 === 0 ? found : found.items[0];
          expect(object.data.value).toBe(value);
        });
        await Promise.all(readers);
      }
    });
    await Promise.all(rounds);
  }));

test('watches on all threads deliver every revision once and in order', () =>
  withThreads(3, async (threads) => {
    const clients = Array.from({ length: 8 }, () => threads.connect());
    const first = await (clients[0] as Client).call('GET', collection);
    const since = first.body.metadata.resourceVersion;
    const seen = clients.map(() => [] as string[]);
    for (const [at, client] of clients.entries()) {
      const path = `${collection}?watch=true&resourceVersion=${since}`;
      client
        .watch(path, ({ type, object }) =>
          seen[at]?.push(`${type} ${object.metadata.name} ${object.metadata.resourceVersion}`),
        )
        .catch(() => {});
    }
    const writers = clients.map(async (client, id) => {
      for (let round = 0; round < 20; round++) {
        const name = `n${id}-${round % 3}`;
        const created = await client.call('POST', collection, configMap(name, String(round)));
        if (created.status === 409) await client.call('DELETE', `${collection}/${name}`);
      }
    });
    await Promise.all(writers);
    const { body } = await (clients[3] as Client).call('POST', collection, configMap('last', ''));
    const last = `ADDED last ${body.metadata.resourceVersion}`;
    await eventually(async () => {
      for (const events of seen) expect(events.at(-1)).toBe(last);
    });
    for (const events of seen) {
      expect(events).toEqual(seen[0]);
      const versions = events.map((event) => Number(event.split(' ')[2]));
      expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    }
    expect(seen[0]?.length).toBeGreaterThan(100);
  }));

test('rights, definitions and quotas that change on one thread apply on all', () =>
  withThreads(2, async (threads) => {
    const clients = Array.from({ length: 6 }, () => threads.connect());
    const [admin] = clients as [Client, ...Client[]];
    const group = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const names = { plural: 'boats', singular: 'boat', kind: 'Boat', listKind: 'BoatList' };
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await admin.call('POST', group, {
      metadata: { name: 'boats.example.com' },
      spec: {
        ...{ group: 'example.com', names, scope: 'Namespaced' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    const boats = '/apis/example.com/v1/namespaces/default/boats';
    await eventually(async () => expect((await admin.call('GET', boats)).status).toBe(200));
    await eventually(async () => {
      for (const client of clients) expect((await client.call('GET', boats)).status).toBe(200);
    });
    for (const [at, client] of clients.entries()) {
      const created = await client.call('POST', boats, {
        apiVersion: 'example.com/v1',
        kind: 'Boat',
        metadata: { name: `b${at}` },
      });
      expect(created.status).toBe(201);
      for (const other of clients) expect((await other.call('GET', `${boats}/b${at}`)).status).toBe(200);
    }
    const review = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    const spec = { user: 'jane', resourceAttributes: { verb: 'list', resource: 'secrets' } };
    const isAllowed = async (client: Client) => (await client.call('POST', review, { spec })).body.status.allowed;
    for (const client of clients) expect(await isAllowed(client)).toBe(false);
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const binding = await admin.call('POST', `${rbac}/clusterrolebindings`, {
      metadata: { name: 'jane' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    expect(binding.status).toBe(201);
    for (const client of clients) expect(await isAllowed(client)).toBe(true);
  }));

test('a thread that ends loses its own connections only, and is started again', () =>
  withThreads(2, async (threads) => {
    const { server, workers, lines } = threads;
    const clients = Array.from({ length: 12 }, () => threads.connect());
    await Promise.all(clients.map((client) => client.call('GET', '/version')));
    const acknowledged: string[] = [];
    let isOver = false;
    const load = clients.map(async (client, id) => {
      for (let round = 0; !isOver; round++) {
        const name = `c${id}-${round}`;
        const answer = await client.call('POST', collection, configMap(name, '')).catch(() => undefined);
        if (answer === undefined) return;
        expect(answer.status).toBe(201);
        acknowledged.push(name);
      }
    });
    await eventually(async () => expect(acknowledged.length).toBeGreaterThan(30));
    await (workers[0] as Worker).terminate();
    await eventually(async () => expect(workers).toHaveLength(2));
    await once(workers[1] as Worker, 'online');
    await eventually(async () => expect((await secureCall(server, 'GET', '/readyz')).status).toBe(200));
    isOver = true;
    await Promise.all(load);
    expect(lines.map(({ message }) => message)).toContain('a serving thread ended; it is started again');
    const open = clients.filter((client) => !client.isClosed);
    expect(open.length).toBeGreaterThan(0);
    const { body } = await threads.connect().call('GET', collection);
    const stored = new Set(body.items.map(({ metadata }: Stored) => metadata.name));
    expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);
  }));

test('all threads are one server: limits, metrics, log and level of the log', () =>
  withThreads(2, async (threads) => {
    const clients = Array.from({ length: 10 }, () => threads.connect());
    const version = async () =>
      /apiserver_request_total\{verb="GET",[^}]*resource="namespaces"[^}]*code="200"\} (\d+)/.exec(
        await (await threads.server.fetch('/metrics')).text(),
      )?.[1];
    const before = Number((await version()) ?? 0);
    for (const client of clients) await client.call('GET', '/api/v1/namespaces/default');
    expect(Number(await version()) - before).toBe(clients.length);
    const { status } = await (clients[0] as Client).call('PUT', '/debug/flags/v', 3 as never);
    expect(status).toBe(200);
    for (const client of clients) await client.call('GET', '/api/v1/namespaces/kube-system');
    await eventually(async () => {
      const requests = threads.lines.filter(({ fields }) => fields['path'] === '/api/v1/namespaces/kube-system');
      expect(requests).toHaveLength(clients.length);
    });
    for (const client of clients) expect((await client.call('GET', '/readyz?verbose')).body).toContain('[+]threads ok');
  }));

test('a server that stops is not ready on any thread, and waits for load balancers once', () =>
  withThreads(
    2,
    async (threads) => {
      const clients = Array.from({ length: 8 }, () => threads.connect());
      for (const client of clients) expect((await client.call('GET', '/readyz')).status).toBe(200);
      const closed = threads.server.close();
      await eventually(async () => {
        for (const client of clients) expect((await client.call('GET', '/readyz')).status).toBe(500);
      });
      expect((await (clients[0] as Client).call('GET', '/livez')).status).toBe(200);
      await closed;
      const stops = threads.lines.filter(({ message }) => message === 'stopped');
      expect(stops.map(({ fields }) => fields['thread'])).toEqual([1, undefined]);
    },
    { shutdownDelaySeconds: 2 },
  ));

test.skipIf(availableParallelism() < 2)(
  'with auto, a busy server gets one more thread, and clients may connect to that',
  () =>
    withThreads(
      1,
      async (threads) => {
        const { workers, lines } = threads;
        const clients = Array.from({ length: 24 }, () => threads.connect());
        for (const client of clients) expect((await client.call('GET', '/version')).status).toBe(200);
        // the main thread works on something else nearly all the time
        await eventually(async () => {
          for (const end = performance.now() + 200; performance.now() < end; );
          expect(workers).toHaveLength(1);
        });
        await eventually(async () =>
          expect(threads.connect().call('GET', '/readyz')).resolves.toMatchObject({ status: 200 }),
        );
        expect(lines.map(({ message }) => message)).toContain('all threads are busy: one more is started');
        // half of the clients are sent off by GOAWAY; that it is none or all of them is as likely as one in eight million
        await eventually(async () => expect(clients.some((client) => client.isClosed)).toBe(true));
        expect(clients.every((client) => client.isClosed)).toBe(false);
      },
      { threads: 'auto' },
    ),
);

test('more threads than one need a store and options that threads can share', async () => {
  const refused = (options: object) => expect(createHookedServer(options, {})).rejects;
  await refused({ threads: 2 }).toThrow('threads: 2 threads need the embedded store or etcd');
  await refused({
    threads: 2,
    store: 'embedded',
    dataDir: '/nowhere',
    clock: { now: () => 0, after: () => {} },
  }).toThrow('threads: 2 threads need the clock of the system');
  await refused({ threads: 0 }).toThrow('threads: 0 is neither auto nor a number from 1 to 64');
  await refused({ threads: 'many' }).toThrow('threads: "many" is neither auto nor a number from 1 to 64');
});
