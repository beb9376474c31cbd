// Sentences of the specification about collections, chunks, versions and watches, in both dialects.

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { zeroRevision } from '../../src/meta/revision.ts';
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { expectShortTurns } from '../../src/testing/processor-time.ts';
import { type Answer, type Api, apiOf, configMap } from './api.ts';
import { credentialsOf } from './credentials.ts';
import { dialects } from './dialects.ts';

interface Event {
  readonly type: string;
  readonly object: { readonly kind: string; readonly metadata: Record<string, string>; readonly data?: object };
}

/** The events of a watch: each line is one document. */
async function* eventsOf(server: Server, path: string): AsyncGenerator<Event, undefined> {
  const response = await server.fetch(path);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  let rest = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + Buffer.from(chunk).toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as Event;
  }
  return undefined;
}

async function take(events: AsyncGenerator<Event, undefined>, count: number): Promise<Event[]> {
  const taken: Event[] = [];
  while (taken.length < count) taken.push((await events.next()).value as Event);
  return taken;
}

const names = ({ body }: Answer) => body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
const brief = (events: readonly Event[]) => events.map(({ type, object }) => `${type} ${object.metadata['name']}`);

describe.each(dialects)('in the %s dialect', (dialect, { apiDomain, vendor }) => {
  let server: Server;
  let api: Api;
  let clock: FakeClock;
  beforeAll(async () => {
    clock = new FakeClock();
    server = await startTestServer({ listen: false, dialect, clock, controllers: [] });
    api = apiOf(server);
  });
  afterAll(() => server.close());

  /** A namespace with objects of these names. */
  async function filled(namespace: string, ...all: readonly string[]): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await api.post('/api/v1/namespaces', { metadata: { name: namespace } });
    for (const name of all) await api.post(path, configMap(name, {}, { labels: { of: 'list' } }));
    return path;
  }
  async function asTimePasses<T>(answer: Promise<T>): Promise<T> {
    let isOver = false;
    const over = answer.finally(() => {
      isOver = true;
    });
    for (; !isOver; await new Promise((resolve) => setImmediate(resolve))) clock.advance(100);
    return over;
  }
  const more = (body: { metadata: { continue: string } }) => `continue=${encodeURIComponent(body.metadata.continue)}`;

  describe('collections', () => {
    test('have the kind with List appended, their version and items of that kind', async () => {
      const path = await filled('plain', 'a', 'b');
      await api.post('/api/v1/namespaces/plain/secrets', { metadata: { name: 'c' } });
      const { body } = await api.get(path);
      expect([body.kind, body.apiVersion, typeof body.metadata.resourceVersion]).toEqual([
        'ConfigMapList',
        'v1',
        'string',
      ]);
      expect(names({ body } as Answer)).toEqual(['a', 'b']);
      // each is the object that a get shows, and no object of another kind is among them
      const alone = await Promise.all(['a', 'b'].map(async (name) => (await api.get(`${path}/${name}`)).body));
      expect(body.items.map((item: object) => ({ kind: 'ConfigMap', apiVersion: 'v1', ...item }))).toEqual(alone);
      // not in chunks: neither a token nor a count
      expect(Object.keys(body.metadata)).toEqual(['resourceVersion']);
      const leases = (await api.get('/apis/apps/v1/deployments')).body;
      expect([leases.kind, leases.apiVersion]).toEqual(['DeploymentList', 'apps/v1']);
    });

    test('come in chunks of one snapshot, with how many remain', async () => {
      const path = await filled('chunks', 'a', 'b', 'c', 'd', 'e');
      const first = (await api.get(`${path}?limit=2`)).body;
      await api.post(path, configMap('b-late'));
      await api.delete(`${path}/d`);
      const second = (await api.get(`${path}?limit=2&${more(first)}`)).body;
      const last = (await api.get(`${path}?limit=2&${more(second)}`)).body;
      const all = [first, second, last];
      expect(all.map((body) => names({ body } as Answer))).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
      expect(all.map(({ metadata }) => metadata.remainingItemCount)).toEqual([3, 1, undefined]);
      expect(all.map(({ metadata }) => Boolean(metadata.continue))).toEqual([true, true, false]);
      expect(new Set(all.map(({ metadata }) => metadata.resourceVersion)).size).toBe(1);
    });

    test('chosen by a selector have no count of what remains', async () => {
      const path = await filled('selected', 'a', 'b', 'c');
      for (const selector of ['labelSelector=of%3Dlist', 'fieldSelector=metadata.name!%3Dz']) {
        const { metadata } = (await api.get(`${path}?limit=1&${selector}`)).body;
        expect([Boolean(metadata.continue), metadata.remainingItemCount]).toEqual([true, undefined]);
      }
    });
  });

  describe('resourceVersion of a list', () => {
    /** What a list holds: an object as it is now (`new`) or as it was at the version (`old`), and whether its version is that. */
    async function state(path: string, query: string, version: string): Promise<unknown> {
      const { status, body } = await api.get(`${path}?${query.replace('RV', version)}`);
      if (status !== 200) return status;
      const [item] = body.items as { data: { v: string } }[];
      return [item?.data.v, body.metadata.resourceVersion === version ? 'exactly' : 'later'];
    }
    let path: string;
    let version: string;
    let token: string;
    let listed: string;
    beforeAll(async () => {
      path = await filled('cells');
      version = (await api.post(path, configMap('a', { v: 'old' }))).body.metadata.resourceVersion;
      await api.post(path, configMap('b', { v: 'other' }));
      const first = (await api.get(`${path}?limit=1`)).body;
      token = more(first);
      listed = first.metadata.resourceVersion;
      await api.patch('merge', `${path}/a`, { data: { v: 'new' } });
      await api.patch('merge', `${path}/b`, { data: { v: 'newer' } });
    });

    const now = ['new', 'later'];
    const exact = ['old', 'exactly'];
    const invalid = dialect === 'kubernetes' ? 422 : 400;
    test.each<[string, unknown]>([
      ['', now],
      ['resourceVersion=0', now],
      ['resourceVersion=RV', now],
      ['limit=9', now],
      ['limit=9&resourceVersion=0', now],
      ['limit=9&resourceVersion=RV', exact],
      ['resourceVersionMatch=Exact', invalid],
      ['resourceVersionMatch=Exact&resourceVersion=0', invalid],
      ['resourceVersionMatch=Exact&resourceVersion=RV', exact],
      ['resourceVersionMatch=Exact&limit=9', invalid],
      ['resourceVersionMatch=Exact&limit=9&resourceVersion=0', invalid],
      ['resourceVersionMatch=Exact&limit=9&resourceVersion=RV', exact],
      ['resourceVersionMatch=NotOlderThan', invalid],
      ['resourceVersionMatch=NotOlderThan&resourceVersion=0', now],
      ['resourceVersionMatch=NotOlderThan&resourceVersion=RV', now],
      ['resourceVersionMatch=NotOlderThan&limit=9', invalid],
      ['resourceVersionMatch=NotOlderThan&limit=9&resourceVersion=0', now],
      ['resourceVersionMatch=NotOlderThan&limit=9&resourceVersion=RV', now],
    ])('%s', async (query, expected) => {
      expect(await state(path, query, version)).toEqual(expected);
    });

    test('with a token it is that of the token, unset or 0; another is 400', async () => {
      for (const query of ['', '&resourceVersion=0']) {
        const { status, body } = await api.get(`${path}?limit=9&${token}${query}`);
        expect([status, body.items[0].data.v, body.metadata.resourceVersion]).toEqual([200, 'other', listed]);
      }
      expect((await api.get(`${path}?limit=9&${token}&resourceVersion=${version}`)).status).toBe(400);
    });

    test('with a token and version 0 a page keeps its limit where a list at any version does', async () => {
      const four = await filled('limited', 'a', 'b', 'c', 'd');
      const first = (await api.get(`${four}?limit=1`)).body;
      const answer = await api.get(`${four}?limit=2&resourceVersion=0&${more(first)}`);
      const { resourceVersion, continue: next } = answer.body.metadata;
      const page = dialect === 'kubernetes' ? [['b', 'c', 'd'], 'undefined'] : [['b', 'c'], 'string'];
      expect([names(answer), typeof next, resourceVersion]).toEqual([...page, first.metadata.resourceVersion]);
    });

    test('get: unset, 0 and another that is not newer give the object', async () => {
      for (const query of ['', '?resourceVersion=0', `?resourceVersion=${version}`])
        expect((await api.get(`${path}/a${query}`)).body.data).toEqual({ v: 'new' });
    });

    test('one that is too large is 504, with when to come back; a watch waits', async () => {
      const future = 'resourceVersion=987654321';
      for (const query of [`${path}?${future}`, `${path}/a?${future}`]) {
        const { status, headers, body } = await asTimePasses(api.get(query));
        expect([status, headers.get('retry-after'), body.message]).toEqual([
          504,
          '1',
          expect.stringContaining('Too large resource version'),
        ]);
      }
      const watch = eventsOf(server, `${path}?watch=1&timeoutSeconds=9&${future}`);
      const end = watch.next();
      await api.post(path, configMap('meanwhile'));
      // the stream ends with its time, and nothing was in it
      expect(await asTimePasses(end)).toEqual({ done: true, value: undefined });
    });
  });

  test.each(['', 'watch=0', 'watch=false'])('?%s is a list, and no watch', async (query) => {
    const path = await filled('listed', 'a');
    expect((await api.get(`${path}?${query}`)).body.kind).toBe('ConfigMapList');
  });

  describe('a watch', () => {
    test.each(['watch', 'watch=1', 'watch=true', 'watch=1&resourceVersion=0'])(
      '?%s begins with the state as ADDED events, then tells all later changes',
      async (query) => {
        const path = await filled(`state-${query.replaceAll(/\W/g, '-').toLowerCase()}`, 'a', 'b');
        const events = eventsOf(server, `${path}?${query}`);
        expect(brief(await take(events, 2)).sort()).toEqual(['ADDED a', 'ADDED b']);
        const made = await api.post(path, configMap('c', { v: '1' }));
        const changed = await api.patch('merge', `${path}/c`, { data: { v: '2' } });
        await api.delete(`${path}/c`);
        const changes = await take(events, 3);
        expect(brief(changes)).toEqual(['ADDED c', 'MODIFIED c', 'DELETED c']);
        // whole objects of the kind
        expect(changes.slice(0, 2).map(({ object }) => object)).toEqual([made.body, changed.body]);
        expect([changes[2]?.object.kind, changes[2]?.object.data]).toEqual(['ConfigMap', { v: '2' }]);
        await events.return(undefined);
      },
    );

    test('is a chunked stream, in which each change is a document that is sent when it is made', async () => {
      await using own = await startTestServer({ dialect, controllers: [] });
      const { ca, cert, key } = credentialsOf(own.kubeconfig);
      const path = '/api/v1/namespaces/default/configmaps';
      const from = (await apiOf(own).get(path)).body.metadata.resourceVersion;
      const sent = request(`${own.url}${path}?watch=1&resourceVersion=${from}`, { ca, cert, key, agent: false });
      sent.end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      const { 'transfer-encoding': coding, 'content-length': length, 'content-type': type } = response.headers;
      expect([response.statusCode, coding, length, type]).toEqual([200, 'chunked', undefined, 'application/json']);
      const chunks = response[Symbol.asyncIterator]();
      for (const name of ['one', 'two']) {
        // a document is here before the next change is made
        await apiOf(own).post(path, configMap(name));
        const text = String((await chunks.next()).value);
        expect(text).toMatch(/^[^\n]+\n$/);
        expect(JSON.parse(text)).toMatchObject({ type: 'ADDED', object: { kind: 'ConfigMap', metadata: { name } } });
      }
      sent.destroy();
    });

    test('from a version tells only what came after it, and goes on where another one ended', async () => {
      const path = await filled('after', 'before');
      const from = (await api.get(path)).body.metadata.resourceVersion;
      for (const name of ['one', 'two']) await api.post(path, configMap(name));
      const first = eventsOf(server, `${path}?watch=1&resourceVersion=${from}`);
      const [seen] = await take(first, 1);
      expect(brief([seen as Event])).toEqual(['ADDED one']);
      await first.return(undefined);
      const second = eventsOf(server, `${path}?watch=1&resourceVersion=${seen?.object.metadata['resourceVersion']}`);
      await api.delete(`${path}/one`);
      expect(brief(await take(second, 2))).toEqual(['ADDED two', 'DELETED one']);
      await second.return(undefined);
    });

    test('has bookmarks where they are asked for, which carry a version and say that all before it was sent', async () => {
      const path = await filled('marked');
      const from = (await api.get(path)).body.metadata.resourceVersion;
      const asked = eventsOf(server, `${path}?watch=1&resourceVersion=${from}&allowWatchBookmarks=true`);
      const plain = eventsOf(server, `${path}?watch=1&resourceVersion=${from}`);
      const made = (await api.post(path, configMap('one'))).body;
      expect(brief([...(await take(asked, 1)), ...(await take(plain, 1))])).toEqual(['ADDED one', 'ADDED one']);
      clock.advance(60_000);
      const [mark] = await take(asked, 1);
      const { resourceVersion = '' } = mark?.object.metadata ?? {};
      expect(mark).toEqual({
        type: 'BOOKMARK',
        object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion } },
      });
      expect(Number(resourceVersion)).toBeGreaterThanOrEqual(Number(made.metadata.resourceVersion));
      await api.delete(`${path}/one`);
      expect(brief(await take(plain, 1))).toEqual(['DELETED one']);
      for (const events of [asked, plain]) await events.return(undefined);
    });
  });

  test('history, tokens and exact versions last five minutes, and are 410 then', async () => {
    const time = new FakeClock();
    await using own = await startTestServer({ listen: false, dialect, clock: time, controllers: [] });
    const other = apiOf(own);
    const path = '/api/v1/namespaces/default/configmaps';
    for (const name of ['a', 'b']) await other.post(path, configMap(name));
    const { body } = await other.get(`${path}?limit=1`);
    const version = `resourceVersion=${body.metadata.resourceVersion}`;
    const next = `${path}?limit=1&${more(body)}`;
    const exact = `${path}?resourceVersionMatch=Exact&${version}`;
    await other.post(path, configMap('c'));
    const begin = time.now();
    const minutes = () => (time.now() - begin) / 60_000;
    const watched = async () => {
      const events = eventsOf(own, `${path}?watch=1&${version}`);
      const [first] = await take(events, 1);
      await events.return(undefined);
      return first?.object.metadata['name'];
    };
    while ((await other.get(next)).status === 200) {
      if (minutes() < 5)
        expect([minutes(), (await other.get(exact)).status, await watched()]).toEqual([minutes(), 200, 'c']);
      time.advance(10_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(minutes()).toBeGreaterThanOrEqual(5);
    // history is forgotten every five minutes, up to where it was five minutes before
    expect(minutes()).toBeLessThanOrEqual(10.5);
    expect([(await other.get(next)).status, (await other.get(exact)).status]).toEqual([410, 410]);
    // what is newer can always be had, and a new list begins again
    const later = await other.get(`${path}?limit=1&resourceVersionMatch=NotOlderThan&${version}`);
    expect([later.status, names(await other.get(path))]).toEqual([200, ['a', 'b', 'c']]);
  });

  test('a list of thousands of objects lets others have their turn, in every form', async () => {
    const store = openMemoryStore();
    const text = 'x'.repeat(2000);
    for (let i = 0; i < 2000; i++) {
      const metadata = {
        name: `n${i}`,
        namespace: 'default',
        uid: `00000000-0000-4000-8000-${`${i}`.padStart(12, '0')}`,
      };
      const value = Buffer.from(JSON.stringify({ ...configMap('', { text }), metadata }));
      await store.commit({ key: `/configmaps/default/n${i}`, value, expected: zeroRevision });
    }
    await using large = await startTestServer({ listen: false, dialect, store, controllers: [] });
    await expectShortTurns(250, async () => {
      for (const accept of [
        'application/json',
        `application/json;as=Table;v=v1;g=meta.${apiDomain}`,
        `application/vnd.${vendor}.protobuf`,
      ]) {
        const answer = await large.fetch('/api/v1/configmaps', { headers: { accept } });
        expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(300_000);
      }
    });
  });

  test('without the gate APIListChunking a list is never in chunks', async () => {
    const options = { listen: false, dialect, controllers: [], featureGates: { APIListChunking: false } };
    await using whole = await startTestServer(options);
    const { body } = await apiOf(whole).get('/api/v1/namespaces?limit=1');
    expect([body.items.length > 1, Object.keys(body.metadata)]).toEqual([true, ['resourceVersion']]);
  });
});
