// Two servers on one etcd: a definition that is made on one of them is soon served on the other, and so is its end.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer, type Server } from '../../src/index.ts';
import { expectNoWait } from '../../src/testing/processor-time.ts';
import { type EtcdProcess, etcdHint, hasEtcd, startEtcd } from '../etcd-process.ts';
import { type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const path = '/apis/example.com/v1/namespaces/default/apples';
/** Far less than the period of anything that looks again by itself. */
const soonMs = 10_000;

const soon = (check: () => Promise<unknown>) => expectNoWait(soonMs, () => eventually(check));

describe.skipIf(!hasEtcd)(etcdHint, () => {
  let etcd: EtcdProcess;
  let servers: readonly Server[];
  let first: Api;
  let second: Api;
  beforeAll(async () => {
    etcd = await startEtcd({ args: ['--unsafe-no-fsync'] });
    const open = () => createServer({ store: 'etcd', etcdServers: [etcd.url], shutdownGraceSeconds: 0.1 });
    servers = [await open(), await open()];
    [first, second] = servers.map(apiOf) as [Api, Api];
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await etcd[Symbol.asyncDispose]();
  });

  const schemaOf = (properties: object) => ({ openAPIV3Schema: { type: 'object', properties } });
  const versions = (properties: object) => [{ name: 'v1', served: true, storage: true, schema: schemaOf(properties) }];
  const established = async () => {
    const { body } = await first.get(`${definitions}/apples.example.com`);
    expect(body.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Established', status: 'True' }));
  };

  test('a definition of one server is served by the other, with its objects and its changes', async () => {
    const names = { plural: 'apples', kind: 'Apple' };
    const spec = { group: 'example.com', scope: 'Namespaced', names, versions: versions({ a: { type: 'string' } }) };
    expect((await first.post(definitions, { metadata: { name: 'apples.example.com' }, spec })).status).toBe(201);
    await eventually(established);
    await soon(async () => expect((await second.get(path)).status).toBe(200));
    const apple = { kind: 'Apple', apiVersion: 'example.com/v1', metadata: { name: 'a' }, a: 'x', b: 'y' };
    expect((await second.post(path, apple)).body).not.toHaveProperty('b');
    expect((await first.get(`${path}/a`)).body.a).toBe('x');

    const wider = versions({ a: { type: 'string' }, b: { type: 'string', default: 'z' } });
    await first.patch('merge', `${definitions}/apples.example.com`, { spec: { versions: wider } });
    await soon(async () => expect((await second.get(`${path}/a`)).body.b).toBe('z'));
  });

  test('the end of a definition on one server is its end on the other', async () => {
    expect((await first.delete(`${definitions}/apples.example.com`)).status).toBe(200);
    await eventually(async () => expect((await first.get(path)).status).toBe(404));
    await soon(async () => expect((await second.get(path)).status).toBe(404));
    const { body } = await second.get('/apis');
    expect(body.groups.map(({ name }: { name: string }) => name)).not.toContain('example.com');
  });
});
