// Owners and dependents that other servers keep: the garbage collector follows them through the API.

import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, configMaps } from './api.ts';
import { Backend, type Behaviour, json, register } from './backend.ts';
import { eventually } from './eventually.ts';

const group = 'ext.example';
const verbs = ['get', 'list', 'watch', 'delete', 'patch'];
const resources = [{ name: 'things', singularName: 'thing', kind: 'Thing', namespaced: true, verbs }];
const home = `/apis/${group}/v1/namespaces/default/things`;

interface Thing {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly name: string; readonly uid: string; readonly [field: string]: unknown };
}

/** Keeps things in memory and shows them to watchers, each event in two pieces. */
class Things {
  readonly #things = new Map<string, Thing>();
  readonly #watchers = new Set<ServerResponse>();
  /** Bodies of requests to delete. */
  readonly deletions: string[] = [];
  #version = 1;
  #told: Promise<void> = Promise.resolve();

  get names(): string[] {
    return [...this.#things.keys()].sort();
  }

  add(name: string, owner?: object): Thing {
    const metadata = { name, namespace: 'default', uid: randomUUID(), resourceVersion: String(++this.#version) };
    const owned = owner === undefined ? metadata : { ...metadata, ownerReferences: [owner] };
    const thing = { kind: 'Thing', apiVersion: `${group}/v1`, metadata: owned };
    this.#things.set(name, thing);
    this.#show('ADDED', thing);
    return thing;
  }

  remove(name: string): void {
    const thing = this.#things.get(name);
    this.#things.delete(name);
    if (thing !== undefined) this.#show('DELETED', thing);
  }

  readonly behave: Behaviour = (request, outgoing, { url, method }) => {
    const response = outgoing as ServerResponse;
    const [path = '', query = ''] = url.split('?');
    const name = path.startsWith(`${home}/`) ? path.slice(home.length + 1) : undefined;
    if (path === `/apis/${group}/v1`)
      json(response, { kind: 'APIResourceList', groupVersion: `${group}/v1`, resources });
    else if (query.includes('watch=')) this.#watch(response);
    else if (name === undefined) this.#list(response);
    else if (method === 'DELETE') this.#delete(name, request, response);
    else this.#get(name, response);
  };

  #list(response: ServerResponse): void {
    const metadata = { resourceVersion: String(this.#version) };
    json(response, { kind: 'ThingList', apiVersion: `${group}/v1`, metadata, items: [...this.#things.values()] });
  }

  #get(name: string, response: ServerResponse): void {
    const thing = this.#things.get(name);
    json(response, thing ?? { kind: 'Status', status: 'Failure', code: 404 }, thing === undefined ? 404 : 200);
  }

  #delete(name: string, request: Parameters<Behaviour>[0], response: ServerResponse): void {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      this.deletions.push(body);
      this.remove(name);
      json(response, { kind: 'Status', status: 'Success' });
    });
  }

  #watch(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('\n');
    this.#watchers.add(response);
    response.on('close', () => this.#watchers.delete(response));
  }

  #show(type: string, object: Thing): void {
    const line = `${JSON.stringify({ type, object })}\n`;
    const write = (piece: string) => {
      for (const watcher of this.#watchers) watcher.write(piece);
    };
    this.#told = this.#told.then(async () => {
      write(line.slice(0, 40));
      await setImmediate();
      write(line.slice(40));
    });
  }
}

const things = new Things();
let server: Server;
let backend: Backend;
let api: Api;

beforeAll(async () => {
  backend = await Backend.open(things.behave);
  server = await startTestServer();
  things.add('listed', { apiVersion: 'v1', kind: 'ConfigMap', name: 'never-there', uid: randomUUID() });
  api = await register(server, backend, { group });
});
afterAll(async () => {
  await server.close();
  await backend[Symbol.asyncDispose]();
});

const ownerOf = ({ kind, apiVersion, metadata: { name, uid } }: Thing) => ({ kind, apiVersion, name, uid });

async function configMap(name: string, owner?: object): Promise<Thing> {
  const ownerReferences = owner === undefined ? [] : [owner];
  const { body } = await api.post(configMaps, { metadata: { name, ownerReferences } });
  return { ...body, kind: 'ConfigMap', apiVersion: 'v1' };
}

test('a dependent there goes when its owner never was, as of the uid and version that were seen', async () => {
  await eventually(async () => expect(things.names).not.toContain('listed'));
  expect(JSON.parse(things.deletions[0] ?? '{}')).toMatchObject({
    propagationPolicy: 'Background',
    preconditions: { uid: expect.any(String), resourceVersion: '2' },
  });
});

test('a dependent there goes with its owner here', async () => {
  const owner = await configMap('owner-here');
  things.add('dependent-there', ownerOf(owner));
  things.add('without-owner');
  await api.delete(`${configMaps}/owner-here`);
  await eventually(async () => expect(things.names).not.toContain('dependent-there'));
  expect(things.names).toContain('without-owner');
});

test('a dependent here, and one there, go with their owner there', async () => {
  const owner = things.add('owner-there');
  await configMap('dependent-here', ownerOf(owner));
  things.add('dependent-neighbour', ownerOf(owner));
  await configMap('other', ownerOf(things.add('other-owner')));
  things.remove('owner-there');
  await eventually(async () => expect((await api.get(`${configMaps}/dependent-here`)).status).toBe(404));
  await eventually(async () => expect(things.names).not.toContain('dependent-neighbour'));
  expect((await api.get(`${configMaps}/other`)).status).toBe(200);
});

test('an owner there that cannot be asked is not taken for gone', async () => {
  const owner = things.add('silent');
  await configMap('kept', { ...ownerOf(owner), apiVersion: 'unknown.example/v1' });
  await configMap('marker', { apiVersion: 'v1', kind: 'ConfigMap', name: 'never-there', uid: randomUUID() });
  await eventually(async () => expect((await api.get(`${configMaps}/marker`)).status).toBe(404));
  expect((await api.get(`${configMaps}/kept`)).status).toBe(200);
});
