// Several threads are one server to the outside: one mapping of the data file, one audit log, one set of limits and of trusted CAs.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Server } from '../../src/index.ts';
import { createAuthority, signLeaf } from '../../src/pki/certificates.ts';
import { TlsPeer } from '../../src/testing/tls-peer.ts';
import { etcdHint, hasEtcd, startEtcd } from '../etcd-process.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { newKey, OidcIssuer } from '../oidc-issuer.ts';
import { eventually } from './eventually.ts';
import { bearer, whoIs } from './secure-call.ts';
import { type Client, collection, type Threads, withThreads } from './several-threads.ts';
import { shownName } from './shown-certificate.ts';

let files: TempFolder;
beforeAll(() => {
  files = new TempFolder();
});
afterAll(() => files[Symbol.dispose]());

const connections = ({ connect }: Threads, count: number) => Array.from({ length: count }, () => connect());

/** The results of a call on enough connections of their own that every thread serves some of them. */
const onAllThreads = <T>(call: () => Promise<T>) => Promise.all(Array.from({ length: 12 }, call));

test.skipIf(process.platform !== 'linux')(
  'the process of three threads maps the data file once, also after the file grew',
  () =>
    withThreads(3, async (threads) => {
      const clients = connections(threads, 9);
      const mappings = () =>
        readFileSync('/proc/self/maps', 'utf8')
          .split('\n')
          .filter((line) => line.includes(threads.folder) && line.endsWith('data.mdb'));
      expect(mappings()).toHaveLength(1);
      const value = 'x'.repeat(900_000);
      // beyond what one step of the file adds, several times
      for (let round = 0; round < 4; round++)
        await Promise.all(
          clients.map(async (client, at) => {
            const created = await client.call('POST', collection, {
              metadata: { name: `c${round}-${at}` },
              data: { value },
            });
            expect(created.status).toBe(201);
            expect((await client.call('GET', `${collection}/c${round}-${at}`)).body.data.value).toHaveLength(900_000);
          }),
        );
      expect(mappings()).toHaveLength(1);
    }),
);

test('requests on all threads are in one audit log, each of them once', () => {
  const [policyFile, path] = [join(files.path, 'policy.yaml'), join(files.path, 'audit.log')];
  writeFileSync(
    policyFile,
    'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{ level: Metadata, verbs: [create] }]',
  );
  return withThreads(
    3,
    async (threads) => {
      const clients = connections(threads, 9);
      const ids = await Promise.all(
        clients.flatMap((client, at) =>
          Array.from({ length: 10 }, async (_, round) => {
            const answer = await client.call('POST', collection, { metadata: { name: `a${at}-${round}` } });
            expect(answer.status).toBe(201);
            return String(answer.headers['audit-id']);
          }),
        ),
      );
      await eventually(async () => {
        const lines = readFileSync(path, 'utf8').trim().split('\n');
        const recorded = lines.map((line) => JSON.parse(line).auditID as string).filter((id) => ids.includes(id));
        expect(recorded.sort()).toEqual([...ids].sort());
      });
    },
    { audit: { policyFile, log: { path } } },
  );
});

test('the limit of changes under way holds for all threads together', async () => {
  const answers: (() => void)[] = [];
  await using peer = await TlsPeer.open(({ body }, response) => {
    const { uid } = JSON.parse(body).request;
    answers.push(() => {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          ...{ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' },
          response: { uid, allowed: true },
        }),
      );
    });
  });
  await withThreads(
    3,
    async (threads) => {
      const clients = connections(threads, 12);
      const [first] = clients as [Client];
      const caBundle = Buffer.from(peer.authority.certificate).toString('base64');
      const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
      const objectSelector = { matchLabels: { asks: 'yes' } };
      const created = await first.call(
        'POST',
        '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
        {
          metadata: { name: 'hook' },
          webhooks: [
            {
              ...{ name: 'hook.example.com', clientConfig: { url: `${peer.url}/`, caBundle }, rules, objectSelector },
              ...{ sideEffects: 'None', admissionReviewVersions: ['v1'] },
            },
          ],
        },
      );
      expect(created.status).toBe(201);
      const named = (name: string) => ({ metadata: { name, labels: { asks: 'yes' } } });
      // members of system:masters are exempt
      const jane = { 'impersonate-user': 'jane', 'impersonate-group': 'editors' };
      const binding = await first.call('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
        metadata: { name: 'editors' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
        subjects: [{ kind: 'Group', name: 'editors', apiGroup: 'rbac.authorization.k8s.io' }],
      });
      expect(binding.status).toBe(201);
      // changes of controllers are under way, too
      await threads.server.settled();
      const calls = clients.map((client, at) => client.call('POST', collection, named(`c${at}`), jane));
      const refused = calls.map((call) => call.then(({ status }) => status === 429));
      let count = 0;
      for (const one of refused) void one.then((is) => (count += is ? 1 : 0));
      await eventually(async () => expect([answers.length, count]).toEqual([4, 8]));
      for (const answer of answers) answer();
      const statuses = await Promise.all(calls.map(async (call) => (await call).status));
      expect(statuses.sort()).toEqual([...Array(4).fill(201), ...Array(8).fill(429)]);
    },
    { enablePriorityAndFairness: false, maxRequestsInflight: 400, maxMutatingRequestsInflight: 4 },
  );
});

test('a CA of clients that is added to its file is trusted on all threads', () => {
  const clientCaFile = join(files.path, 'clients.crt');
  const [first, second] = [createAuthority('first', Date.now()), createAuthority('second', Date.now())];
  const jane = signLeaf(second, { usage: 'client', commonName: 'jane', organizations: [] }, Date.now());
  writeFileSync(clientCaFile, first.certificate);
  return withThreads(
    3,
    async ({ server }) => {
      const names = () => onAllThreads(() => whoIs(server, { pair: jane }));
      expect(JSON.stringify(await names())).not.toContain('jane');
      writeFileSync(clientCaFile, `${first.certificate}${second.certificate}`);
      await eventually(async () => {
        for (const name of await names()) expect(JSON.stringify(name)).toContain('jane');
      });
    },
    { clientCaFile },
  );
});

test('a serving certificate that is replaced in its file is shown by all threads', () => {
  const authority = createAuthority('a test', Date.now());
  const [tlsCertFile, tlsPrivateKeyFile] = [join(files.path, 'shown.crt'), join(files.path, 'shown.key')];
  const write = (commonName: string) => {
    const pair = signLeaf(authority, { usage: 'server', commonName, hosts: ['127.0.0.1'] }, Date.now());
    writeFileSync(tlsCertFile, pair.certificate);
    writeFileSync(tlsPrivateKeyFile, pair.privateKey);
  };
  write('before');
  return withThreads(
    3,
    async ({ server }) => {
      const names = async () => new Set(await onAllThreads(() => shownName(server)));
      expect(await names()).toEqual(new Set(['before']));
      write('after');
      await eventually(async () => expect(await names()).toEqual(new Set(['after'])));
    },
    { tlsCertFile, tlsPrivateKeyFile },
  );
});

test('issuers of tokens that change in their file are trusted on all threads, and those that left it on no thread', async () => {
  await using before = await OidcIssuer.start(0, [newKey('ec')]);
  await using after = await OidcIssuer.start(0, [newKey('ec')]);
  const authenticationConfig = join(files.path, 'authentication.yaml');
  const write = (issuer: OidcIssuer) =>
    writeFileSync(
      authenticationConfig,
      stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AuthenticationConfiguration',
        jwt: [
          {
            issuer: { url: issuer.url, audiences: ['keelson'], certificateAuthority: issuer.ca },
            claimMappings: { username: { claim: 'sub', prefix: '' } },
          },
        ],
      }),
    );
  const users = (server: Server, issuer: OidcIssuer) => {
    const headers = bearer(issuer.token());
    return onAllThreads(() => whoIs(server, { headers }));
  };
  const ann = { username: 'ann', groups: ['system:authenticated'] };
  write(before);
  await withThreads(
    3,
    async ({ server }) => {
      await eventually(async () => expect(await users(server, before)).toEqual(Array(12).fill(ann)));
      expect(await users(server, after)).toEqual(Array(12).fill('401 Unauthorized'));
      write(after);
      await eventually(async () => expect(await users(server, after)).toEqual(Array(12).fill(ann)));
      expect(await users(server, before)).toEqual(Array(12).fill('401 Unauthorized'));
    },
    { authenticationConfig },
  );
});

test('a token of a service account that was deleted is refused on all threads', () =>
  withThreads(3, async (threads) => {
    const [client] = connections(threads, 1) as [Client];
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await client.call('POST', accounts, { metadata: { name: 'robot' } });
    const { body } = await client.call('POST', `${accounts}/robot/token`, { spec: {} });
    const headers = bearer(body.status.token);
    const users = () => onAllThreads(() => whoIs(threads.server, { headers }));
    const robot = expect.objectContaining({ username: 'system:serviceaccount:default:robot' });
    expect(await users()).toEqual(Array(12).fill(robot));
    expect((await client.call('DELETE', `${accounts}/robot`)).status).toBe(200);
    expect(await users()).toEqual(Array(12).fill('401 Unauthorized'));
  }));

test('threads send clients off with GOAWAY by --goaway-chance, each of them', () =>
  withThreads(
    3,
    async (threads) => {
      // a connection without a GOAWAY after 400 requests is as likely as three in ten thousand
      const load = connections(threads, 9).map(async (client) => {
        for (let round = 0; round < 600 && !client.isClosed; round++)
          await client.call('GET', '/version').catch(() => {});
        return client.isClosed;
      });
      expect(await Promise.all(load)).toEqual(Array(9).fill(true));
    },
    { goawayChance: 0.02 },
  ));

describe('on etcd', () => {
  test.skipIf(!hasEtcd)(`only the main thread runs controllers: ${etcdHint}`, async () => {
    await using etcd = await startEtcd({ folder: join(files.path, 'etcd') });
    await withThreads(
      3,
      async (threads) => {
        const [client] = connections(threads, 1) as [Client];
        const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
        await eventually(async () => {
          const { body } = await client.call('GET', '/api/v1/namespaces/default/serviceaccounts/default');
          expect(body.metadata.name).toBe('default');
        });
        const { body } = await client.call('GET', leases);
        // one lease of each replica that serves, and not of each thread
        const servers = body.items.filter(({ metadata }: { metadata: { labels?: Record<string, string> } }) =>
          Object.values(metadata.labels ?? {}).some((value) => value.endsWith('apiserver')),
        );
        expect(servers).toHaveLength(1);
        const namespaces = (await client.call('GET', '/api/v1/namespaces')).body.items.length;
        const page = String(await (await threads.server.fetch('/metrics')).text());
        // each namespace is worked on once; metrics are those of all threads together
        expect(page).toContain(`workqueue_adds_total{name="serviceaccount"} ${namespaces}\n`);
        const elected = threads.lines.filter(({ message }) => message === 'the controllers run here');
        expect(elected.map(({ fields }) => fields['thread'])).toEqual([undefined]);
      },
      { store: 'etcd', etcdServers: [etcd.url] },
    );
  });
});
