// What flags of kube-apiserver do on a server that has them.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveFlags } from '../../src/cli/flags/flags.ts';
import { parseFlags, takeWarnings } from '../../src/cli/flags/parse-flags.ts';
import { createServer, type Server, type ServerOptions } from '../../src/index.ts';
import { createAuthority, signLeaf } from '../../src/pki/certificates.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { apiOf, configMap, configMaps } from './api.ts';
import { credentialsOf } from './credentials.ts';
import { eventually } from './eventually.ts';

/** Options as a command line sets them, without those that only the command uses. */
function optionsOf(...args: string[]): ServerOptions {
  const { dataDir: _, securePort: __, store: ___, ...options } = parseFlags(serveFlags, args);
  expect(takeWarnings(options).filter((text) => text.includes('no effect'))).toEqual([]);
  return options as ServerOptions;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

async function textOf(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of message.setEncoding('utf8')) text += part;
  return text;
}

async function call(
  server: Server,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { cert, key } = credentialsOf(server.kubeconfig);
  const options = { method, cert, key, headers, agent: false, rejectUnauthorized: false };
  const sent = request(`${server.url}${path}`, options).end();
  const [message] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: message.statusCode ?? 0, headers: message.headers, text: await textOf(message) };
}

const folder = new TempFolder();
const authority = createAuthority('flags', Date.now());
let server: Server;

beforeAll(async () => {
  const pair = signLeaf(authority, { usage: 'server', commonName: 'from cert-dir', hosts: ['127.0.0.1'] }, Date.now());
  writeFileSync(join(folder.path, 'apiserver.crt'), pair.certificate);
  writeFileSync(join(folder.path, 'apiserver.key'), pair.privateKey);
  writeFileSync(join(folder.path, 'root.crt'), authority.certificate);
  server = await startTestServer(
    optionsOf(
      `--cert-dir=${folder.path}`,
      '--tls-curve-preferences=24',
      '--disable-http2-serving',
      '--cors-allowed-origins=//good.example.com(:|$)',
      '--strict-transport-security-directives=max-age=31536000,includeSubDomains',
      '--external-hostname=api.example.com',
      '--kubernetes-service-node-port=30443',
      '--enable-garbage-collector=false',
      '--admission-control=NamespaceLifecycle',
      '--profiling=false',
      '--disabled-metrics=apiserver_response_sizes',
      "--allow-metric-labels=apiserver_request_total,code='200,201'",
      `--root-ca-file=${join(folder.path, 'root.crt')}`,
      '--feature-gates=kube:ContainerStopSignals=true',
      '--delete-collection-workers=1',
    ),
  );
});

afterAll(async () => {
  await server.close();
  folder[Symbol.dispose]();
});

describe('serving', () => {
  test('--cert-dir, --tls-curve-preferences, --disable-http2-serving: one connection shows all three', async () => {
    const { port } = new URL(server.url);
    const offered = {
      port: Number(port),
      host: '127.0.0.1',
      rejectUnauthorized: false,
      ALPNProtocols: ['h2', 'http/1.1'],
    };
    const socket = connect({ ...offered, ecdhCurve: 'P-384:X25519' });
    await once(socket, 'secureConnect');
    expect(socket.getPeerCertificate().subject.CN).toBe('from cert-dir');
    expect(socket.alpnProtocol).toBe('http/1.1');
    expect(socket.getEphemeralKeyInfo()).toMatchObject({ name: 'secp384r1' });
    socket.destroy();
    const other = connect({ ...offered, ecdhCurve: 'P-256' });
    await expect(once(other, 'secureConnect')).rejects.toThrow('handshake failure');
  });

  test('--cors-allowed-origins answers pages of these origins, and no others', async () => {
    const origin = 'https://good.example.com';
    const asked = await call(server, 'OPTIONS', '/api/v1/pods', { origin });
    expect(asked.status).toBe(204);
    expect(asked.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'Date',
      'cache-control': 'no-cache, private',
    });
    const read = await call(server, 'GET', '/version', { origin });
    expect([read.status, read.headers['access-control-allow-origin']]).toEqual([200, origin]);
    const foreign = await call(server, 'GET', '/version', { origin: 'https://good.example.com.evil.example' });
    expect(foreign.headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('--strict-transport-security-directives is a header of every answer, errors too', async () => {
    for (const path of ['/version', '/api/v1/nothing']) {
      const { headers } = await call(server, 'GET', path);
      expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
    }
  });

  test('--external-hostname is where discovery says that the server is', async () => {
    const { text } = await call(server, 'GET', '/api', { accept: 'application/json' });
    const { serverAddressByClientCIDRs: addresses } = JSON.parse(text) as { serverAddressByClientCIDRs: object[] };
    expect(addresses).toEqual([
      { clientCIDR: '0.0.0.0/0', serverAddress: `api.example.com:${new URL(server.url).port}` },
    ]);
  });

  test('--kubernetes-service-node-port', async () => {
    const { body } = await apiOf(server).get('/api/v1/namespaces/default/services/kubernetes');
    expect(body.spec).toMatchObject({ type: 'NodePort', ports: [{ port: 443, nodePort: 30443 }] });
  });
});

describe('objects', () => {
  test('--enable-garbage-collector=false: dependents of a deletion are not waited for', async () => {
    const api = apiOf(server);
    await api.post(configMaps, configMap('owner'));
    const { body } = await api.delete(`${configMaps}/owner?propagationPolicy=Foreground`);
    expect(body.status).toBe('Success');
    expect((await api.get(`${configMaps}/owner`)).status).toBe(404);
  });

  test('--admission-control runs these plugins only', async () => {
    const api = apiOf(server);
    const pod = { metadata: { name: 'bare' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const { body } = await api.post('/api/v1/namespaces/default/pods', pod);
    expect(body.spec).not.toHaveProperty('serviceAccountName');
    expect(body.spec).not.toHaveProperty('tolerations');
    expect((await api.post('/api/v1/namespaces/absent/pods', pod)).status).toBe(404);
  });

  test('--delete-collection-workers deletes all of them all the same', async () => {
    const api = apiOf(server);
    for (const name of ['a', 'b', 'c'])
      await api.post(configMaps, { ...configMap(name), metadata: { name, labels: { some: 'of' } } });
    expect((await api.delete(`${configMaps}?labelSelector=some=of`)).status).toBe(200);
    expect((await api.get(`${configMaps}?labelSelector=some=of`)).body.items).toEqual([]);
  });

  test('--root-ca-file is what namespaces are told to trust', async () => {
    await eventually(async () => {
      const { body } = await apiOf(server).get(`${configMaps}/kube-root-ca.crt`);
      expect(body.data?.['ca.crt']).toBe(authority.certificate);
    });
  });
});

describe('observation', () => {
  test('--profiling=false: what is logged cannot be changed', async () => {
    expect((await call(server, 'GET', '/debug/flags/v')).status).toBe(404);
  });

  test('--disabled-metrics, --allow-metric-labels and --feature-gates show in the metrics', async () => {
    await call(server, 'GET', '/api/v1/namespaces/default/pods/absent');
    const { text } = await call(server, 'GET', '/metrics');
    expect(text).not.toContain('apiserver_response_sizes');
    expect(text).toMatch(/^disabled_metrics_total 1$/m);
    expect(text).toMatch(/^apiserver_request_total\{.*resource="pods".*code="unexpected".*\} \d+$/m);
    expect(text).not.toMatch(/^apiserver_request_total\{.*code="404"/m);
    expect(text).toMatch(/^cardinality_enforcement_unexpected_categorizations_total [1-9]\d*$/m);
    expect(text).toContain('kubernetes_feature_enabled{name="ContainerStopSignals",stage="ALPHA"} 1\n');
    expect(text).toContain('kubernetes_feature_enabled{name="DynamicResourceAllocation",stage=""} 1\n');
    expect(text).toMatch(/^# HELP apiserver_request_total \[STABLE\] /m);
  });
});

test('--shutdown-send-retry-after: while requests under way end, new ones are told to come again', async () => {
  const going = await startTestServer({ shutdownSendRetryAfter: true, shutdownGraceSeconds: 5 });
  const { cert, key } = credentialsOf(going.kubeconfig);
  const session = connectHttp2(going.url, { cert, key, rejectUnauthorized: false });
  const slow = session.request({ ':path': configMaps, ':method': 'POST', 'content-type': 'application/json' });
  const body = JSON.stringify(configMap('late'));
  slow.write(body.slice(0, 5));
  await once(session, 'remoteSettings');
  await call(going, 'GET', '/version');
  const closed = going.close();
  const refused = await eventually(async () => {
    const answer = await call(going, 'GET', '/version');
    expect(answer.status).toBe(429);
    return answer;
  });
  expect(refused.headers).toMatchObject({ 'retry-after': '5', connection: 'close' });
  expect(refused.text).toBe('The apiserver is shutting down, please try again later.\n');
  expect((await call(going, 'GET', '/livez')).status).toBe(200);
  slow.end(body.slice(5));
  const [headers] = (await once(slow, 'response')) as [{ ':status': number }];
  expect(headers[':status']).toBe(201);
  slow.resume();
  session.close();
  await closed;
});

describe('what cannot be is refused', () => {
  const encrypted = join(folder.path, 'encryption.yaml');
  writeFileSync(
    encrypted,
    'kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v1\nresources:\n' +
      '- resources: [secrets]\n  providers: [{ kms: { name: a } }, { identity: {} }]\n',
  );

  test.each([
    [['--goaway-chance=0.5'], 'goawayChance: can not be less than 0 or greater than 0.02'],
    [['--cors-allowed-origins=good.example.com'], 'does not pin to start/end of host in the origin header'],
    [['--cors-allowed-origins=//(('], 'has an invalid regular expression'],
    [
      ['--strict-transport-security-directives=max-age'],
      'allowed values: max-age=expireTime, includeSubDomains, preload',
    ],
    [['--admission-control=NodeRestriction', '--enable-admission-plugins=NodeRestriction'], 'mutually exclusive'],
    [['--tls-curve-preferences=1'], '1 is not one of the groups'],
    [['--kubernetes-service-node-port=80'], 'not in the range 30000-32767'],
    [['--leader-elect-renew-deadline=20s'], 'leaderElectLeaseDurationSeconds: must be greater'],
    [['--encryption-provider-config-automatic-reload'], 'must be set with encryptionProviderConfig'],
    [['--encryption-provider-config', encrypted], 'KMSv1 is deprecated and not available here'],
  ])('%j', async (args, message) => {
    await expect(createServer(optionsOf(...args))).rejects.toThrow(message);
  });
});
