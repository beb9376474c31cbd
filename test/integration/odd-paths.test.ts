// Paths that lead nowhere, or not where they seem to, answered as kube-apiserver 1.36.4 answers them.

import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import { type Api, apiOf, configMap } from './api.ts';
import { credentialsOf } from './credentials.ts';

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer({ controllers: [] });
  api = apiOf(server);
  await api.post('/api/v1/namespaces/default/configmaps', configMap('a', {}));
});
afterAll(() => server.close());

const unknown = 'the server could not find the requested resource';
const refused = 'the server does not allow this method on the requested resource';
const configMaps = '/api/v1/namespaces/default/configmaps';
const reviews = '/apis/authorization.k8s.io/v1';

/** Sends a path as it is, which URLs are not made to do. */
function sent(method: string, path: string, body?: object): Promise<unknown[]> {
  const { port } = new URL(server.url);
  const { ca, cert, key } = credentialsOf(server.kubeconfig);
  const headers = { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const call = request(
      { host: '127.0.0.1', port, method, path, ca, cert, key, headers, agent: false },
      (response) => {
        response
          .toArray()
          .then((parts) => resolve([response.statusCode, JSON.parse(Buffer.concat(parts).toString()).message]), reject);
      },
    );
    call.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function answer(method: string, path: string, body?: object): Promise<unknown[]> {
  const found = await api.call(method, path, body);
  return [found.status, found.body.message];
}

describe('a name that cannot stand in a path', () => {
  const named = (name: string) => configMap(name, {});
  test.each([
    ['GET', '.', undefined, '".": may not be \'.\''],
    ['GET', '%2e%2e', undefined, '"..": may not be \'..\''],
    ['DELETE', 'a%25b', undefined, '"a%b": may not contain \'%\''],
    ['PUT', '..', named('..'), '"..": may not be \'..\''],
    ['PUT', 'a%25b', named('a%b'), '"a%b": may not contain \'%\''],
  ])('is refused: %s %s', async (method, name, body, why) => {
    expect(await sent(method, `${configMaps}/${name}`, body)).toEqual([400, `Name parameter invalid: ${why}`]);
  });

  test('is quoted as Go does', async () => {
    expect(await answer('GET', `${configMaps}/%00`)).toEqual([404, 'configmaps "\\x00" not found']);
  });
});

describe('an encoded slash', () => {
  test.each([
    ['GET', `${configMaps}/a%2Fb`, 404, unknown],
    ['POST', `${configMaps}/a%2Fb`, 404, unknown],
    ['GET', `/api/v1/namespaces/default%2Fconfigmaps%2Fa`, 200, undefined],
  ])('parts segments: %s %s', async (method, path, status, message) => {
    expect(await answer(method, path)).toEqual([status, message]);
  });
});

describe('a namespace without a name', () => {
  const nowhere = '/api/v1/namespaces//configmaps';
  test.each([
    ['GET', `${nowhere}/a`, undefined, 400, 'Namespace parameter required.'],
    ['DELETE', `${nowhere}/a`, undefined, 400, 'Namespace parameter required.'],
    ['DELETE', nowhere, undefined, 400, 'Namespace parameter required.'],
    ['PUT', `${nowhere}/q`, configMap('q', {}), 400, 'Namespace parameter required.'],
    ['POST', nowhere, configMap('q', {}), 422, 'ConfigMap "q" is invalid: metadata.namespace: Required value'],
    ['GET', `${nowhere}?limit=1`, undefined, 200, undefined],
  ])('%s %s', async (method, path, body, status, message) => {
    expect(await answer(method, path, body)).toEqual([status, message]);
    expect((await api.get(`${configMaps}/a`)).status).toBe(200);
  });

  test.each([
    ['DELETE', nowhere, 'text/plain', 415],
    ['DELETE', `${nowhere}?resourceVersionMatch=Exact`, 'text/plain', 422],
    ['POST', `${nowhere}?dryRun=x`, 'text/plain', 415],
    ['PUT', `${nowhere}/a?dryRun=x`, 'text/plain', 422],
  ])('is told after what is wrong with the rest: %s %s %s', async (method, path, type, status) => {
    const found = await api.call(method, path, '{', { 'content-type': type });
    expect(found.status).toBe(status);
  });
});

describe('what has no path', () => {
  test.each([
    ['GET', `${reviews}/localsubjectaccessreviews`, 404, unknown],
    ['POST', `${reviews}/localsubjectaccessreviews`, 404, unknown],
    ['DELETE', '/api/v1/bindings', 404, unknown],
    ['POST', '/api/v1/pods', 405, refused],
    ['GET', `${reviews}/watch/namespaces/default/localsubjectaccessreviews`, 404, unknown],
    ['PUT', '/api/v1/watch/namespaces/default/pods/p/proxy/x', 404, unknown],
    ['GET', '/api/v1/proxy/namespaces/default/configmaps/a', 404, unknown],
    ['POST', '/api/v1/watch/namespaces/default/configmaps', 405, refused],
    ['GET', '/apis/apps/v1/deployments//scale', 404, unknown],
    ['GET', '/apis/apps/v1/namespaces/default/deployments/d/proxy?timeout=x', 404, unknown],
  ])('%s %s', async (method, path, status, message) => {
    expect(await answer(method, path)).toEqual([status, message]);
  });

  test.each([
    ['GET', 'status', 400, 'name must be provided'],
    ['PUT', 'status', 400, 'name must be provided'],
    ['POST', 'eviction', 400, 'name must be provided'],
    ['GET', 'log', 400, 'name must be provided'],
    ['DELETE', 'status', 405, refused],
    ['GET', 'eviction', 405, refused],
    ['PUT', 'nothing', 404, unknown],
  ])('%s of %s of a pod without a name', async (method, subresource, status, message) => {
    expect(await answer(method, `/api/v1/namespaces/default/pods//${subresource}`)).toEqual([status, message]);
  });

  test.each(['/api', '/api/v1', '/apis/apps/v1', '/version', '/.well-known/openid-configuration', '/openid/v1/jwks'])(
    'HEAD of %s is refused',
    async (path) => {
      expect((await api.call('HEAD', path)).status).toBe(405);
    },
  );
});

describe('the old paths of watches', () => {
  const old = '/api/v1/watch/namespaces/default/configmaps';
  test.each([
    ['resourceVersionMatch=NotOlderThan', 'resourceVersionMatch is forbidden unless resourceVersion is provided'],
    ['sendInitialEvents=true', 'sendInitialEvents is forbidden for list'],
  ])('have the rules of lists: %s', async (query, why) => {
    const [status, message] = await answer('GET', `${old}?timeoutSeconds=1&${query}`);
    expect([status, message]).toEqual([422, expect.stringContaining(why)]);
  });
});

test('what is wrong with options of a delete is told without the kind they should be', async () => {
  const found = await api.call('DELETE', `${configMaps}/a`, '{}', {
    'content-type': 'application/vnd.kubernetes.protobuf',
  });
  const why = 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]';
  expect([found.status, found.body.message]).toEqual([400, why]);
});

test('numbers are read before the options are judged together', async () => {
  const [status, message] = await answer('GET', `${configMaps}?timeoutSeconds=&sendInitialEvents=x`);
  expect([status, message]).toEqual([400, 'strconv.ParseInt: parsing "": invalid syntax']);
});

test.each([
  ['/api/v1/watch', '/api/v1/watch', '/api/v1/watch'],
  ['/apis/apps/v1/watch/', '/apis/apps/v1/watch/', '/apis/apps/v1/watch/'],
  ['/apis/example.com/v1/proxy?a=<b>&c="d"', '/apis/example.com/v1/proxy?a=&lt;b&gt;&amp;c=\\"d\\"', undefined],
])('%s names no resource, and cannot be read', async (path, quoted, plain = quoted.replaceAll('\\', '')) => {
  const { port } = new URL(server.url);
  const text = await new Promise<string>((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false }, (response) => {
      expect([response.statusCode, response.headers['content-type']]).toEqual([500, 'text/plain; charset=utf-8']);
      response.toArray().then((parts) => resolve(Buffer.concat(parts).toString()), reject);
    });
    call.on('error', reject).end();
  });
  const why = `failed to create RequestInfo: unable to determine kind and namespace from url, ${plain}`;
  expect(text).toBe(`Internal Server Error: "${quoted}": ${why}\n`);
});
