// Discovery, OpenAPI, health, version and metrics (spec: Groups and enabling, Health endpoints).

import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
});
afterAll(() => server.close());

describe('discovery', () => {
  test('lists versions, groups and resources', async () => {
    expect((await api.get('/api')).body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    const { groups } = (await api.get('/apis')).body;
    const names = groups.map((group: { name: string }) => group.name);
    expect(names).toEqual(expect.arrayContaining(['apps', 'batch', 'coordination.k8s.io']));
    expect(names.indexOf('apps')).toBeLessThan(names.indexOf('batch'));
    expect((await api.get('/apis/coordination.k8s.io')).body).toMatchObject({
      kind: 'APIGroup',
      preferredVersion: { version: 'v1' },
    });
    const core = (await api.get('/api/v1')).body;
    const named = core.resources.map((resource: { name: string }) => resource.name);
    expect(named).toEqual([...named].sort());
    expect(named).toEqual(expect.arrayContaining(['configmaps', 'namespaces/finalize', 'pods', 'services/status']));
    const scale = core.resources.find(({ name }: { name: string }) => name === 'replicationcontrollers/scale');
    expect(scale).toMatchObject({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
    expect(core.resources[named.indexOf('configmaps')]).toEqual({
      name: 'configmaps',
      singularName: 'configmap',
      namespaced: true,
      kind: 'ConfigMap',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['cm'],
      storageVersionHash: 'qFsyl6wFWjQ=',
    });
  });

  test('comes aggregated with an ETag', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
    const first = await api.get('/apis', { accept });
    expect(first.headers.get('content-type')).toBe(
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    );
    const apps = first.body.items.find((item: { metadata: { name: string } }) => item.metadata.name === 'apps');
    expect(apps.versions[0].resources[0]).toMatchObject({ resource: 'controllerrevisions', scope: 'Namespaced' });
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
    const known = await api.get('/apis', { accept, 'if-none-match': etag });
    expect([known.status, known.headers.get('content-type')]).toEqual([304, null]);
  });

  test('comes aggregated at the path without a slash only', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    expect((await api.get('/apis/', { accept })).status).toBe(406);
    expect((await api.get('/apis/', { accept: `${accept},application/json` })).body.kind).toBe('APIGroupList');
  });

  test('of the core group says in protobuf that it is of no version', async () => {
    for (const [path, kind] of [
      ['/api', 'APIVersions'],
      ['/api/v1', 'APIResourceList'],
    ] as const) {
      const answer = await server.fetch(path, { headers: { accept: 'application/vnd.kubernetes.protobuf' } });
      const text = Buffer.from(await answer.arrayBuffer()).toString('latin1');
      expect(text.slice(0, 10 + kind.length), path).toBe(
        `k8s\0\n${String.fromCharCode(kind.length + 4)}\n\0\x12${String.fromCharCode(kind.length)}${kind}`,
      );
    }
  });

  test('comes aggregated in other formats too, whatever else the client takes, and in one version', async () => {
    const as = (type: string, version = 'v2') => `${type};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
    const protobuf = await server.fetch('/apis', { headers: { accept: as('application/vnd.kubernetes.protobuf') } });
    expect(protobuf.headers.get('content-type')).toBe(as('application/vnd.kubernetes.protobuf'));
    const bytes = Buffer.from(await protobuf.arrayBuffer()).toString('latin1');
    expect(bytes.startsWith('k8s\0')).toBe(true);
    expect(bytes).toContain('controllerrevisions');
    const yaml = await api.get('/api', { accept: as('application/yaml') });
    expect(yaml.body).toMatch(/^apiVersion: apidiscovery.k8s.io\/v2\nitems:\n- metadata: \{\}\n {2}versions:\n/);
    expect((await api.get('/apis', { accept: `application/json, ${as('*/*')}` })).body.kind).toBe(
      'APIGroupDiscoveryList',
    );
    expect((await api.get('/apis', { accept: as('application/json', 'v2beta1') })).status).toBe(406);
    const older = `${as('application/json', 'v2beta1')},application/json`;
    expect((await api.get('/apis', { accept: older })).body.kind).toBe('APIGroupList');
  });

  test('is written in what the client takes', async () => {
    expect((await api.get('/apis/apps', { accept: 'application/yaml' })).body).toMatch(
      /^apiVersion: v1\nkind: APIGroup\n/,
    );
    expect(await api.get('/apis/apps/v1', { accept: 'text/html' })).toMatchObject({
      status: 406,
      body: { details: {} },
    });
    expect((await api.get('/apis', { accept: 'text/html' })).body.details).toBeUndefined();
  });

  test.each([
    ['/nope', 404, 'text/plain; charset=utf-8'],
    ['/apis/nope.example.org', 404, 'text/plain; charset=utf-8'],
    ['/apis/nope.example.org/v1/things', 404, 'text/plain; charset=utf-8'],
    ['/api/v2', 404, 'application/json'],
    ['/apis/coordination.k8s.io/v9', 404, 'application/json'],
    ['/api/v1/nothings', 404, 'application/json'],
    ['/api/v1/namespaces/default/namespaces', 404, 'application/json'],
    ['/api/v1/configmaps/one', 404, 'application/json'],
    ['/api/v1/namespaces/default/configmaps/a/log', 404, 'application/json'],
  ])('%s is answered with %i in %s', async (path, status, type) => {
    const answer = await api.get(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type]);
  });

  test.each([
    ['POST', '/api'],
    ['POST', '/version'],
    ['PUT', '/api/v1/namespaces/default/configmaps'],
    ['POST', '/api/v1/namespaces/default/configmaps/a'],
    ['POST', '/api/v1/configmaps'],
    ['DELETE', '/api/v1/namespaces'],
    ['OPTIONS', '/api/v1/namespaces/default/configmaps'],
    ['POST', '/api/v1/namespaces/default/status'],
  ])('%s %s is not allowed', async (method, path) => {
    const answer = await api.call(method, path, method === 'OPTIONS' ? undefined : {});
    expect(answer).toMatchObject({ status: 405, body: { kind: 'Status', reason: 'MethodNotAllowed' } });
  });
});

describe('OpenAPI', () => {
  test('3 describes each group-version, with the parameters that clients look for', async () => {
    const { paths } = (await api.get('/openapi/v3')).body;
    const url = paths['api/v1'].serverRelativeURL as string;
    expect(url).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{128}$/);
    const document = (await api.get(url)).body;
    const schema = document.components.schemas['io.k8s.api.core.v1.ConfigMap'];
    expect(schema['x-kubernetes-group-version-kind']).toEqual([{ group: '', kind: 'ConfigMap', version: 'v1' }]);
    const kindsOf = (name: string) =>
      document.components.schemas[`io.k8s.apimachinery.pkg.apis.meta.v1.${name}`]['x-kubernetes-group-version-kind'];
    for (const kind of ['Status', 'APIResourceList'])
      expect(kindsOf(kind)).toEqual([{ group: '', kind, version: 'v1' }]);
    for (const kind of ['DeleteOptions', 'WatchEvent']) {
      const names = kindsOf(kind).map((one: { group: string; version: string }) => `${one.group}/${one.version}`);
      expect(names.slice(0, 4)).toEqual(['/v1', 'admission.k8s.io/v1', 'admission.k8s.io/v1beta1', names[3]]);
      expect(names).toEqual([...names].sort());
      expect(names).toEqual(expect.arrayContaining(['apps/v1', 'storage.k8s.io/v1alpha1', 'extensions/v1beta1']));
      expect(kindsOf(kind)).toContainEqual({ group: 'batch', kind, version: 'v1' });
    }
    expect(schema.properties.data).toMatchObject({ type: 'object', additionalProperties: { type: 'string' } });
    const { patch } = document.paths['/api/v1/namespaces/{namespace}/configmaps/{name}'];
    expect(patch.parameters.map((parameter: { name: string }) => parameter.name)).toContain('fieldValidation');
    const referred = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/([\w.]+)/g)].map(
      ([, name]) => name as string,
    );
    expect(referred.filter((name) => document.components.schemas[name] === undefined)).toEqual([]);
  });

  test('documents have no empty lists: a client that reads one and writes it again gets the same', async () => {
    for (const url of ['/openapi/v3/apis/policy/v1', '/openapi/v3/api/v1', '/openapi/v2']) {
      const text = JSON.stringify((await api.get(url)).body);
      expect(text.match(/"[a-z-]+":\[\]/g) ?? [], url).toEqual([]);
    }
  });

  test('a document of OpenAPI describes what its operations are about, and nothing else', async () => {
    const namesIn = async (path: string) => {
      const { schemas } = (await api.get(`/openapi/v3/${path}`)).body.components;
      return Object.keys(schemas).map((name) => name.split('.').at(-1));
    };
    const forAll = ['Status', 'ListMeta', 'ShardInfo', 'DeleteOptions', 'Patch', 'WatchEvent'];
    expect(await namesIn('apis/apps/v1')).toEqual(expect.arrayContaining(forAll));
    for (const group of ['authentication', 'authorization'])
      expect((await namesIn(`apis/${group}.k8s.io/v1`)).filter((name) => forAll.includes(`${name}`))).toEqual([]);
    const typesOf = async (path: string) => {
      const { paths } = (await api.get(`/openapi/v3/${path}`)).body;
      return Object.keys(paths[`/${path}/`].get.responses['200'].content);
    };
    expect(await typesOf('openid/v1/jwks')).toEqual(['application/jwk-set+json']);
    expect(await typesOf('version')).toEqual(['application/json']);
  });

  test('3 sends who knows an older document to the current one, and knows nothing of other paths', async () => {
    const { paths } = (await api.get('/openapi/v3')).body;
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['api', 'apis', 'apis/apps', 'apis/apps/v1', 'version']));
    const url = paths['apis/apps/v1'].serverRelativeURL as string;
    const current = await api.get(url);
    expect(current.headers.get('cache-control')).toBe('public, immutable');
    const tag = current.headers.get('etag') ?? '';
    expect((await api.get(url, { 'if-none-match': `"other", W/${tag}` })).status).toBe(304);
    const modified = current.headers.get('last-modified') ?? '';
    for (const document of ['/openapi/v2', '/openapi/v3', url]) {
      expect((await api.get(document, { 'if-modified-since': new Date(Date.now() + 1000).toUTCString() })).status).toBe(
        304,
      );
      expect((await api.get(document, { 'if-match': '"other"' })).status).toBe(412);
    }
    expect((await api.get(url, { 'if-unmodified-since': modified, 'if-match': tag })).status).toBe(200);
    const older = await api.get('/openapi/v3/apis/apps/v1?hash=ABC');
    expect([older.status, older.headers.get('location')]).toEqual([301, url]);
    expect(await api.get('/openapi/v3/apis/nope/v1')).toMatchObject({ status: 404, body: '' });
    expect(await api.get(url, { accept: 'text/html' })).toMatchObject({ status: 406, body: '' });
    expect(await api.get('/openapi/v2', { accept: 'text/html' })).toMatchObject({ status: 406, body: '' });
  });

  test.each(['.', '@'])('3 comes as protobuf too, under the hash of the JSON (asked with %s)', async (separator) => {
    const { paths } = (await api.get('/openapi/v3')).body;
    const url = paths['apis/apps/v1'].serverRelativeURL as string;
    const accept = `application/com.github.proto-openapi.spec.v3${separator}v1.0+protobuf`;
    const binary = await server.fetch(url, { headers: { accept } });
    expect(binary.status).toBe(200);
    expect(binary.headers.get('content-type')).toBe('application/com.github.proto-openapi.spec.v3.v1.0+protobuf');
    expect(binary.headers.get('etag')).toBe((await api.get(url)).headers.get('etag'));
    // field 1, length-delimited, "3.0.0"
    const start = Buffer.from(await binary.arrayBuffer()).subarray(0, 7);
    expect(start.toString('latin1')).toBe('\n\u00053.0.0');
  });

  test.each([
    ['/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/roles', 'get', 'listRbacAuthorizationV1NamespacedRole'],
    ['/apis/apps/v1/deployments', 'get', 'listAppsV1DeploymentForAllNamespaces'],
    ['/apis/apps/v1/namespaces/{namespace}/deployments', 'delete', 'deleteAppsV1CollectionNamespacedDeployment'],
    ['/apis/apps/v1/namespaces/{namespace}/deployments/{name}', 'get', 'readAppsV1NamespacedDeployment'],
    ['/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale', 'put', 'replaceAppsV1NamespacedDeploymentScale'],
    ['/apis/apps/v1/watch/deployments', 'get', 'watchAppsV1DeploymentListForAllNamespaces'],
    ['/apis/apps/v1/watch/namespaces/{namespace}/deployments/{name}', 'get', 'watchAppsV1NamespacedDeployment'],
    ['/api/v1/namespaces/{namespace}/pods/{name}/exec', 'post', 'connectCoreV1PostNamespacedPodExec'],
    ['/api/v1/namespaces/{namespace}/pods/{name}/log', 'get', 'readCoreV1NamespacedPodLog'],
    ['/api/v1/namespaces/{namespace}/pods/{name}/proxy/{path}', 'get', 'connectCoreV1GetNamespacedPodProxyWithPath'],
    ['/api/v1/', 'get', 'getCoreV1APIResources'],
    ['/apis/apps/', 'get', 'getAppsAPIGroup'],
    ['/apis/', 'get', 'getAPIVersions'],
  ])('2 names operations as generated clients do: %s %s', async (path, method, expected) => {
    const { body } = await api.get('/openapi/v2');
    expect(body.paths[path][method].operationId).toBe(expected);
  });

  test.each([
    ['/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale', 'get', 'autoscaling/v1 Scale', []],
    ['/api/v1/namespaces/{namespace}/pods/{name}/eviction', 'post', 'policy/v1 Eviction', ['dryRun', 'body']],
    ['/api/v1/namespaces/{namespace}/pods/{name}/exec', 'post', '/v1 PodExecOptions', ['command', 'container', 'tty']],
    ['/api/v1/namespaces/{namespace}/pods/{name}/log', 'get', '/v1 Pod', ['follow', 'tailLines']],
    ['/api/v1/namespaces/{namespace}/pods/{name}/status', 'get', '/v1 Pod', []],
    ['/api/v1/nodes/{name}/proxy/{path}', 'get', '/v1 NodeProxyOptions', ['path']],
  ])('2 says what %s %s is about and takes', async (path, method, about, parameters) => {
    const item = (await api.get('/openapi/v2')).body.paths[path];
    const operation = item[method];
    const { group, version, kind } = operation['x-kubernetes-group-version-kind'];
    expect(`${group}/${version} ${kind}`).toBe(about);
    const taken: { readonly name: string }[] = [...item.parameters, ...(operation.parameters ?? [])];
    expect(taken.map(({ name }) => name)).toEqual(expect.arrayContaining([...parameters]));
  });

  test('2 can be walked by generators: names are unique, parameters are those of the path, references lead somewhere', async () => {
    const { body } = await api.get('/openapi/v2');
    interface Described {
      readonly operationId: string;
      readonly parameters: readonly { readonly name: string; readonly in: string }[];
    }
    const names = new Set<string>();
    const wrong: string[] = [];
    for (const [path, item] of Object.entries(body.paths as Record<string, Record<string, Described>>)) {
      const { parameters: shared = [], ...operations } = item as never as { parameters?: Described['parameters'] };
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { operationId, parameters = [] } of Object.values(operations as Record<string, Described>)) {
        const all = [...shared, ...parameters].map((one) => `${one.in} ${one.name}`);
        if (names.has(operationId) || new Set(all).size !== all.length) wrong.push(operationId);
        if (inPath.some((name) => !all.includes(`path ${name}`))) wrong.push(`${operationId} ${path}`);
        names.add(operationId);
      }
    }
    expect(wrong).toEqual([]);
    expect(names.size).toBeGreaterThan(700);
    const referred = [...JSON.stringify(body).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)].map(([, name]) => name);
    expect(referred.filter((name) => body.definitions[name as string] === undefined)).toEqual([]);
  });

  test('2 says of the documents of discovery which kinds they are', async () => {
    const { definitions } = (await api.get('/openapi/v2')).body;
    for (const kind of ['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions']) {
      const schema = definitions[`io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`];
      expect(schema['x-kubernetes-group-version-kind']).toEqual([{ group: '', kind, version: 'v1' }]);
      expect(schema.properties).toMatchObject({ kind: { type: 'string' }, apiVersion: { type: 'string' } });
    }
    expect(definitions['io.k8s.apimachinery.pkg.version.Info']).not.toHaveProperty('x-kubernetes-group-version-kind');
  });

  test('2 tells generated clients how to say who they are, and what a delete answers', async () => {
    const { body } = await api.get('/openapi/v2');
    expect(body.securityDefinitions.BearerToken).toMatchObject({ type: 'apiKey', in: 'header', name: 'authorization' });
    const answerOf = (kind: string) =>
      body.paths[`/api/v1/namespaces/{namespace}/${kind}/{name}`].delete.responses['200'].schema.$ref;
    expect(answerOf('pods')).toMatch(/core\.v1\.Pod$/);
    expect(answerOf('configmaps')).toMatch(/meta\.v1\.Status$/);
    expect(body.paths['/version/'].get.responses['200'].schema.$ref).toMatch(/pkg\.version\.Info$/);
  });

  test('2 comes as JSON and, for old clients, as protobuf', async () => {
    const { body } = await api.get('/openapi/v2');
    expect(body).toMatchObject({ swagger: '2.0' });
    expect(Object.keys(body.definitions)).toContain('io.k8s.api.coordination.v1.Lease');
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const binary = await server.fetch('/openapi/v2', { headers: { accept } });
    expect(binary.headers.get('content-type')).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    // field 1, length-delimited, "2.0"
    expect(
      Buffer.from(await binary.arrayBuffer())
        .subarray(0, 5)
        .toString('latin1'),
    ).toBe('\n\u00032.0');
  });
});

describe('health', () => {
  test.each(['healthz', 'livez', 'readyz'])('%s is ok, one by one and in words', async (name) => {
    expect((await api.get(`/${name}`)).body).toBe('ok');
    expect((await api.get(`/${name}/ping`)).body).toBe('ok');
    const lines = ((await api.get(`/${name}?verbose`)).body as string).trimEnd().split('\n');
    expect(lines).toEqual(
      expect.arrayContaining(['[+]ping ok', '[+]log ok', '[+]etcd ok', '[+]autoregister-completion ok']),
    );
    expect(lines).toContain('[+]poststarthook/start-system-namespaces-controller ok');
    expect(lines.includes('[+]shutdown ok')).toBe(name === 'readyz');
    expect(lines.at(-1)).toBe(`${name} check passed`);
  });

  test('a check can be left out, and one that does not exist is pointed out', async () => {
    const { body } = await api.get('/readyz?verbose&exclude=etcd&exclude=nonsense');
    expect(body).toContain('[+]etcd excluded: ok');
    expect(body).toContain('warn: some health checks cannot be excluded: no matches for "nonsense"');
    expect((await api.get('/livez/nope')).status).toBe(404);
  });

  test('the cluster dialect keeps the old last line', async () => {
    await using cluster = await startTestServer({ listen: false, dialect: 'cluster' });
    expect(((await apiOf(cluster).get('/readyz?verbose')).body as string).trimEnd().split('\n').at(-1)).toBe(
      'healthz check passed',
    );
  });
});

describe('version and metrics', () => {
  test('the version is one that clients can read', async () => {
    expect((await api.get('/version')).body).toMatchObject({
      major: '1',
      minor: '36',
      gitVersion: expect.stringMatching(/^v1\.36\.\d+\+/),
    });
  });

  test('the version comes as JSON alone', async () => {
    expect((await api.get('/version', { accept: 'text/html, application/json;q=0.1' })).status).toBe(200);
    expect((await api.get('/version', { accept: 'application/yaml' })).status).toBe(406);
  });

  test('requests are counted and timed, made-up resources under no name', async () => {
    await api.get('/api/v1/namespaces/default');
    await api.get('/api/v1/made-up-by-a-client');
    const { body } = await api.get('/metrics');
    expect(body).toMatch(
      /apiserver_request_total\{verb="GET",component="apiserver",[^}]*resource="namespaces",[^}]*scope="resource",code="200"\} \d+/,
    );
    expect(body).toMatch(/apiserver_request_duration_seconds_bucket\{[^}]*resource="namespaces"[^}]*le="0.005"\} \d+/);
    expect(body).not.toContain('made-up-by-a-client');
  });

  test('metrics call verbs by their method, tell dry runs apart, and say what is stored and how admission does', async () => {
    const secret = { metadata: { name: 'counted' } };
    await api.post('/api/v1/namespaces/default/secrets?dryRun=All', secret);
    await api.post('/api/v1/namespaces/default/secrets', secret);
    await api.get('/api/v1/namespaces/default/secrets');
    const { body } = await api.get('/metrics');
    const row = (name: string, labels: string) => new RegExp(`^${name}\\{[^}]*${labels}[^}]*\\} [1-9]`, 'm');
    expect(body).toMatch(row('apiserver_request_total', 'verb="POST",[^}]*dry_run="All",[^}]*resource="secrets"'));
    expect(body).toMatch(row('apiserver_request_total', 'verb="POST",[^}]*dry_run="",[^}]*resource="secrets"'));
    expect(body).toMatch(row('apiserver_response_sizes_sum', 'verb="LIST",[^}]*resource="secrets"'));
    expect(body).toMatch(row('apiserver_current_inflight_requests', 'request_kind="readOnly"'));
    expect(body).toMatch(row('apiserver_admission_step_admission_duration_seconds_count', 'operation="CREATE"'));
    expect(body).toContain('# HELP apiserver_storage_objects [STABLE] (Deprecated since 1.34.0) ');
    expect(body).toMatch(/^apiserver_storage_objects\{resource="secrets"\} 1$/m);
    expect(body).toMatch(/^apiserver_resource_objects\{group="apps",resource="deployments"\} 0$/m);
  });

  test('the health checks are numbers, too', async () => {
    await api.get('/metrics/slis');
    const { status, body } = await api.get('/metrics/slis');
    expect(status).toBe(200);
    expect(body).toMatch(/^kubernetes_healthcheck\{name="ping",type="livez"\} 1$/m);
    expect(body).toMatch(/^kubernetes_healthchecks_total\{name="etcd",type="readyz",status="success"\} 2$/m);
  });

  test('open watches are counted while they last', async () => {
    const gauge = async () =>
      /^apiserver_longrunning_requests\{[^}]*verb="WATCH"[^}]*resource="limitranges"[^}]*\} (\d+)$/m.exec(
        (await api.get('/metrics')).body,
      )?.[1];
    expect(await gauge()).toBeUndefined();
    const answer = await server.fetch('/api/v1/namespaces/default/limitranges?watch=1');
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const read = reader.read();
    await expect.poll(gauge).toBe('1');
    await reader.cancel();
    await read;
    await expect.poll(gauge).toBeUndefined();
  });
});

test.each(['/openapi/v2', '/metrics', '/metrics/slis'])(
  '%s is compressed for clients that can read it',
  async (path) => {
    const plain = await server.fetch(path);
    const zipped = await server.fetch(path, { headers: { 'accept-encoding': 'gzip' } });
    expect([plain.headers.get('content-encoding'), zipped.headers.get('content-encoding')]).toEqual([null, 'gzip']);
    const bytes = Buffer.from(await zipped.arrayBuffer());
    expect(gunzipSync(bytes).length).toBeGreaterThan(bytes.length);
    expect(zipped.headers.get('vary')).toBe(plain.headers.get('vary'));
  },
);
