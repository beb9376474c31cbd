// The launchers of `keelson envtest`, started, probed and stopped as controller-runtime does it (pkg/internal/testing there).

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { get } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthority, type KeyPair, signLeaf } from '../../src/pki/certificates.ts';
import { TlsPeer } from '../../src/testing/tls-peer.ts';
import { freePort } from '../free-port.ts';

const keelson = join(import.meta.dirname, '../../bin/keelson.cjs');
const folder = mkdtempSync(join(tmpdir(), 'keelson-envtest-'));
const assets = join(folder, "it's assets");
const certs = join(folder, 'certs');
const children: ChildProcess[] = [];
let printed = '';

function start(program: string, args: readonly string[]): ChildProcess {
  const child = spawn(join(assets, program), args, { stdio: 'ignore', detached: true });
  children.push(child);
  return child;
}

/** Every 100 ms until there is a 200, with certificates unchecked. */
async function healthy(url: string): Promise<void> {
  const end = Date.now() + 60_000;
  while (Date.now() < end) {
    const status = await new Promise<number>((resolve) => {
      const ask = url.startsWith('https')
        ? request(url, { rejectUnauthorized: false, agent: false }, (answer) => resolve(answer.statusCode ?? 0))
        : get(url, { agent: false }, (answer) => resolve(answer.statusCode ?? 0));
      ask.on('error', () => resolve(0)).end();
    });
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} did not answer 200 in time`);
}

const now = Date.now();
const servingCa = createAuthority('envtest-environment', now);
const clientCa = createAuthority('envtest-environment', now);
let etcdUrl = '';
let apiPort = 0;
let apiServer: ChildProcess;
let etcd: ChildProcess;
const url = () => `https://127.0.0.1:${apiPort}`;

/** What `populateAPIServerCerts` and `CertAuthn` write. */
function writeCertificates(): void {
  mkdirSync(certs);
  const hosts = ['localhost', '127.0.0.1'];
  const serving = signLeaf(servingCa, { usage: 'server', commonName: 'localhost', hosts }, now);
  const signer = createAuthority('envtest-environment', now);
  writeFileSync(join(certs, 'apiserver.crt'), serving.certificate);
  writeFileSync(join(certs, 'apiserver.key'), serving.privateKey);
  writeFileSync(join(certs, 'sa-signer.crt'), signer.certificate);
  writeFileSync(join(certs, 'sa-signer.key'), signer.privateKey);
  writeFileSync(join(certs, 'client-cert-auth-ca.crt'), clientCa.certificate);
}

/** In the order of their names, as `defaultArgs` and `AsStrings` give them. */
const apiServerArgs = () => [
  '--allow-privileged=true',
  '--authorization-mode=RBAC',
  '--bind-address=127.0.0.1',
  `--cert-dir=${certs}`,
  `--client-ca-file=${join(certs, 'client-cert-auth-ca.crt')}`,
  '--disable-admission-plugins=ServiceAccount',
  `--etcd-servers=${etcdUrl}`,
  `--secure-port=${apiPort}`,
  `--service-account-issuer=${url()}/`,
  `--service-account-key-file=${join(certs, 'sa-signer.crt')}`,
  `--service-account-signing-key-file=${join(certs, 'sa-signer.key')}`,
  '--service-cluster-ip-range=10.0.0.0/24',
];

beforeAll(async () => {
  printed = execFileSync(process.execPath, [keelson, 'envtest', assets], { encoding: 'utf8' });
  writeCertificates();
  const [clientPort, peerPort] = [await freePort(), await freePort()];
  etcdUrl = `http://127.0.0.1:${clientPort}`;
  apiPort = await freePort();
  etcd = start('etcd', [
    `--advertise-client-urls=${etcdUrl}`,
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${etcdUrl}`,
    `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
    '--unsafe-no-fsync=true',
  ]);
  await healthy(`${etcdUrl}/health`);
  apiServer = start('kube-apiserver', apiServerArgs());
  await healthy(`${url()}/healthz`);
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** As a user that `AddUser` made: a certificate of the client CA. */
function call(pair: KeyPair, method: string, path: string, body?: object): Promise<Answer> {
  const credentials = { ca: servingCa.certificate, cert: pair.certificate, key: pair.privateKey };
  const options = { method, ...credentials, headers: { 'content-type': 'application/json' }, agent: false };
  return new Promise((resolve, reject) => {
    const sent = request(`${url()}${path}`, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const userOf = (commonName: string, ...organizations: string[]) =>
  signLeaf(clientCa, { usage: 'client', commonName, organizations }, now);
const admin = userOf('admin', 'system:masters');

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string; readonly object: { readonly data: { readonly size: string } } };
}

/** What a manager built with controller-runtime serves. */
const handlers: Readonly<Record<string, (review: Review) => object>> = {
  '/mutating-v1-configmap': ({ apiVersion, kind, request: { uid } }) => {
    const patch = JSON.stringify([{ op: 'add', path: '/data/by', value: 'default' }]);
    const patchFields = { patchType: 'JSONPatch', patch: Buffer.from(patch).toString('base64') };
    return { apiVersion, kind, response: { uid, allowed: true, ...patchFields } };
  },
  '/validating-v1-configmap': ({ apiVersion, kind, request: { uid, object } }) => {
    const allowed = object.data.size !== 'huge';
    return { apiVersion, kind, response: { uid, allowed, status: { code: 403, message: 'too huge' } } };
  },
};

describe('the launchers of envtest', () => {
  test('are three programs, whose folder is told for the environment', () => {
    expect(printed).toBe(`export KUBEBUILDER_ASSETS='${assets.replace("'", "'\\''")}'\n`);
    for (const program of ['kube-apiserver', 'etcd', 'kubectl'])
      expect(statSync(join(assets, program)).mode & 0o777).toBe(0o755);
  });

  test('say which flags they have when they are probed', () => {
    const helpOf = (program: string) => spawnSync(join(assets, program), ['--help'], { encoding: 'utf8' });
    const { status, stdout, stderr } = helpOf('kube-apiserver');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).not.toMatch(/^\s*--insecure-port\b/m);
    expect(stdout).toMatch(/^\s*--enable-admission-plugins\b/m);
    expect(helpOf('etcd')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\s*--unsafe-no-fsync\b/m) });
  });

  test('serve the certificates of the folder and know the users of the client CA', async () => {
    expect((await call(admin, 'GET', '/api/v1/namespaces/default')).status).toBe(200);
    const { body } = await call(admin, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    expect(body.status.userInfo).toMatchObject({
      username: 'admin',
      groups: ['system:masters', 'system:authenticated'],
    });
    expect((await call(userOf('alice'), 'GET', '/api/v1/pods')).status).toBe(403);
  });

  test('install definitions, take pods without an account, and leave out the controllers of a cluster', async () => {
    const definition = {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    };
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    expect((await call(admin, 'POST', definitions, definition)).status).toBe(201);
    // envtest looks until discovery lists the resource
    const end = Date.now() + 60_000;
    let names: string[] = [];
    while (!names.includes('widgets') && Date.now() < end) {
      const { body } = await call(admin, 'GET', '/apis/example.com/v1');
      names = (body.resources ?? []).map(({ name }: { name: string }) => name);
    }
    expect(names).toContain('widgets');
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    expect((await call(admin, 'POST', '/api/v1/namespaces/default/pods', pod)).status).toBe(201);
    const { body: accounts } = await call(admin, 'GET', '/api/v1/serviceaccounts');
    expect(accounts.items).toEqual([]);
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    expect((await call(admin, 'GET', `${roles}/view`)).body.rules).not.toEqual([]);
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
    const rules = [{ apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get'] }];
    await call(admin, 'POST', roles, { metadata: { name: 'widgets', labels }, rules });
    await call(admin, 'POST', '/api/v1/namespaces', { metadata: { name: 'going' } });
    await call(admin, 'DELETE', '/api/v1/namespaces/going');
    expect((await call(admin, 'GET', '/api/v1/namespaces/going')).body.status.phase).toBe('Terminating');
    expect((await call(admin, 'GET', `${roles}/view`)).body.rules).not.toContainEqual(rules[0]);
  });

  test('issue tokens with the key that they were given, for the issuer that they were given', async () => {
    await call(admin, 'POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
    const path = '/api/v1/namespaces/default/serviceaccounts/robot/token';
    const { body } = await call(admin, 'POST', path, {});
    const claims = JSON.parse(Buffer.from(body.status.token.split('.')[1], 'base64url').toString()) as object;
    expect(claims).toMatchObject({ iss: `${url()}/`, sub: 'system:serviceaccount:default:robot' });
    const { body: review } = await call(admin, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
      spec: { token: body.status.token },
    });
    expect(review.status.authenticated).toBe(true);
  });

  test('keep objects and their versions while etcd runs, over a restart of the API server', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    const { body: made } = await call(admin, 'POST', path, { metadata: { name: 'kept' }, data: { a: 'b' } });
    const stopped = once(apiServer, 'exit');
    apiServer.kill('SIGTERM');
    expect(await stopped).toEqual([0, null]);
    apiServer = start('kube-apiserver', apiServerArgs());
    await healthy(`${url()}/healthz`);
    expect((await call(admin, 'GET', `${path}/kept`)).body).toEqual(made);
    expect((await call(admin, 'GET', '/apis/example.com/v1/widgets')).status).toBe(200);
  });

  test('call webhooks where envtest installs them: `//` in the URL, a certificate that vouches for itself', async () => {
    const handled: string[] = [];
    await using manager = await TlsPeer.open((asked, response) => {
      const [path = '', query] = asked.path.split('?');
      const answer = handlers[path];
      if (answer !== undefined) {
        handled.push(path);
        return answer(JSON.parse(asked.body));
      }
      // as Go's mux answers a path that is not clean
      const location = `${path.replace(/\/+/g, '/')}?${query}`;
      response.writeHead(path.includes('//') ? 301 : 404, { location }).end();
      return undefined;
    });
    const hookOf = (path: string) => ({
      name: `${path.slice(1)}.example.com`,
      admissionReviewVersions: ['v1', 'v1beta1'],
      clientConfig: { url: `${manager.url}/${path}`, caBundle: Buffer.from(manager.certificate).toString('base64') },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      matchPolicy: 'Equivalent',
      sideEffects: 'None',
    });
    const registration = '/apis/admissionregistration.k8s.io/v1';
    for (const type of ['mutating', 'validating']) {
      const path = `${registration}/${type}webhookconfigurations`;
      const object = { metadata: { name: 'operator' }, webhooks: [hookOf(`/${type}-v1-configmap`)] };
      expect((await call(admin, 'GET', `${path}/operator`)).status).toBe(404);
      expect((await call(admin, 'POST', path, object)).status).toBe(201);
      expect((await call(admin, 'GET', `${path}/operator`)).status).toBe(200);
    }

    const configMaps = '/api/v1/namespaces/default/configmaps';
    const good = await call(admin, 'POST', configMaps, { metadata: { name: 'good' }, data: { size: 'small' } });
    expect([good.status, good.body.data]).toEqual([201, { size: 'small', by: 'default' }]);
    const bad = await call(admin, 'POST', configMaps, { metadata: { name: 'bad' }, data: { size: 'huge' } });
    expect([bad.status, bad.body.message]).toEqual([
      403,
      'admission webhook "validating-v1-configmap.example.com" denied the request: too huge',
    ]);
    expect(handled).toEqual([1, 2].flatMap(() => ['/mutating-v1-configmap', '/validating-v1-configmap']));
    for (const type of ['mutating', 'validating'])
      await call(admin, 'DELETE', `${registration}/${type}webhookconfigurations/operator`);
  });

  test('hand kubectl to the one on the PATH', () => {
    const other = join(folder, 'bin');
    mkdirSync(other);
    writeFileSync(join(other, 'kubectl'), '#!/bin/sh\necho "real kubectl" "$@"\n');
    chmodSync(join(other, 'kubectl'), 0o755);
    const env = { PATH: `${assets}:${other}:/usr/bin:/bin` };
    const run = spawnSync(join(assets, 'kubectl'), ['--kubeconfig=a b', 'get', 'pods'], { encoding: 'utf8', env });
    expect(run.stdout).toBe('real kubectl --kubeconfig=a b get pods\n');
  });

  test('stop by SIGTERM, the server first', async () => {
    const stopped = once(apiServer, 'exit');
    apiServer.kill('SIGTERM');
    expect(await stopped).toEqual([0, null]);
    const ended = once(etcd, 'exit');
    etcd.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  test('refuse a flag that is unknown, so that a typo does not pass', () => {
    const { status, stderr } = spawnSync(join(assets, 'kube-apiserver'), ['--secure-prt=1'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, 'keelson: unknown flag --secure-prt; did you mean --secure-port?\n']);
  });
});

test('launchers take the place of symbolic links, and leave what these lead to as it is', () => {
  const other = join(folder, 'other');
  mkdirSync(other);
  const target = join(folder, 'real-kube-apiserver');
  writeFileSync(target, 'the real one');
  const link = join(other, 'kube-apiserver');
  symlinkSync(target, link);
  for (const _ of ['first', 'again']) expect(spawnSync(process.execPath, [keelson, 'envtest', other]).status).toBe(0);
  expect(readFileSync(target, 'utf8')).toBe('the real one');
  expect(lstatSync(link).isFile()).toBe(true);
  expect(lstatSync(link).mode & 0o777).toBe(0o755);
  expect(readdirSync(other).sort()).toEqual(['etcd', 'kube-apiserver', 'kubectl']);
});
