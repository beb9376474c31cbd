// Attacks on a listening server, one row a try: framing, spellings, rights, identity, exhaustion, malformed input. At the
// end, nothing that the server has said or written holds a secret.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { type Api, apiOf, configMap, configMaps, secrets } from './api.ts';
import { Attacker, heard, sendBytes } from './attacker.ts';
import { eventually } from './eventually.ts';

const tokenOf = (name: string) => `token-of-${name}-5d1f0c`;
const verbsOfRoles = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const users = [
  'root',
  'stranger',
  'getter',
  'whole',
  'named',
  'lister',
  'watcher',
  'reader',
  'actor',
  'prober',
  'writer',
  'hoarder',
  'honest',
  'idler',
  ...verbsOfRoles.map((verb) => `only-${verb}`),
];
const hiddenValue = 'value-that-stays-hidden-81c2';
const policy = `{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: RequestResponse}]}`;

let folder: TempFolder;
let server: Server;
let api: Api;
const attackers = new Map<string, Attacker>();
const logged: string[] = [];
const note = (fields: object, message: string) => {
  const { err } = fields as { err?: Error };
  logged.push(
    JSON.stringify({ ...fields, err: err === undefined ? '' : `${err.stack} ${JSON.stringify(err)}` }) + message,
  );
};

beforeAll(async () => {
  folder = new TempFolder();
  const lines = users.map(
    (name) => `${tokenOf(name)},${name},${name}-uid${name === 'root' ? ',system:masters' : ''}\n`,
  );
  writeFileSync(join(folder.path, 'tokens'), lines.join(''));
  writeFileSync(join(folder.path, 'policy.yaml'), policy);
  server = await startTestServer({
    tokenAuthFile: join(folder.path, 'tokens'),
    audit: { policyFile: join(folder.path, 'policy.yaml'), log: { path: join(folder.path, 'audit.log') } },
    log: { info: note, warn: note, error: note },
  });
  api = apiOf(server);
  for (const name of users) attackers.set(name, new Attacker(server, tokenOf(name)));
  attackers.set('anonymous', new Attacker(server));
  for (const name of ['mine', 'other']) await api.post(configMaps, configMap(name));
  await api.post('/api/v1/namespaces', { metadata: { name: 'elsewhere' } });
  for (const name of ['a', 'zz']) await api.post('/api/v1/namespaces/elsewhere/configmaps', configMap(name));
  await api.post(secrets, { metadata: { name: 'hidden' }, stringData: { key: hiddenValue } });
});
afterAll(async () => {
  for (const attacker of attackers.values()) attacker[Symbol.dispose]();
  await server.close();
  folder[Symbol.dispose]();
});

const as = (name: string) => attackers.get(name) as Attacker;
const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** Gives a user rights in the whole cluster, or in the namespace `default`. */
async function grant(name: string, rules: readonly object[], where = rbac): Promise<void> {
  const [role, binding] = where === rbac ? ['ClusterRole', 'clusterrolebindings'] : ['Role', 'rolebindings'];
  await api.post(`${where}/${role.toLowerCase()}s`, { metadata: { name }, rules });
  const made = await api.post(`${where}/${binding}`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: role, name },
    subjects: [{ kind: 'User', name }],
  });
  expect(made.status).toBe(201);
}

const inDefault = `${rbac}/namespaces/default`;
const ofRoot = `Host: x\r\nAuthorization: Bearer ${tokenOf('root')}\r\n`;
const smuggled = '{"metadata":{"name":"smuggled"}}';
/** A request behind another one, which must not be served as its own request. */
const behind =
  `POST ${configMaps} HTTP/1.1\r\n${ofRoot}Content-Type: application/json\r\n` +
  `Content-Length: ${smuggled.length}\r\nConnection: close\r\n\r\n${smuggled}`;
const first = (headers: string, body = '') => `GET /version HTTP/1.1\r\n${ofRoot}${headers}\r\n${body}`;
const chunked = 'Transfer-Encoding: chunked\r\n';
const noChunks = '0\r\n\r\n';

describe('a request that hides another one', () => {
  test.each<[attack: string, bytes: string, statuses?: readonly number[]]>([
    ['a length and chunks', first(`Content-Length: 4\r\n${chunked}`, noChunks)],
    ['chunks and a length', first(`${chunked}Content-Length: 4\r\n`, noChunks)],
    ['two lengths', first('Content-Length: 0\r\nContent-Length: 5\r\n')],
    ['the same length twice', first('Content-Length: 0\r\nContent-Length: 0\r\n')],
    ['a list of lengths', first('Content-Length: 0, 0\r\n')],
    ['a length with a sign', first('Content-Length: +0\r\n')],
    ['a negative length', first('Content-Length: -1\r\n')],
    ['a hexadecimal length', first('Content-Length: 0x0\r\n')],
    ['a length beyond all numbers', first(`Content-Length: ${'9'.repeat(30)}\r\n`)],
    ['a space before the colon of a length', first('Content-Length : 0\r\n')],
    ['a space before the colon of chunks', first('Transfer-Encoding : chunked\r\n', noChunks)],
    ['an encoding that is none', first('Transfer-Encoding: xchunked\r\n'), [501]],
    ['an encoding inside of chunks', first('Transfer-Encoding: gzip, chunked\r\n', noChunks), [501]],
    ['two hosts', first('Host: y\r\n')],
    ['chunks that are not the last encoding', first('Transfer-Encoding: chunked, identity\r\n', noChunks)],
    ['chunks, then another encoding', first(`${chunked}Transfer-Encoding: identity\r\n`, noChunks)],
    ['chunks behind a vertical tab', first('Transfer-Encoding: \x0bchunked\r\n', noChunks)],
    ['a chunk of negative size', first(chunked, '-1\r\n\r\n')],
    ['a chunk beyond all numbers', first(chunked, `${'f'.repeat(17)}\r\n\r\n`)],
    ['a chunk with a prefix', first(chunked, '0x0\r\n\r\n')],
    ['chunks that end in bare line feeds', first(chunked, '0\n\n')],
    ['a chunk extension that ends in a line feed', first(chunked, '0;a\n\r\n\r\n')],
    ['a chunk extension that is not closed', first(chunked, '0;a="\r\n\r\n')],
    ['a length among the trailers', first(chunked, '0\r\nContent-Length: 5\r\n\r\n')],
    ['a folded header', first('X: a\r\n b\r\n')],
    ['a first header that is folded', `GET /version HTTP/1.1\r\n Host: x\r\n\r\n`],
    ['bare line feeds', first('').replaceAll('\r', '')],
    ['a bare carriage return', first('X: y\rZ: z\r\n')],
    ['a NUL in a header', first('X: a\0b\r\n')],
    ['a NUL in the path', `GET /version\0 HTTP/1.1\r\n${ofRoot}\r\n`],
    ['a header without a name', first(': x\r\n')],
    ['a version that there is not', `GET /version HTTP/1.2\r\n${ofRoot}\r\n`],
    ['HTTP/2 where HTTP/1.1 was agreed', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/1.0, which ends with its answer', `GET /version HTTP/1.0\r\n${ofRoot}\r\n`],
    ['HTTP/0.9, which ends with its answer', 'GET /version\r\n\r\n'],
    ['an upgrade with a body', first('Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 10\r\n')],
    ['an upgrade with chunks', first(`Connection: Upgrade\r\nUpgrade: websocket\r\n${chunked}`, noChunks)],
    [
      'an upgrade to HTTP/2, which is not had',
      first('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: \r\n'),
      [200],
    ],
    ['a tunnel', `CONNECT 127.0.0.1:443 HTTP/1.1\r\n${ofRoot}\r\n`, [404]],
    ['a body that looks like a request', first(`Content-Length: ${behind.length}\r\nConnection: close\r\n`), [200]],
    ['a chunk without its end', first(chunked, '1\r\naXX0\r\n\r\n'), [200, 400]],
  ])('does not get it served: %s', async (_, bytes, statuses = [400]) => {
    const [answered, ...more] = await sendBytes(server, bytes + behind);
    // a connection that the server breaks off may lose the answer
    expect([undefined, ...statuses]).toContain(answered);
    expect(more).toEqual([]);
    expect((await api.delete(`${configMaps}/smuggled`)).status).toBe(404);
  });

  test('requests that are merely sent one after the other are answered one after the other', async () => {
    const bytes = `${first('')}${first(chunked, noChunks)}GET /nosuch HTTP/1.1\r\n${ofRoot}Connection: close\r\n\r\n`;
    expect(await sendBytes(server, bytes)).toEqual([200, 200, 404]);
  });
});

describe('a request line or header that means something else elsewhere', () => {
  const line = (text: string, more = '') => `${text} HTTP/1.1\r\n${ofRoot}${more}Connection: close\r\n\r\n`;
  const overrides = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'];
  test.each<[attack: string, bytes: string, status: number]>([
    ['no host', 'GET /version HTTP/1.1\r\n\r\n', 400],
    ['a target with a host', line(`GET https://x${configMaps}/mine`), 200],
    ['a target that is a host', line('GET x:443'), 400],
    ['a target that is a star', line('OPTIONS *'), 404],
    ['TRACE', line(`TRACE ${configMaps}/mine`), 405],
    ['OPTIONS', line(`OPTIONS ${configMaps}/mine`), 405],
    ['a method in lower case', line(`delete ${configMaps}/mine`), 400],
    ['a verb for a method', line(`LIST ${configMaps}`), 400],
    ['a space in the target', line(`GET ${configMaps}/mine x`), 400],
    ['tabs for spaces', line(`GET\t${configMaps}/mine`), 400],
    [
      'headers that override the method',
      line(`GET ${configMaps}/mine`, overrides.map((name) => `${name}: DELETE\r\n`).join('')),
      200,
    ],
    ['more headers than are read', line('GET /version', 'X: a\r\n'.repeat(2100)), 431],
    ['an expectation of nothing', line('GET /version', 'Expect:\r\n'), 200],
    ['an expectation that there is not', line('GET /version', 'Expect: nonsense\r\n'), 417],
  ])('is taken by the letter: %s', async (_, bytes, status) => {
    expect(await sendBytes(server, bytes)).toEqual([status]);
    expect((await api.get(`${configMaps}/mine`)).status).toBe(200);
  });

  test('headers beyond the limit are not dropped: the request is refused, as an upgrade too', async () => {
    const filler = 'X: a\r\n'.repeat(2000);
    for (const upgrade of ['Connection: close\r\n', 'Connection: Upgrade\r\nUpgrade: websocket\r\n']) {
      const bytes = `GET ${configMaps} HTTP/1.1\r\n${ofRoot}${upgrade}${filler}Impersonate-User: stranger\r\n\r\n`;
      expect(await sendBytes(server, bytes)).toEqual([431]);
    }
  });

  test('headers of two MiB are refused', async () => {
    const [status = 431] = await sendBytes(server, line('GET /version', `X: ${'a'.repeat(2 * 1024 * 1024)}\r\n`));
    expect(status).toBe(431);
  });

  test('of two tokens the first counts', async () => {
    const header = (name: string) => `Authorization: Bearer ${tokenOf(name)}\r\n`;
    const ask = (names: readonly string[]) =>
      sendBytes(
        server,
        `GET ${configMaps} HTTP/1.1\r\nHost: x\r\n${names.map(header).join('')}Connection: close\r\n\r\n`,
      );
    expect(await ask(['stranger', 'root'])).toEqual([403]);
    expect(await ask(['root', 'stranger'])).toEqual([200]);
  });

  const mine = `${configMaps}/mine`;
  test.each<[attack: string, headers: Record<string, string>, status: number]>([
    ['a path with a space', { ':path': `${mine} x` }, 0],
    ['a path with a host', { ':path': `https://x${mine}` }, 0],
    ['a path without a slash', { ':path': mine.slice(1) }, 0],
    ['no path', { ':path': '' }, 0],
    ['a path with a control character', { ':path': `${mine}\x01` }, 0],
    ['a path with a fragment', { ':path': `${mine}#x` }, 404],
    ['a query of a question mark', { ':path': `${mine}??watch=1` }, 200],
    ['the verb list for a method', { ':path': configMaps, ':method': 'LIST' }, 405],
    ['the verb watch for a method', { ':path': configMaps, ':method': 'watch' }, 405],
    ['the verb deletecollection for a method', { ':path': configMaps, ':method': 'deletecollection' }, 405],
    ['the method get in lower case', { ':path': mine, ':method': 'get' }, 405],
    ['the method delete in lower case', { ':path': mine, ':method': 'delete' }, 405],
    [
      'DELETE on an old watch path',
      { ':path': '/api/v1/watch/namespaces/default/configmaps/mine', ':method': 'DELETE' },
      405,
    ],
    ['a method with a space', { ':path': mine, ':method': 'GET x' }, 0],
    ['a length without a body', { ':path': mine, 'content-length': '10' }, 0],
  ])('is taken by the letter over HTTP/2: %s', async (_, headers, status) => {
    expect((await as('root').call('GET', '/', headers)).status).toBe(status);
    expect((await api.get(mine)).status).toBe(200);
  });
});

describe('a path in another spelling', () => {
  test.each([
    '/metrics/',
    '//metrics',
    '/./metrics',
    '/livez/../metrics',
    '/livez/%2e%2e/metrics',
    '/livez/..%2fmetrics',
    '/livez/..;/metrics',
    '/%6detrics',
    '/METRICS',
    '/metrics;x',
    '/metrics%00',
    '/metrics%20',
    '/metrics#',
    '/api/../metrics',
    '/version/../metrics',
  ])('opens nothing: %s', async (path) => {
    expect((await as('stranger').call('GET', path)).text).not.toContain('apiserver_request_total');
    expect(
      (await as('stranger').call('GET', path, { 'x-original-url': '/livez', 'x-forwarded-uri': '/livez' })).text,
    ).not.toContain('apiserver_request_total');
    expect((await as('prober').call('GET', path)).text).not.toContain('apiserver_request_total');
  });

  test.each([
    '//api//v1//namespaces//default//secrets//hidden',
    '/api/v1/namespaces/default/secrets/hidden/',
    '/%61pi/v1/namespaces/default/%73ecrets/hidden',
    '/api/v1/namespaces/default/configmaps/../secrets/hidden',
    '/api/v1/namespaces/default/configmaps/%2e%2e/secrets/hidden',
    '/api/v1/namespaces/default/configmaps/..%2fsecrets%2fhidden',
    '/api/v1/namespaces/default/configmaps/..%2f..%2fsecrets%2fdefault%2fhidden',
    '/api/v1/namespaces/default/configmaps%2f..%2fsecrets/hidden',
    '/api/v1/namespaces/default/configmaps;x/../secrets/hidden',
    '/api/v1/configmaps/default%2Fmine',
    '/api/v1/secrets/default%2Fhidden',
    '/api/v1/namespaces/default%2Fhidden/secrets',
    '/api/v1/namespaces/default/secrets/hidden%00',
    '/api/v1/namespaces/default/secrets/%c0%ae%c0%ae',
    '/api/v1/namespaces/default/secrets/hidden%',
    '/api/v1/namespaces/default/Secrets/hidden',
    '/API/v1/namespaces/default/secrets/hidden',
    '/api/v1/watch/namespaces/default/secrets/hidden',
    '/api/v1/proxy/namespaces/default/secrets/hidden',
    '/api/v1/namespaces/default/configmaps/mine/../../secrets/hidden',
    '/openapi/v3/../../api/v1/namespaces/default/secrets/hidden',
    '/apis/../api/v1/namespaces/default/secrets/hidden',
    '/apis//v1/namespaces/default/secrets/hidden',
    'https://x/api/v1/namespaces/default/secrets/hidden',
  ])('shows no secret to a user with rights next to it: %s', async (path) => {
    const headers = { 'x-original-url': '/version', 'x-rewrite-url': '/version', 'x-forwarded-prefix': '/version' };
    for (const name of ['stranger', 'lister', 'prober', 'anonymous']) {
      const { status, text } = await as(name).call('GET', path, headers);
      expect([0, 403, 404]).toContain(status);
      expect(text).not.toContain(Buffer.from(hiddenValue).toString('base64'));
    }
  });

  test.each(['..', 'a/b', '.', 'a%2fb', '../../secrets/default/x', 'x'.repeat(5000)])(
    'makes no object of such a name: %j',
    async (name) => {
      const kinds = [configMaps, '/apis/coordination.k8s.io/v1/namespaces/default/leases', `${inDefault}/roles`];
      for (const collection of kinds) {
        const [body, path] = [JSON.stringify({ metadata: { name } }), `${collection}/${encodeURIComponent(name)}`];
        const json = { 'content-type': 'application/json' };
        const made = await as('root').call('POST', collection, json, body);
        expect([made.status, name]).toEqual([422, name]);
        for (const [method, type] of [
          ['PUT', 'json'],
          ['PATCH', 'apply-patch+yaml'],
          ['PATCH', 'merge-patch+json'],
        ] as const) {
          const headers = { 'content-type': `application/${type}` };
          const { status } = await as('root').call(method, `${path}?fieldManager=x`, headers, body);
          expect([400, 404, 422]).toContain(status);
        }
      }
    },
  );
});

interface Door {
  readonly verb: string;
  readonly method: string;
  readonly path: string;
  readonly isSubresource: boolean;
}

/** Every method at every path that discovery tells of. */
async function doors(): Promise<readonly Door[]> {
  const { groups } = (await api.get('/apis')).body as { groups: { versions: { groupVersion: string }[] }[] };
  const roots = ['/api/v1', ...groups.flatMap(({ versions }) => versions.map((one) => `/apis/${one.groupVersion}`))];
  const lists = await Promise.all(roots.map(async (root) => ({ root, found: (await api.get(root)).body.resources })));
  return lists.flatMap(({ root, found }) =>
    (found as { name: string; namespaced: boolean }[]).flatMap((resource) => doorsOf(root, resource)),
  );
}

function doorsOf(root: string, { name, namespaced }: { name: string; namespaced: boolean }): readonly Door[] {
  const [plural, subresource] = name.split('/') as [string, string?];
  const collection = `${root}${namespaced ? '/namespaces/default' : ''}/${plural}`;
  const door = (verb: string, method: string, path: string): Door => ({
    verb,
    method,
    path,
    isSubresource: subresource !== undefined,
  });
  const one = `${collection}/x${subresource === undefined ? '' : `/${subresource}`}`;
  const single = [
    door('get', 'GET', one),
    door('get', 'HEAD', one),
    door('create', 'POST', one),
    door('update', 'PUT', one),
    door('patch', 'PATCH', one),
    door('delete', 'DELETE', one),
    door('', 'OPTIONS', one),
    door('', 'list', one),
  ];
  if (subresource !== undefined) return single;
  const old = `${root}/watch${collection.slice(root.length)}`;
  return [
    ...single,
    door('list', 'GET', collection),
    door('watch', 'GET', `${collection}?watch=1`),
    door('watch', 'GET', `${collection}?watch`),
    door('watch', 'GET', old),
    door('watch', 'GET', `${old}/x`),
    door('create', 'POST', collection),
    door('deletecollection', 'DELETE', collection),
    ...(namespaced
      ? [door('list', 'GET', `${root}/${plural}`), door('watch', 'GET', `${root}/${plural}?watch=true`)]
      : []),
  ];
}

/** Reviews of oneself are open to all who are known. */
const isOpen = ({ verb, path }: Door) => verb === 'create' && path.includes('/selfsubject');

/** The doors that are not shut to a user; all of them have to be. */
async function openDoors(name: string, all: readonly Door[]): Promise<readonly string[]> {
  const open: string[] = [];
  const next = all[Symbol.iterator]();
  const headers = { 'content-type': 'application/json' };
  const worker = async () => {
    for (const { method, path } of next) {
      const { status } = await as(name).call(
        method,
        path,
        headers,
        ['GET', 'HEAD'].includes(method) ? undefined : '{}',
      );
      if (status !== 403) open.push(`${status} ${method} ${path}`);
    }
  };
  await Promise.all(Array.from({ length: 20 }, worker));
  return open;
}

describe('rights', () => {
  let all: readonly Door[];
  beforeAll(async () => {
    all = await doors();
    expect(all.length).toBeGreaterThan(1000);
    const every = (verbs: readonly string[], resources: readonly string[]) => [{ apiGroups: ['*'], verbs, resources }];
    await grant('getter', every(['get'], ['*']));
    for (const verb of verbsOfRoles) await grant(`only-${verb}`, every([verb], ['*']));
    await grant(
      'whole',
      every(['*'], [...new Set(all.filter((one) => !one.isSubresource).map(({ path }) => pluralOf(path)))]),
    );
    await grant(
      'lister',
      [{ apiGroups: [''], verbs: ['get', 'list', 'watch', 'delete'], resources: ['configmaps'] }],
      inDefault,
    );
    const verbs = ['get', 'list', 'watch', 'deletecollection', 'create'];
    await grant('named', [{ apiGroups: [''], verbs, resources: ['configmaps'], resourceNames: ['mine'] }], inDefault);
    await grant('prober', [{ verbs: ['get'], nonResourceURLs: ['/livez/*', '/api/*', '/openapi/*'] }]);
  });

  test('none: every method of every resource and subresource is forbidden', async () => {
    expect(
      await openDoors(
        'stranger',
        all.filter((door) => !isOpen(door)),
      ),
    ).toEqual([]);
  });

  test('none: so it is to a client without a name', async () => {
    expect(await openDoors('anonymous', all)).toEqual([]);
  });

  test.each(verbsOfRoles)('to %s: no other verb is allowed anywhere', async (verb) => {
    expect(
      await openDoors(
        `only-${verb}`,
        all.filter((door) => door.verb !== verb && !isOpen(door)),
      ),
    ).toEqual([]);
  });

  test('to all resources: no subresource is among them', async () => {
    expect(
      await openDoors(
        'whole',
        all.filter((door) => door.isSubresource),
      ),
    ).toEqual([]);
  });

  const selecting = (selector: string) => `${configMaps}?fieldSelector=${encodeURIComponent(selector)}`;
  test.each<[attack: string, name: string, method: string, path: string, status: number]>([
    ['a list of all', 'named', 'GET', configMaps, 403],
    ['a list by the name', 'named', 'GET', selecting('metadata.name=mine'), 200],
    ['a list by another name', 'named', 'GET', selecting('metadata.name=other'), 403],
    ['a list by all names but the own', 'named', 'GET', selecting('metadata.name!=mine'), 403],
    [
      'a list by both names',
      'named',
      'GET',
      `${selecting('metadata.name=other')}&fieldSelector=metadata.name%3Dmine`,
      403,
    ],
    [
      'a list by the name, beyond the namespace',
      'named',
      'GET',
      '/api/v1/configmaps?fieldSelector=metadata.name%3Dmine',
      403,
    ],
    [
      'a selector behind an empty one',
      'named',
      'GET',
      `${configMaps}?fieldSelector=&fieldSelector=metadata.name%3Dmine`,
      403,
    ],
    ['a watch of all', 'named', 'GET', `${configMaps}?watch=1`, 403],
    [
      'a watch of another object on the old path',
      'named',
      'GET',
      '/api/v1/watch/namespaces/default/configmaps/other',
      403,
    ],
    ['a watch of all on the old path', 'named', 'GET', '/api/v1/watch/namespaces/default/configmaps', 403],
    ['the deletion of all by the name', 'named', 'DELETE', selecting('metadata.name=mine'), 403],
    ['the deletion of all with the right to delete', 'lister', 'DELETE', configMaps, 403],
    ['another namespace', 'lister', 'GET', '/api/v1/namespaces/elsewhere/configmaps', 403],
    ['all namespaces', 'lister', 'GET', '/api/v1/configmaps', 403],
  ])('to some: %s', async (_, name, method, path, status) => {
    const reply = await as(name).call(method, path);
    expect(reply.status).toBe(status);
    expect(reply.text).not.toContain('"metadata":{"name":"other"');
  });
});

const pluralOf = (path: string): string => {
  const parts =
    path
      .split('?')[0]
      ?.split('/')
      .filter((part) => part !== '' && part !== 'watch') ?? [];
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3);
  return (rest[0] === 'namespaces' && rest.length > 2 ? rest[2] : rest[0]) ?? '';
};

const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const json = { 'content-type': 'application/json' };
const auditEvents = () =>
  readFileSync(join(folder.path, 'audit.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, { username?: string } & string>);

describe('acting as another user', () => {
  beforeAll(() =>
    grant('actor', [{ apiGroups: [''], verbs: ['impersonate'], resources: ['users'], resourceNames: ['stranger'] }]),
  );

  test.each<[attack: string, headers: Record<string, string | string[]>]>([
    ['the administrator', { 'impersonate-user': 'root' }],
    [
      'a known user in the group of administrators',
      { 'impersonate-user': 'stranger', 'impersonate-group': 'system:masters' },
    ],
    [
      'two groups, the second one hidden',
      { 'impersonate-user': 'stranger', 'impersonate-group': ['', 'system:masters'] },
    ],
    ['two users', { 'impersonate-user': ['root', 'stranger'] }],
    ['a service account', { 'impersonate-user': 'system:serviceaccount:kube-system:default' }],
    ['a node', { 'impersonate-user': 'system:node:n1', 'impersonate-group': 'system:nodes' }],
    ['the server itself', { 'impersonate-user': 'system:apiserver' }],
    ['a uid', { 'impersonate-user': 'stranger', 'impersonate-uid': 'root-uid' }],
    ['an extra', { 'impersonate-user': 'stranger', 'impersonate-extra-scopes': 'all' }],
    ['an encoded extra', { 'impersonate-user': 'stranger', 'impersonate-extra-__proto__%2fx': 'all' }],
  ])('needs the right to it: %s', async (what, headers) => {
    const id = `acting-${what.replaceAll(/\W/g, '-')}`;
    for (const path of [configMaps, `${configMaps}?watch=1`]) {
      const { status } = await as('actor').call('GET', path, { ...headers, 'audit-id': id });
      expect(status).toBe(403);
    }
    const events = auditEvents().filter(({ auditID }) => auditID === id);
    expect(events.length).toBeGreaterThan(1);
    for (const event of events) {
      expect(event['user']?.username).toBe('actor');
      expect(event['impersonatedUser']).toBeUndefined();
    }
  });

  test.each<[attack: string, headers: Record<string, string>]>([
    ['groups without a user', { 'impersonate-group': 'system:masters' }],
    ['a uid without a user', { 'impersonate-user': '', 'impersonate-uid': 'x' }],
    ['an extra without a user', { 'impersonate-extra-x': 'y' }],
  ])('makes no sense: %s', async (_, headers) => {
    expect((await as('root').call('GET', configMaps, headers)).status).toBe(400);
  });

  test('is heard over HTTP/1.1 in any case, and as an upgrade to WebSocket', async () => {
    const upgrade =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';
    for (const [name, more] of [
      ['IMPERSONATE-USER', 'Connection: close\r\n'],
      ['impersonate-User', upgrade],
    ]) {
      const bytes = `GET ${configMaps}?watch=1 HTTP/1.1\r\n${ofRoot}${more}${name}: stranger\r\n\r\n`;
      expect(await sendBytes(server, bytes)).toEqual([403]);
    }
  });

  test('gives what was asked for and no more', async () => {
    const { text } = await as('actor').call('POST', reviews, { ...json, 'impersonate-user': 'stranger' }, '{}');
    expect(JSON.parse(text).status.userInfo).toEqual({ username: 'stranger', groups: ['system:authenticated'] });
    expect((await as('actor').call('GET', configMaps, { 'impersonate-user': 'stranger' })).status).toBe(403);
  });

  test('headers of proxies name no user on a connection that is no proxy', async () => {
    const headers = { 'x-remote-user': 'root', 'x-remote-group': 'system:masters', 'x-forwarded-user': 'root' };
    const { text } = await as('stranger').call('POST', reviews, { ...json, ...headers }, '{}');
    expect(JSON.parse(text).status.userInfo).toMatchObject({ username: 'stranger', groups: ['system:authenticated'] });
  });
});

describe('lists and watches', () => {
  const token = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
  const rv = async () => Number((await api.get(configMaps)).body.metadata.resourceVersion);

  test('a token from elsewhere, made up or cut shows nothing of another namespace', async () => {
    const now = await rv();
    const [wide, foreign] = await Promise.all(
      ['/api/v1/configmaps?limit=1', '/api/v1/secrets?limit=1'].map(
        async (path) => (await api.get(path)).body.metadata.continue,
      ),
    );
    const starts = [
      '../elsewhere/a\0',
      '/elsewhere/a\0',
      'elsewhere/a\0',
      '..\0',
      '\0',
      'a',
      '',
      'a\0b\0',
      '\uffff\0',
      5,
      null,
      {},
    ];
    const forged = starts.map((start) => token({ v: 1, rv: now, start }));
    const numbers = [0, -2, 1.5, 2 ** 60, '1', null, { __proto__: 1 }].map((one) =>
      token({ v: 1, rv: one, start: 'a\0' }),
    );
    const odd = ['x', '%00', 'e30', 'bnVsbA', token([]), token({ v: '__proto__' }), 'A'.repeat(40_000)];
    for (const one of [wide, foreign, wide.slice(0, -3), `${wide}=`, ...forged, ...numbers, ...odd]) {
      const { status, text } = await as('lister').call('GET', `${configMaps}?limit=5&continue=${one}`);
      expect([200, 400, 410]).toContain(status);
      if (status === 200) for (const { metadata } of JSON.parse(text).items) expect(metadata.namespace).toBe('default');
      expect(text).not.toContain('elsewhere');
    }
  });

  test.each([
    ['limit=-1', 200],
    ['limit=9223372036854775807', 200],
    ['limit=99999999999999999999', 400],
    ['limit=1e9', 400],
    ['limit=__proto__', 400],
    ['resourceVersion=9999999999999999999999', 400],
    ['resourceVersion=-1', 400],
    ['resourceVersion=__proto__', 400],
    ['resourceVersionMatch=toString&resourceVersion=1', 422],
    ['timeoutSeconds=99999999999999999999', 400],
    ['watch=1&resourceVersion=9999999999999999999999', 500],
    ['labelSelector=__proto__', 400],
    ['labelSelector=((((', 400],
    ['fieldSelector=__proto__=x', 400],
    ['fieldSelector=constructor=x', 400],
    ['__proto__=x&constructor=y&toString=z', 200],
    [`x=${'y&'.repeat(20_000)}`, 200],
  ])('answer odd parameters: %s', async (query, status) => {
    expect((await as('root').call('GET', `${configMaps}?${query}`)).status).toBe(status);
  });

  test('an object with the oddest name does not end the pages of others', async () => {
    const roles = `${inDefault}/roles`;
    const names = ['page-a', 'page-a\0b', 'page-b', `page-${'\x01'.repeat(4000)}`, 'page-z'];
    for (const name of names) expect((await api.post(roles, { metadata: { name } })).status).toBe(201);
    const seen: string[] = [];
    for (let more = ''; ; ) {
      const { status, text } = await as('root').call('GET', `${roles}?limit=1&continue=${more}`);
      expect(status).toBe(200);
      const { items, metadata } = JSON.parse(text);
      seen.push(...items.map((item: { metadata: { name: string } }) => item.metadata.name));
      more = metadata.continue ?? '';
      if (more === '') break;
    }
    expect(seen).toEqual(expect.arrayContaining(names));
  });

  test('two thousand watches of one user leave room for others', async () => {
    await grant('watcher', [{ verbs: ['list', 'watch'], apiGroups: [''], resources: ['configmaps'] }], inDefault);
    await grant('reader', [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }], inDefault);
    const made = await as('root').call('POST', configMaps, json, '{"metadata":{"name":"watched"}}');
    expect(made.status).toBe(201);
    const clients = Array.from({ length: 20 }, () => new Attacker(server, tokenOf('watcher')));
    try {
      const opened: number[] = [];
      // all at once would be more than may wait of one user
      for (const client of clients) {
        const watches = Array.from({ length: 100 }, () => client.open(`${configMaps}?watch=1&resourceVersion=0`));
        opened.push(...(await Promise.all(watches)));
      }
      expect(new Set(opened)).toEqual(new Set([200]));
      expect(
        (
          await as('root').call(
            'PATCH',
            `${configMaps}/watched`,
            { 'content-type': 'application/merge-patch+json' },
            '{"data":{"a":"b"}}',
          )
        ).status,
      ).toBe(200);
      expect((await as('reader').call('GET', `${configMaps}/watched`)).status).toBe(200);
    } finally {
      for (const client of clients) client[Symbol.dispose]();
    }
  });

  test('bodies that never end take the places there are, and leave room for reads and administrators', async () => {
    await grant('writer', [{ verbs: ['create', 'get'], apiGroups: [''], resources: ['configmaps'] }], inDefault);
    const clients = Array.from({ length: 3 }, () => new Attacker(server, tokenOf('writer')));
    const statuses: number[] = [];
    try {
      for (const client of clients)
        for (let sent = 0; sent < 100; sent++)
          client.begin(configMaps, ' '.repeat(20_000), (status) => statuses.push(status));
      // the limit of requests that change something is 200
      await eventually(async () => expect(statuses).toEqual(Array(100).fill(429)));
      expect((await as('root').call('POST', configMaps, json, '{"metadata":{"name":"in-spite-of-it"}}')).status).toBe(
        201,
      );
      expect((await as('writer').call('GET', `${configMaps}/mine`)).status).toBe(200);
      expect((await as('stranger').call('POST', configMaps, json, '{}')).status).toBe(429);
    } finally {
      for (const client of clients) client[Symbol.dispose]();
    }
    await eventually(async () => expect((await as('stranger').call('POST', configMaps, json, '{}')).status).toBe(403));
  });

  test('large bodies that never end fill a share of the memory for bodies, and leave room for others', async () => {
    await grant('hoarder', [{ verbs: ['create'], apiGroups: [''], resources: ['configmaps'] }], inDefault);
    await grant('honest', [{ verbs: ['create'], apiGroups: [''], resources: ['configmaps'] }], inDefault);
    const client = new Attacker(server, tokenOf('hoarder'));
    const statuses: number[] = [];
    try {
      // a user alone has 64 MiB, which 23 of these are more than
      const body = ' '.repeat(2_900_000);
      for (let sent = 0; sent < 26; sent++) client.begin(configMaps, body, (status) => statuses.push(status));
      await eventually(async () => expect(statuses.length).toBeGreaterThanOrEqual(3));
      expect(new Set(statuses)).toEqual(new Set([429]));
      const large = JSON.stringify({ metadata: { name: 'large' }, data: { text: 'x'.repeat(900_000) } });
      expect((await as('honest').call('POST', configMaps, json, large)).status).toBe(201);
      expect((await as('root').call('POST', configMaps, json, large)).status).toBe(409);
      expect((await as('hoarder').call('POST', configMaps, json, large)).status).toBe(429);
    } finally {
      client[Symbol.dispose]();
    }
    // what was refused, or was cut off, holds nothing
    const small = '{"metadata":{"generateName":"small-"}}';
    await eventually(async () => expect((await as('hoarder').call('POST', configMaps, json, small)).status).toBe(201));
  });

  test('lists that are never read hold little memory, and others are served', async () => {
    await grant('idler', [{ verbs: ['list', 'watch', 'get'], apiGroups: [''], resources: ['configmaps'] }], inDefault);
    const text = 'x'.repeat(900_000);
    for (let i = 0; i < 8; i++) await api.post(configMaps, { ...configMap(`long-${i}`), data: { text } });
    const clients = Array.from({ length: 4 }, () => new Attacker(server, tokenOf('idler')));
    const before = process.memoryUsage().rss;
    try {
      // 100 answers of 7 MB, and as many watches that begin with as much
      const lists = clients.flatMap((client) => Array.from({ length: 25 }, () => client.stall(configMaps)));
      const watches = clients.flatMap((client) =>
        Array.from({ length: 25 }, () => client.stall(`${configMaps}?watch=1&resourceVersion=0`)),
      );
      expect(new Set(await Promise.all([...lists, ...watches]))).toEqual(new Set([200]));
      await api.post(configMaps, { ...configMap('long-later'), data: { text } });
      expect((await as('root').call('GET', `${configMaps}/mine`)).status).toBe(200);
      expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
    } finally {
      for (const client of clients) client[Symbol.dispose]();
    }
    for (const name of [...Array(8).keys(), 'later']) await api.delete(`${configMaps}/long-${name}`);
  });

  test('writes that are refused unread do not cost a client its connection', async () => {
    using client = new Attacker(server, tokenOf('stranger'));
    for (let round = 0; round < 10; round++) {
      const sent = Array.from({ length: 50 }, () => client.call('POST', configMaps, json, '{}'));
      for (const { status } of await Promise.all(sent)) expect(status).toBe(403);
    }
  });
});

describe('malformed', () => {
  const named = (name: string) => `{"metadata":{"name":"${name}"}}`;
  const protobuf = (...bytes: number[]) => Uint8Array.from([0x6b, 0x38, 0x73, 0, ...bytes]);
  test.each<[attack: string, type: string, body: string | Uint8Array, status: number, headers?: object]>([
    [
      'bytes that are no text',
      'application/json',
      Uint8Array.from([...Buffer.from('{"metadata":{"name":"'), 0xff, 0xfe, 0x22, 0x7d, 0x7d]),
      422,
    ],
    ['a byte order mark', 'application/json', `\ufeff${named('bom')}`, 400],
    ['white space', 'application/json', ' ', 400],
    ['null', 'application/json', 'null', 422],
    ['a list', 'application/json', '[]', 400],
    ['two values', 'application/json', `${named('one')}${named('two')}`, 400],
    ['a form', 'application/x-www-form-urlencoded', 'a=b', 415],
    ['a form of parts', 'multipart/form-data; boundary=x', '--x--', 415],
    ['a type of no kind', '__proto__', '{}', 415],
    ['compressed bytes', 'application/json', gzipSync(' '.repeat(1024 * 1024)), 400, { 'content-encoding': 'gzip' }],
    ['YAML that refers to itself', 'application/yaml', 'metadata: &a {name: x, labels: *a}', 400],
    [
      'protobuf of a wrong length',
      'application/vnd.kubernetes.protobuf',
      protobuf(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f),
      400,
    ],
    ['protobuf without an end', 'application/vnd.kubernetes.protobuf', protobuf(0xff, 0xff, 0xff), 400],
    ['protobuf of nothing', 'application/vnd.kubernetes.protobuf', protobuf(), 400],
    [
      'inherited names as fields',
      'application/json',
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"metadata":{"name":"Odd!"}}',
      422,
    ],
  ])('a body is refused: %s', async (_, type, body, status, headers = {}) => {
    const reply = await as('root').call('POST', configMaps, { 'content-type': type, ...headers }, body);
    expect([reply.status, reply.text]).toEqual([status, expect.any(String)]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('inherited names are keys like any other', async () => {
    const odd = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const values = odd.map((name) => `${JSON.stringify(name.replaceAll('__', 'x'))}:"v"`).join(',');
    const data = odd.map((name) => `${JSON.stringify(name)}:"v"`).join(',');
    const body = `{"metadata":{"name":"inherited","labels":{${values}},"annotations":{${values}}},"data":{${data}}}`;
    expect((await as('root').call('POST', configMaps, json, body)).status).toBe(201);
    const { text } = await as('root').call('GET', `${configMaps}/inherited`);
    expect(Object.keys(JSON.parse(text).data).sort()).toEqual([...odd].sort());
    const patch = '{"data":{"__proto__":null,"constructor":"w"}}';
    const type = { 'content-type': 'application/merge-patch+json' };
    const patched = await as('root').call('PATCH', `${configMaps}/inherited`, type, patch);
    expect(Object.entries(JSON.parse(patched.text).data).sort()).toEqual([
      ['constructor', 'w'],
      ['hasOwnProperty', 'v'],
      ['toString', 'v'],
    ]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test.each([
    '/readyz/__proto__',
    '/readyz?exclude=__proto__',
    '/api/__proto__',
    '/apis/constructor',
    '/apis/constructor/v1/x',
    '/api/v1/__proto__',
    '/api/v1/namespaces/default/pods/x/constructor',
    '/openapi/v3/__proto__',
    '/openapi/v3/apis/toString/v1',
  ])('inherited names lead nowhere: %s', async (path) => {
    expect((await as('root').call('GET', path)).status).toBe(path.includes('exclude') ? 200 : 404);
  });

  test.each([
    'application/json;as=__proto__;v=v1;g=meta.k8s.io',
    'constructor',
    ';;;,,,',
    'application/json;'.repeat(2000),
    '*/*;q=__proto__',
  ])('a wish for an answer in no form is answered: %s', async (accept) => {
    expect([200, 406]).toContain((await as('root').call('GET', `${configMaps}/mine`, { accept })).status);
  });

  test.each(['x'.repeat(60_000), 'a\tb', '../../etc', '"><script>', '__proto__'])(
    'an audit id is not repeated unless it is harmless: %s',
    async (id) => {
      const { status } = await as('root').call('GET', '/version', { 'audit-id': id });
      expect(status).toBe(200);
      if (id !== '__proto__') expect(heard.join('\n')).not.toContain(`"audit-id":${JSON.stringify(id)}`);
    },
  );
});

describe('secrets', () => {
  test('are in no answer, log, metric or record after all of that', async () => {
    const extra = 'query-token-7c11';
    for (const name of ['access_token', 'access%5Ftoken', '%61ccess_token'])
      await as('anonymous').call('GET', `${configMaps}?${name}=${extra}`);
    await as('anonymous').call('GET', configMaps, { authorization: `Bearer ${extra}-header` });
    await as('stranger').call(
      'POST',
      secrets,
      json,
      JSON.stringify({ metadata: { name: '!' }, stringData: { a: hiddenValue } }),
    );
    await as('root').call(
      'POST',
      secrets,
      json,
      JSON.stringify({ metadata: { name: '!' }, stringData: { a: hiddenValue } }),
    );
    await as('root').call('POST', secrets, json, `{"metadata":{"name":"x"},"data":{"a":"${hiddenValue}!"}}`);
    const { text: metrics } = await as('root').call('GET', '/metrics');
    expect(metrics).toContain('apiserver_request_total');
    await eventually(async () => expect(auditEvents().some((event) => event['requestURI'] === '/metrics')).toBe(true));
    const written = [...logged, readFileSync(join(folder.path, 'audit.log'), 'utf8'), metrics, ...heard].join('\n');
    const hidden = [hiddenValue, Buffer.from(hiddenValue).toString('base64'), extra, ...users.map(tokenOf)];
    expect(hidden.filter((one) => written.includes(one))).toEqual([]);
    expect(logged.filter((line) => line.includes('caused the server to fail'))).toEqual([]);
  });
});
