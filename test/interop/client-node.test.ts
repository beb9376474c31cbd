// @kubernetes/client-node: typed calls, and an informer that outlives its server.

import { EventEmitter, once } from 'node:events';
import {
  ApiException,
  CoordinationV1Api,
  CoreV1Api,
  KubeConfig,
  type KubernetesObject,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  V1MicroTime,
  Watch,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from './temp-folder.ts';

const namespace = 'default';
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;

/** What was reported, in order, and a way to wait for a report. */
class Reports {
  readonly all: string[] = [];
  readonly #events = new EventEmitter();

  /** A listener that reports objects under this word. */
  as(word: string): (object?: KubernetesObject) => void {
    return (object) => {
      const report = `${word} ${object?.metadata?.name}`;
      this.all.push(report);
      this.#events.emit(report);
    };
  }

  async until(report: string): Promise<void> {
    if (!this.all.includes(report)) await once(this.#events, report, { signal: AbortSignal.timeout(20_000) });
  }
}

function configFor(server: Server): KubeConfig {
  const config = new KubeConfig();
  config.loadFromString(server.kubeconfig);
  return config;
}

describe('client-node', () => {
  let server: Server;
  let config: KubeConfig;
  let core: CoreV1Api;

  beforeAll(async () => {
    server = await startTestServer();
    config = configFor(server);
    core = config.makeApiClient(CoreV1Api);
  });
  afterAll(() => server.close());

  test('creates, reads, lists, replaces, patches and deletes', async () => {
    const name = 'crud';
    const body = { metadata: { name, labels: { test: name } }, data: { color: 'blue' } };
    const created = await core.createNamespacedConfigMap({ namespace, body });
    expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);
    expect(await core.readNamespacedConfigMap({ namespace, name })).toEqual(created);
    const listed = await core.listNamespacedConfigMap({ namespace, labelSelector: `test=${name}` });
    expect(listed.items.map((item) => item.data)).toEqual([{ color: 'blue' }]);
    const replaced = await core.replaceNamespacedConfigMap({
      namespace,
      name,
      body: { ...created, data: { size: 's' } },
    });
    expect(replaced.data).toEqual({ size: 's' });
    const asMergePatch = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
    const change = { data: { size: null, shape: 'round' } };
    const patched = await core.patchNamespacedConfigMap({ namespace, name, body: change }, asMergePatch);
    expect(patched.data).toEqual({ shape: 'round' });
    const deleted = await core.deleteNamespacedConfigMap({ namespace, name });
    expect(deleted).toMatchObject({
      status: 'Success',
      details: { kind: 'configmaps', name, uid: created.metadata?.uid },
    });
    await expect(core.readNamespacedConfigMap({ namespace, name })).rejects.toMatchObject({ code: 404 });
  });

  test('gets a Status for a lost race', async () => {
    const name = 'race';
    const first = await core.createNamespacedConfigMap({ namespace, body: { metadata: { name } } });
    await core.replaceNamespacedConfigMap({ namespace, name, body: { ...first, data: { winner: 'yes' } } });
    const loser = core.replaceNamespacedConfigMap({ namespace, name, body: { ...first, data: { winner: 'no' } } });
    const error: unknown = await loser.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiException);
    const { code, body } = error as ApiException<string>;
    expect(code).toBe(409);
    expect(JSON.parse(body)).toMatchObject({
      kind: 'Status',
      reason: 'Conflict',
      details: { kind: 'configmaps', name },
    });
  });

  test('writes the times of a lease as leader election does', async () => {
    const leases = config.makeApiClient(CoordinationV1Api);
    const renewTime = new V1MicroTime('2026-01-02T03:04:05.678Z');
    const body = { metadata: { name: 'lock' }, spec: { holderIdentity: 'me', renewTime } };
    await leases.createNamespacedLease({ namespace, body });
    const stored = await server.fetch(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/lock`);
    expect(await stored.json()).toMatchObject({
      spec: { holderIdentity: 'me', renewTime: '2026-01-02T03:04:05.678000Z' },
    });
  });

  test('watches from the state of now on, with a bookmark between', async () => {
    const labels = { test: 'streamed' };
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'before', labels } } });
    const reports = new Reports();
    const query = {
      labelSelector: 'test=streamed',
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    };
    const onEvent = (type: string, object: KubernetesObject) => {
      const isEnd = object.metadata?.annotations?.['k8s.io/initial-events-end'] === 'true';
      reports.as(type)(isEnd ? { metadata: { name: '(end of the initial events)' } } : object);
    };
    const request = await new Watch(config).watch(configMaps, query, onEvent, () => {});
    await reports.until('BOOKMARK (end of the initial events)');
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'after', labels } } });
    await reports.until('ADDED after');
    request.abort();
    expect(reports.all).toEqual(['ADDED before', 'BOOKMARK (end of the initial events)', 'ADDED after']);
  });

  test('keeps an informer up to date', async () => {
    const labels = { test: 'informed' };
    const create = (name: string) =>
      core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels } } });
    await create('there-before');
    const list = () => core.listNamespacedConfigMap({ namespace, labelSelector: 'test=informed' });
    const informer = makeInformer(config, configMaps, list, 'test=informed');
    const reports = new Reports();
    for (const verb of ['add', 'update', 'delete'] as const) informer.on(verb, reports.as(verb));
    await informer.start();
    expect(reports.all).toEqual(['add there-before']);
    const added = await create('new');
    await reports.until('add new');
    await core.replaceNamespacedConfigMap({ namespace, name: 'new', body: { ...added, data: { color: 'blue' } } });
    await reports.until('update new');
    expect(informer.get('new', namespace)?.data).toEqual({ color: 'blue' });
    await core.deleteNamespacedConfigMap({ namespace, name: 'there-before' });
    await reports.until('delete there-before');
    await informer.stop();
    expect(informer.list().map((object) => object.metadata?.name)).toEqual(['new']);
  });

  test('an informer goes on after a restart and sees what it missed, without a new list', async () => {
    using folder = new TempFolder();
    const options = { store: 'embedded', dataDir: folder.path } as const;
    await using first = await startTestServer(options);
    const own = configFor(first);
    const api = own.makeApiClient(CoreV1Api);
    for (const name of ['kept', 'changed', 'removed']) {
      await api.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { watched: 'yes' } } } });
    }
    let lists = 0;
    const list = () => {
      lists++;
      return api.listNamespacedConfigMap({ namespace, labelSelector: 'watched=yes' });
    };
    const informer = makeInformer(own, configMaps, list, 'watched=yes');
    const reports = new Reports();
    await informer.start();
    for (const verb of ['add', 'update', 'delete'] as const) informer.on(verb, reports.as(verb));
    const lost = new Promise((resolve) => informer.on('error', resolve));
    await first.close();
    // the watch ended, and the next one finds no server
    await lost;

    const port = Number(new URL(first.url).port);
    await using second = await startTestServer({ ...options, securePort: port, listen: false });
    const send = (method: string, path: string, body?: object) =>
      second.fetch(`${configMaps}${path}`, {
        method,
        headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
      });
    await send('PATCH', '/changed', { data: { color: 'blue' } });
    await send('DELETE', '/removed');
    await send('POST', '', { metadata: { name: 'new', labels: { watched: 'yes' } } });
    await second.listen();
    await informer.start();
    await reports.until('add new');
    await informer.stop();
    expect(reports.all).toEqual(['update changed', 'delete removed', 'add new']);
    expect(lists).toBe(1);
  });
});
