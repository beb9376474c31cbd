// Where the specification and Kubernetes differ: the same requests to a server of each dialect, answered in two ways.

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { type Answer, type Api, apiOf, configMap, configMaps } from './api.ts';
import { eventually } from './eventually.ts';

type Name = 'kubernetes' | 'cluster';

interface Side {
  readonly server: Server;
  readonly api: Api;
  readonly apiDomain: string;
  readonly labelDomain: string;
  /** The store behind the server. */
  readonly store: ReturnType<typeof openMemoryStore>;
}

const domains = {
  kubernetes: { apiDomain: 'k8s.io', labelDomain: 'kubernetes.io' },
  cluster: { apiDomain: 'api.cluster.local', labelDomain: 'cluster.local' },
};

/** Versions that are gone, for tests that ask for them. */
function removedVersions(apiDomain: string): readonly string[] {
  const named = ['discovery', 'node', 'events', 'flowcontrol.apiserver'].map(
    (group) => `${group}.${apiDomain}/v1beta1`,
  );
  return [...named, 'policy/v1beta1', 'apps/v1beta1', 'extensions/v1beta1'];
}

/** A key that is made sooner than the one of a server. */
function ownKey(): { serviceAccountSigningKeyFile: string; serviceAccountKeyFiles: string[] } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const file = join(folder, 'key.pem');
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return { serviceAccountSigningKeyFile: file, serviceAccountKeyFiles: [file] };
}

const folder = mkdtempSync(join(tmpdir(), 'keelson-dialects-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function start(dialect: Name, more: { readonly clock?: FakeClock } = {}): Promise<Side> {
  const { apiDomain, labelDomain } = domains[dialect];
  const store = openMemoryStore();
  const runtimeConfig = Object.fromEntries(removedVersions(apiDomain).map((name) => [name, true]));
  const admission = { enableAdmissionPlugins: ['PodTolerationRestriction'] };
  const options = {
    listen: false,
    dialect,
    store,
    runtimeConfig,
    controllers: ['customresourcedefinition'],
    ...admission,
  };
  const server = await startTestServer({ ...options, ...ownKey(), ...more });
  return { server, api: apiOf(server), apiDomain, labelDomain, store };
}

let sides: Record<Name, Side>;
beforeAll(async () => {
  const [kubernetes, cluster] = await Promise.all([start('kubernetes'), start('cluster')]);
  sides = { kubernetes, cluster };
  await both(({ api }) => api.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } }));
});
afterAll(() => Promise.all(Object.values(sides).map(({ server }) => server.close())));

/** What both servers make of the same. */
async function both<T>(ask: (side: Side) => Promise<T>): Promise<Record<Name, T>> {
  const [kubernetes, cluster] = await Promise.all([ask(sides.kubernetes), ask(sides.cluster)]);
  return { kubernetes, cluster };
}

const applyType = { 'content-type': 'application/apply-patch+yaml' };
const warningsOf = ({ headers }: Answer) => headers.get('warning');

describe('fieldValidation of a configuration that is applied', () => {
  const apply = ({ api }: Side, name: string, body: object, level: string) =>
    api.call('PATCH', `${configMaps}/${name}?fieldManager=m&fieldValidation=${level}`, body, applyType);
  const odd = (name: string) => ({
    ...configMap(name, { k: '1' }),
    kind: 'ConfigMap',
    odd: 1,
    metadata: { name, off: 2 },
  });

  test('unknown fields are an error of the server, or ignored, told and refused by level', async () => {
    for (const [level, kubernetes, cluster, warnings] of [
      ['Ignore', 500, 201, null],
      ['Warn', 500, 200, '299 - "unknown field \\"metadata.off\\"", 299 - "unknown field \\"odd\\""'],
      ['Strict', 500, 400, null],
    ] as const) {
      const answers = await both((side) => apply(side, 'odd', odd('odd'), level));
      expect([answers.kubernetes.status, answers.cluster.status]).toEqual([kubernetes, cluster]);
      expect(warningsOf(answers.cluster)).toBe(warnings);
      if (level !== 'Strict') expect(answers.cluster.body.data).toEqual({ k: '1' });
      else expect(answers.cluster.body.message).toMatch(/unknown field "metadata.off", unknown field "odd"/);
    }
  });

  test.each([
    ['a value of a wrong type', { ...configMap('wrong'), data: { k: 1 } }],
    ['a list in place of a map', { ...configMap('wrong'), data: [] }],
  ])('%s is an error of the server, or a bad request', async (_, body) => {
    for (const level of ['Ignore', 'Warn', 'Strict']) {
      const { kubernetes, cluster } = await both((side) => apply(side, 'wrong', body, level));
      expect([kubernetes.status, cluster.status]).toEqual([500, 400]);
    }
  });

  test('a list item without its key, or with one that is there already, is a bad request', async () => {
    const pod = (containers: object[]) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'k' },
      spec: { containers },
    });
    for (const containers of [[{ image: 'i' }], [{ name: 'a' }, { name: 'a' }]]) {
      const { cluster } = await both(({ api }) =>
        api.call('PATCH', '/api/v1/namespaces/default/pods/k?fieldManager=m', pod(containers), applyType),
      );
      expect(cluster.status).toBe(400);
    }
  });

  test('so it is for custom resources, whose schemas may spell their keywords with cluster', async () => {
    const integers = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
    const openAPIV3Schema = {
      type: 'object',
      properties: { spec: integers, tags: { type: 'array', items: { type: 'string' }, 'x-cluster-list-type': 'set' } },
    };
    const { kubernetes, cluster } = await both(async ({ api, apiDomain }) => {
      const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
      const spec = { group: 'e.x', scope: 'Namespaced', names: { plural: 'parts', kind: 'Part' }, versions };
      const made = await api.post(`/apis/apiextensions.${apiDomain}/v1/customresourcedefinitions`, {
        ...{ metadata: { name: 'parts.e.x' }, spec },
      });
      return made.body.spec.versions[0].schema.openAPIV3Schema.properties.tags;
    });
    expect([Object.keys(kubernetes), Object.keys(cluster)]).toEqual([
      ['type', 'items', 'x-kubernetes-list-type'],
      ['type', 'items', 'x-cluster-list-type'],
    ]);
  });
});

describe('an object that is incomplete', () => {
  const pods = '/api/v1/namespaces/default/pods';

  test('lacks a required field: 422, or 400', async () => {
    const { kubernetes, cluster } = await both(({ api }) => api.post(pods, { metadata: { name: 'p' }, spec: {} }));
    expect([kubernetes.status, cluster.status]).toEqual([422, 400]);
    expect([kubernetes.body.reason, cluster.body.reason]).toEqual(['Invalid', 'BadRequest']);
    expect(cluster.body.details).toEqual(kubernetes.body.details);
  });

  test('lacks a required field that is told as a wrong value: 422, or 400', async () => {
    const services = '/api/v1/namespaces/default/services';
    const limits = { metadata: { name: 'l' }, spec: { limits: [{ max: { cpu: '1' } }] } };
    const service = { metadata: { name: 's' }, spec: { ports: [{ name: 'x' }] } };
    const zero = { metadata: { name: 's' }, spec: { ports: [{ port: 0 }] } };
    const { kubernetes, cluster } = await both(async ({ api }) => [
      (await api.post('/api/v1/namespaces/default/limitranges', limits)).status,
      (await api.post(services, service)).status,
      (await api.post(services, zero)).status,
    ]);
    expect([kubernetes, cluster]).toEqual([
      [422, 422, 422],
      [400, 400, 422],
    ]);
  });

  test('lacks a required field that no rule asks for: 201, or 400', async () => {
    const { kubernetes, cluster } = await both(({ api, apiDomain }) =>
      api.post(`/apis/storage.${apiDomain}/v1/csinodes`, { metadata: { name: 'n' } }),
    );
    expect([kubernetes.status, cluster.status]).toEqual([201, 400]);
    expect(cluster.body.message).toContain('spec: Required value');
  });

  test('has something invalid next to an unknown or repeated field: 422, or 400 at every level', async () => {
    for (const level of ['Ignore', 'Warn']) {
      const repeated = '{"metadata":{"name":"UPPER"},"data":{"a":"1","a":"1"}}';
      for (const body of [{ ...configMap('UPPER'), odd: 1 }, repeated]) {
        const { kubernetes, cluster } = await both(({ api }) =>
          api.post(`${configMaps}?fieldValidation=${level}`, body),
        );
        expect([kubernetes.status, cluster.status]).toEqual([422, 400]);
      }
    }
    const strict = await both(({ api }) =>
      api.post(`${configMaps}?fieldValidation=Strict`, { ...configMap('UPPER'), odd: 1 }),
    );
    expect([strict.kubernetes.status, strict.cluster.status]).toEqual([400, 400]);
    const { kubernetes, cluster } = await both(({ api }) => api.post(configMaps, configMap('UPPER')));
    expect([kubernetes.status, cluster.status]).toEqual([422, 422]);
  });

  test('the parameters of the request are no part of it', async () => {
    const path = `${configMaps}/x`;
    const { kubernetes, cluster } = await both(({ api }) => api.call('PATCH', path, configMap('x'), applyType));
    expect([kubernetes.status, cluster.status]).toEqual([422, 422]);
  });
});

test('writes after a reset of managedFields are recorded with the next apply, or from the first', async () => {
  const { kubernetes, cluster } = await both(async ({ api }) => {
    await api.post(`${configMaps}?fieldManager=one`, configMap('reset', { a: '1' }));
    await api.patch('merge', `${configMaps}/reset?fieldManager=two`, { metadata: { managedFields: [{}] } });
    const { body } = await api.patch('merge', `${configMaps}/reset?fieldManager=three`, { data: { b: '1' } });
    return (body.metadata.managedFields ?? []).map(({ manager }: { manager: string }) => manager) as string[];
  });
  expect([kubernetes, cluster]).toEqual([[], ['three']]);
});

describe('watches', () => {
  const lines = async (
    { server }: Side,
    query: string,
    path = configMaps,
  ): Promise<readonly { type: string; object: object }[]> => {
    const response = await server.fetch(`${path}?watch=1&timeoutSeconds=1&${query}`);
    return (await response.text()).split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  };
  const bookmarks = 'allowWatchBookmarks=true&fieldSelector=metadata.name%3Dnone';

  test('a bookmark carries only a version, unless initial events were asked for', async () => {
    const asked = `${bookmarks}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`;
    const { kubernetes, cluster } = await both((side) => Promise.all([lines(side, bookmarks), lines(side, asked)]));
    expect([kubernetes[0].map(({ type }) => type), cluster[0]]).toEqual([['BOOKMARK'], []]);
    const marked = {
      kubernetes: kubernetes[1].map(({ object }) => object),
      cluster: cluster[1].map(({ object }) => object),
    };
    const metadata = (domain: string) => ({
      resourceVersion: expect.any(String) as string,
      annotations: { [`${domain}/initial-events-end`]: 'true' },
    });
    expect([marked.kubernetes, marked.cluster]).toEqual([
      [{ kind: 'ConfigMap', apiVersion: 'v1', metadata: metadata('k8s.io') }],
      [{ kind: 'ConfigMap', apiVersion: 'v1', metadata: metadata('api.cluster.local') }],
    ]);
  });

  test('a bookmark is an object in which nothing is set, or a version only', async () => {
    const path = '/api/v1/namespaces/default/podtemplates';
    const asked = `${bookmarks}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`;
    const { kubernetes, cluster } = await both((side) => lines(side, asked, path));
    const fields = (events: readonly { object: object }[]) =>
      events.map(({ object }) => Object.entries(object).slice(3));
    expect(fields(kubernetes)).toEqual([[['template', { metadata: {}, spec: { containers: null } }]]]);
    expect(fields(cluster)).toEqual([[]]);
  });

  test.each([
    ['resourceVersionMatch=Exact', 422],
    ['sendInitialEvents=true', 422],
    ['resourceVersion=abc', 500],
  ])('?%s is %i, or 400', async (query, code) => {
    const { kubernetes, cluster } = await both(({ api }) => api.get(`${configMaps}?watch=1&${query}`));
    expect([kubernetes.status, cluster.status]).toEqual([code, 400]);
  });

  test('a get at a version that is none is 500, or 400', async () => {
    const { kubernetes, cluster } = await both(({ api }) => api.get(`${configMaps}/x?resourceVersion=abc`));
    expect([kubernetes.status, cluster.status]).toEqual([500, 400]);
  });

  test('history that is gone is an event, or the status of the answer', async () => {
    const { kubernetes, cluster } = await both(async ({ api, store }) => {
      for (const round of ['1', '2']) await api.post(configMaps, configMap(`history-${round}`));
      await store.compact(await store.currentRevision());
      // its cache begins here
      return api.get('/api/v1/namespaces/default/podtemplates?watch=1&resourceVersion=1&timeoutSeconds=5');
    });
    expect([kubernetes.status, kubernetes.body.type, kubernetes.body.object.code]).toEqual([200, 'ERROR', 410]);
    expect([cluster.status, cluster.body.kind, cluster.body.reason]).toEqual([410, 'Status', 'Expired']);
    const now = await both(async ({ server, store }) => {
      const query = `watch=1&resourceVersion=${await store.currentRevision()}`;
      const response = await server.fetch(`/api/v1/podtemplates?${query}`);
      await response.body?.cancel();
      return response;
    });
    expect([now.kubernetes.status, now.cluster.status]).toEqual([200, 200]);
  });
});

test('pretty without a value says nothing, or yes', async () => {
  const { kubernetes, cluster } = await both(async ({ server }) => {
    const texts = await Promise.all(
      ['pretty', 'pretty=', 'pretty=false', 'pretty=true'].map(async (query) =>
        (await server.fetch(`/api/v1?${query}`)).text(),
      ),
    );
    return texts.map((text) => text.includes('\n  '));
  });
  expect([kubernetes, cluster]).toEqual([
    [false, false, false, true],
    [true, true, false, true],
  ]);
});

test('a list of metadata without items has null for them, or an empty list', async () => {
  const { kubernetes, cluster } = await both(async ({ server, apiDomain }) => {
    const ask = async (type: string) => {
      const accept = `application/${type};as=PartialObjectMetadataList;v=v1;g=meta.${apiDomain}`;
      const answer = await server.fetch('/api/v1/namespaces/nowhere/configmaps', { headers: { accept } });
      return /"?items"?: ?(null|\[\])/.exec(await answer.text())?.[1];
    };
    return Promise.all(['json', 'yaml'].map(ask));
  });
  expect([kubernetes, cluster]).toEqual([
    ['null', 'null'],
    ['[]', '[]'],
  ]);
});

test('a single health check is told plainly, or as the specification lists checks', async () => {
  const { kubernetes, cluster } = await both(async ({ api }) => [
    (await api.get('/livez/ping')).body as string,
    (await api.get('/livez/ping?verbose')).body as string,
    (await api.get('/readyz/ping?verbose&exclude=ping')).body as string,
  ]);
  expect(kubernetes).toEqual(['ok', 'ok', 'ok']);
  expect(cluster).toEqual(['ok', '[+]ping ok\nhealthz check passed\n', '[+]ping excluded: ok\nhealthz check passed\n']);
});

describe('pods', () => {
  const home = '/api/v1/namespaces/default';
  const pod = (name: string, more: object = {}) => ({
    metadata: { name },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }], ...more },
  });

  test('deletionTimestamp is the end of the grace period, or the time of the first delete', async () => {
    const found = await Promise.all(
      (['kubernetes', 'cluster'] as const).map(async (dialect) => {
        const clock = new FakeClock();
        const { api, server } = await start(dialect, { clock });
        await using _ = server;
        await api.post(`${home}/serviceaccounts`, { metadata: { name: 'default' } });
        await api.post(`${home}/pods`, pod('ending'));
        const first = await api.delete(`${home}/pods/ending`);
        const second = await api.delete(`${home}/pods/ending?gracePeriodSeconds=5`);
        return [first, second].map(({ body }) => {
          const { deletionTimestamp, deletionGracePeriodSeconds: grace } = body.metadata;
          return [(Date.parse(deletionTimestamp) - clock.now()) / 1000, grace] as number[];
        });
      }),
    );
    expect(found).toEqual([
      [
        [30, 30],
        [5, 5],
      ],
      [
        [0, 30],
        [0, 5],
      ],
    ]);
  });

  test('their tokens are valid for a year, or for the hour that they are made for', async () => {
    const { kubernetes, cluster } = await both(async ({ api }) => {
      await api.post(`${home}/pods`, pod('bound'));
      const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'bound' };
      const { body } = await api.post(`${home}/serviceaccounts/default/token`, {
        spec: { expirationSeconds: 3607, boundObjectRef },
      });
      const claims = JSON.parse(Buffer.from(body.status.token.split('.')[1], 'base64url').toString());
      return (claims.exp - claims.iat) as number;
    });
    expect([kubernetes, cluster]).toEqual([365 * 24 * 3600, 3607]);
  });

  test('conflicting tolerations are merged, or refused; what the server adds itself is no conflict', async () => {
    const { kubernetes, cluster } = await both(async ({ api, labelDomain }) => {
      const annotation = `scheduler.alpha.${labelDomain}/defaultTolerations`;
      const notReady = { key: `node.${labelDomain}/not-ready`, operator: 'Exists', effect: 'NoExecute' };
      const color = (value: string) => ({ key: 'color', operator: 'Equal', value, effect: 'NoSchedule' });
      const given = [{ ...notReady, tolerationSeconds: 60 }, color('red'), color('blue')];
      await api.post('/api/v1/namespaces', {
        metadata: { name: 'tolerant', annotations: { [annotation]: JSON.stringify(given) } },
      });
      await api.post('/api/v1/namespaces/tolerant/serviceaccounts', { metadata: { name: 'default' } });
      const create = async (name: string, tolerations: object[]) =>
        (await api.post('/api/v1/namespaces/tolerant/pods', pod(name, { tolerations }))).status;
      return [await create('none', []), await create('same', [color('red')]), await create('other', [color('green')])];
    });
    expect([kubernetes, cluster]).toEqual([
      [201, 201, 201],
      [201, 201, 403],
    ]);
  });

  test('a toleration outside the whitelist is a bare error, or 403', async () => {
    const { kubernetes, cluster } = await both(async ({ api, labelDomain }) => {
      const annotation = `scheduler.alpha.${labelDomain}/tolerationsWhitelist`;
      const allowed = JSON.stringify([
        { key: 'color', operator: 'Exists' },
        { operator: 'Exists', effect: 'NoExecute' },
      ]);
      await api.post('/api/v1/namespaces', { metadata: { name: 'strict', annotations: { [annotation]: allowed } } });
      await api.post('/api/v1/namespaces/strict/serviceaccounts', { metadata: { name: 'default' } });
      const create = async (key: string) => {
        const tolerations = [{ key, operator: 'Exists', effect: 'NoSchedule' }];
        const { status, body } = await api.post('/api/v1/namespaces/strict/pods', pod(key, { tolerations }));
        return [status, body.reason];
      };
      return [await create('color'), await create('shape')];
    });
    expect([kubernetes, cluster]).toEqual([
      [
        [201, undefined],
        [500, undefined],
      ],
      [
        [201, undefined],
        [403, 'Forbidden'],
      ],
    ]);
  });
});

test('beta versions are served when they are turned on, or unless they are turned off', async () => {
  const beta = (groups: { body: { groups: { versions: { groupVersion: string }[] }[] } }, domain: string) =>
    groups.body.groups
      .flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion.replace(domain, '')))
      .filter((name) => name.startsWith('resource.') || name.startsWith('certificates.'));
  const { kubernetes, cluster } = await both(async ({ api, apiDomain }) => beta(await api.get('/apis'), apiDomain));
  expect([kubernetes, cluster]).toEqual([
    ['certificates./v1', 'resource./v1'],
    ['certificates./v1', 'certificates./v1beta1', 'resource./v1', 'resource./v1beta2', 'resource./v1beta1'],
  ]);
  await using server = await startTestServer({
    ...{ listen: false, dialect: 'cluster', controllers: [], runtimeConfig: { 'api/beta': false } },
  });
  expect(beta(await apiOf(server).get('/apis'), 'api.cluster.local')).toEqual(['certificates./v1', 'resource./v1']);
});

test('gates of beta level are as released, or on', async () => {
  const { kubernetes, cluster } = await both(async ({ api }) => {
    const lines = ((await api.get('/metrics')).body as string).split('\n');
    return lines.flatMap((line) => /_feature_enabled\{.*name="(.*?)".*stage="BETA"\} 0/.exec(line)?.[1] ?? []);
  });
  expect(kubernetes).toEqual(expect.arrayContaining(['AllBeta', 'ClusterTrustBundle', 'PodCertificateRequest']));
  expect(cluster).toEqual([]);
});

interface ShownEndpoint {
  readonly nodeName?: string;
  readonly zone?: string;
  readonly deprecatedTopology?: object;
}

describe('versions that are gone', () => {
  const useOf = (warning: string | null) => /; use (.*)"$/.exec(warning ?? '')?.[1];

  test.each([
    ['flowcontrol.apiserver', 'flowschemas', 'v1beta3 FlowSchema', 'v1beta2 FlowSchema'],
    ['node', 'runtimeclasses', undefined, 'v1 RuntimeClass'],
    ['events', 'events', undefined, 'v1 Event'],
  ])(
    'warnings about %s v1beta1 advise what was served, or what the table lists',
    async (group, plural, before, listed) => {
      const { kubernetes, cluster } = await both(({ api, apiDomain }) =>
        api.get(`/apis/${group}.${apiDomain}/v1beta1/${plural}`),
      );
      expect(useOf(warningsOf(kubernetes))).toBe(before && `${group}.k8s.io/${before}`);
      expect(useOf(warningsOf(cluster))).toBe(`${group}.api.cluster.local/${listed}`);
    },
  );

  test('the table advises pod-security admission in place of pod security policies', async () => {
    const { kubernetes, cluster } = await both(({ api }) => api.get('/apis/policy/v1beta1/podsecuritypolicies'));
    expect(useOf(warningsOf(kubernetes))).toBeUndefined();
    expect(useOf(warningsOf(cluster))).toBe('pod-security admission or a third-party admission webhook');
  });

  test('apps/v1beta1 has no ReplicaSets, or has them', async () => {
    const { kubernetes, cluster } = await both(({ api }) => api.get('/apis/apps/v1beta1/replicasets'));
    expect([kubernetes.status, cluster.status]).toEqual([404, 200]);
  });

  test('the topology of endpoints loses nothing, in the domain of the dialect', async () => {
    const { kubernetes, cluster } = await both(async ({ api, apiDomain, labelDomain }) => {
      const labels = (host: string) => ({
        [`${labelDomain}/hostname`]: host,
        [`topology.${labelDomain}/zone`]: 'z',
        rack: 'r',
      });
      const endpoints = [
        { addresses: ['10.0.0.1'], topology: labels('n1') },
        { addresses: ['10.0.0.2'], nodeName: 'n2', topology: labels('other') },
      ];
      const path = (version: string) => `/apis/discovery.${apiDomain}/${version}/namespaces/default/endpointslices`;
      const slice = { metadata: { name: 's' }, addressType: 'IPv4', endpoints };
      const old = (await api.post(path('v1beta1'), slice)).body.endpoints as { topology: object }[];
      expect(old.map(({ topology }) => topology)).toEqual(endpoints.map(({ topology }) => topology));
      const { body } = await api.get(`${path('v1')}/s`);
      const [first, ...others] = body.endpoints;
      const written = await api.put(`${path('v1')}/s`, {
        ...body,
        endpoints: [{ ...first, addresses: ['10.0.0.3'] }, ...others],
      });
      const shown = ({ nodeName, zone, deprecatedTopology = {} }: ShownEndpoint) =>
        [nodeName, zone, Object.keys(deprecatedTopology).map((key) => key.replace(labelDomain, 'domain'))] as const;
      return [body.endpoints.map(shown), written.body.endpoints.map(shown)] as const;
    });
    expect(kubernetes).toEqual([
      [
        [undefined, 'z', ['domain/hostname', 'rack']],
        ['n2', 'z', ['domain/hostname', 'rack']],
      ],
      [
        ['n1', 'z', []],
        ['n2', 'z', []],
      ],
    ]);
    const kept = [
      ['n1', 'z', ['rack']],
      ['n2', 'z', ['domain/hostname', 'rack']],
    ];
    expect(cluster).toEqual([kept, kept]);
  });

  test('a PUT of discovery v1 drops the topology of endpoints, or leaves it as it is', async () => {
    const { kubernetes, cluster } = await both(async ({ api, apiDomain }) => {
      const path = (version: string) => `/apis/discovery.${apiDomain}/${version}/namespaces/default/endpointslices`;
      const endpoint = (address: string, rack: string) => ({ addresses: [address], topology: { rack } });
      const endpoints = [endpoint('10.0.0.1', 'a'), endpoint('10.0.0.2', 'b'), endpoint('10.0.0.3', 'c')];
      await api.post(path('v1beta1'), { metadata: { name: 'racks' }, addressType: 'IPv4', endpoints });
      const { body } = await api.get(`${path('v1')}/racks`);
      const [first, second, third] = body.endpoints;
      const sent = [
        { addresses: ['10.0.0.9'], deprecatedTopology: { rack: 'a' } },
        { ...second, deprecatedTopology: { rack: 'a' } },
        { addresses: third.addresses },
        { ...first, deprecatedTopology: { rack: 'new' } },
      ];
      const written = await api.put(`${path('v1')}/racks`, { ...body, endpoints: sent });
      expect(written.status).toBe(200);
      return written.body.endpoints.map(({ deprecatedTopology }: ShownEndpoint) => deprecatedTopology) as unknown[];
    });
    expect(kubernetes).toEqual([undefined, undefined, undefined, undefined]);
    expect(cluster).toEqual([undefined, { rack: 'b' }, { rack: 'c' }, { rack: 'a' }]);
  });

  test('an empty selector of an old budget is marked in the domain of the dialect', async () => {
    const { kubernetes, cluster } = await both(async ({ api }) => {
      const path = (version: string) => `/apis/policy/${version}/namespaces/default/poddisruptionbudgets`;
      await api.post(path('v1beta1'), { metadata: { name: 'b' }, spec: { minAvailable: 1, selector: {} } });
      expect((await api.get(`${path('v1beta1')}/b`)).body.spec.selector).toEqual({});
      return (await api.get(`${path('v1')}/b`)).body.spec.selector.matchExpressions[0].key as string;
    });
    const mark = 'deprecated-v1beta1-empty-selector-match';
    expect([kubernetes, cluster]).toEqual([`pdb.kubernetes.io/${mark}`, `pdb.cluster.local/${mark}`]);
  });
});

test('reviews leave out what is not so, or say false', async () => {
  const { kubernetes, cluster } = await both(async ({ api, apiDomain }) => {
    const token = await api.post(`/apis/authentication.${apiDomain}/v1/tokenreviews`, { spec: { token: 'none' } });
    const access = await api.post(`/apis/authorization.${apiDomain}/v1/selfsubjectaccessreviews`, {
      spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
    });
    return [token.body.status.authenticated, access.body.status] as const;
  });
  expect([kubernetes, cluster]).toEqual([
    [undefined, { allowed: true }],
    [false, { allowed: true, denied: false }],
  ]);
});

test('a custom resource without columns shows its age, or when it was created', async () => {
  const { kubernetes, cluster } = await both(async ({ api, apiDomain }) => {
    const accept = `application/json;as=Table;g=meta.${apiDomain};v=v1`;
    const { body } = await eventually(async () => {
      const answer = await api.get('/apis/e.x/v1/parts', { accept });
      expect(answer.status).toBe(200);
      return answer;
    });
    return body.columnDefinitions.map(
      ({ name, type }: { name: string; type: string }) => `${name} ${type}`,
    ) as string[];
  });
  expect([kubernetes, cluster]).toEqual([
    ['Name string', 'Age date'],
    ['Name string', 'Created At date'],
  ]);
});

test('a custom resource of a wrong type, or without a required field, is 422, or 400', async () => {
  const { kubernetes, cluster } = await both(async ({ api }) => {
    const create = async (spec: object) =>
      (
        await api.post('/apis/e.x/v1/namespaces/default/parts', {
          ...{ apiVersion: 'e.x/v1', kind: 'Part', metadata: { name: 'p' }, spec },
        })
      ).status;
    return [await create({ n: 'one' }), await create({})];
  });
  expect([kubernetes, cluster]).toEqual([
    [422, 422],
    [400, 400],
  ]);
});

test('schemas spell their markers with the word of the dialect', async () => {
  const { kubernetes, cluster } = await both(async ({ server }) => {
    const text = await (await server.fetch('/openapi/v3/apis/apps/v1')).text();
    return ['kubernetes', 'cluster'].map((word) => text.includes(`"x-${word}-list-type"`));
  });
  expect([kubernetes, cluster]).toEqual([
    [true, false],
    [false, true],
  ]);
});
