// Priority and fairness as clients meet it: which level a request has, who waits, and who is refused.

import { afterEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestServerOptions } from '../../src/testing/index.ts';
import { apiOf, configMap, configMaps } from './api.ts';
import { credentialsOf } from './credentials.ts';
import { eventually, turns } from './eventually.ts';
import { secureCall } from './secure-call.ts';

/** A request that takes so long has its seat while others are sent. */
const slowMs = 3000;
const flowControl = '/apis/flowcontrol.apiserver.k8s.io/v1';

let server: TestServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(options: TestServerOptions = {}): Promise<TestServer> {
  server = await startTestServer({ listen: false, ...options });
  return server;
}

interface LevelParts {
  readonly shares?: number;
  readonly precedence?: number;
  readonly queuing?: { readonly queues: number; readonly handSize: number; readonly queueLengthLimit: number };
}

/** A level of one seat, where the server has few, and a schema of some users for it. */
async function addLevel(
  name: string,
  users: string | readonly string[],
  { shares = 1, queuing, precedence = 1000 }: LevelParts,
): Promise<{ level: string; schema: string }> {
  const admin = apiOf(server as TestServer);
  const limitResponse = queuing === undefined ? { type: 'Reject' } : { type: 'Queue', queuing };
  const limited = { nominalConcurrencyShares: shares, lendablePercent: 0, borrowingLimitPercent: 0, limitResponse };
  const level = await admin.post(`${flowControl}/prioritylevelconfigurations`, {
    metadata: { name },
    spec: { type: 'Limited', limited },
  });
  const subjects = [users].flat().map((user) => ({ kind: 'User', user: { name: user } }));
  const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] };
  const schema = await admin.post(`${flowControl}/flowschemas`, {
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name },
      matchingPrecedence: precedence,
      distinguisherMethod: { type: 'ByUser' },
      rules: [{ subjects, resourceRules: [everything] }],
    },
  });
  expect([level.status, schema.status]).toEqual([201, 201]);
  return { level: level.body.metadata.uid, schema: schema.body.metadata.uid };
}

async function grantReads(name: string): Promise<void> {
  const admin = apiOf(server as TestServer);
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  await admin.post(`${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'User', name }],
  });
}

const uidsOf = (headers: Headers) => ({
  level: headers.get('x-kubernetes-pf-prioritylevel-uid'),
  schema: headers.get('x-kubernetes-pf-flowschema-uid'),
});

test('requests are classified by adding a FlowSchema and a PriorityLevelConfiguration', async () => {
  const { kubeconfig } = await start({ listen: true });
  const uids = await addLevel('e2e-testing', 'noxu', {});
  const { cert, key } = credentialsOf(kubeconfig);
  const pair = { certificate: cert.toString(), privateKey: key.toString() };
  const ask = async (user: string) => {
    let seen = new Headers();
    await secureCall(server as TestServer, 'GET', '/api/v1/namespaces', {
      pair,
      headers: { 'impersonate-user': user },
      onHeaders: (headers) => {
        seen = new Headers(headers as Record<string, string>);
      },
    });
    return uidsOf(seen);
  };
  expect(await ask('noxu')).toEqual(uids);
  const other = await ask('foo');
  expect(other.level).toMatch(/^[0-9a-f-]{36}$/);
  expect(other.schema).toMatch(/^[0-9a-f-]{36}$/);
  expect(other).not.toEqual(uids);
});

test('an answer names the objects that were stored when it was asked for', async () => {
  const { fetch } = await start();
  const admin = apiOf({ fetch });
  const schemas = await admin.get(`${flowControl}/flowschemas`);
  const uids: Record<string, string> = Object.fromEntries(
    schemas.body.items.map(({ metadata }: { metadata: { name: string; uid: string } }) => [
      metadata.name,
      metadata.uid,
    ]),
  );
  const schemaOf = async (path: string, name: string, ...groups: string[]) => {
    const { headers } = await fetch(path, { user: { name, groups: ['system:authenticated', ...groups] } });
    return Object.keys(uids).find((schema) => uids[schema] === uidsOf(headers).schema);
  };
  expect(uidsOf(schemas.headers).schema).toBe(uids['exempt']);
  expect(await schemaOf('/healthz', 'alice')).toBe('probes');
  expect(await schemaOf('/api/v1/pods', 'alice')).toBe('global-default');
  expect(await schemaOf('/api/v1/nodes', 'system:node:one', 'system:nodes')).toBe('system-node-high');
  expect(await schemaOf('/api/v1/pods', 'system:node:one', 'system:nodes')).toBe('system-nodes');
  expect(await schemaOf('/api/v1/pods', 'system:kube-scheduler')).toBe('kube-scheduler');
  const account = 'system:serviceaccount:shop:web';
  expect(await schemaOf('/api/v1/pods', account, 'system:serviceaccounts')).toBe('service-accounts');
});

describe('a level of one seat', () => {
  const few = { maxRequestsInflight: 20, maxMutatingRequestsInflight: 10 };

  test('refuses what does not fit its queue, and serves the rest in order', async () => {
    const { fetch, faults } = await start(few);
    const queuing = { queues: 1, handSize: 1, queueLengthLimit: 2 };
    await addLevel('narrow', 'alice', { queuing });
    await grantReads('alice');
    const slow = faults.delay({ user: 'alice' }, slowMs);
    const user = { name: 'alice', groups: ['system:authenticated'] };
    const done: number[] = [];
    const ask = async (at: number) => {
      const answer = await fetch(`${configMaps}/it`, { user });
      done.push(at);
      return answer;
    };
    const first = ask(0);
    await eventually(async () => expect(slow.hits).toBe(1));
    const answers = await Promise.all([first, ask(1), ask(2), ask(3)]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 429]);
    expect(done).toEqual([3, 0, 1, 2]);
    const refused = answers[3] as Response;
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(uidsOf(refused.headers)).toEqual(uidsOf((answers[0] as Response).headers));
    expect(await refused.json()).toMatchObject({
      reason: 'TooManyRequests',
      message: 'Too many requests, please try again later.',
    });
  });

  test('without queues refuses at once', async () => {
    const { fetch, faults } = await start(few);
    await addLevel('narrow', 'alice', {});
    await grantReads('alice');
    const slow = faults.delay({ user: 'alice' }, slowMs);
    const user = { name: 'alice', groups: ['system:authenticated'] };
    const first = fetch(`${configMaps}/it`, { user });
    await eventually(async () => expect(slow.hits).toBe(1));
    expect((await fetch(`${configMaps}/it`, { user })).status).toBe(429);
    expect((await first).status).toBe(404);
  });

  test('has its seat free while a watch is open', async () => {
    const started = await start(few);
    await addLevel('narrow', 'alice', {});
    await grantReads('alice');
    const { fetch: asAlice } = started.asUser('alice');
    const watch = await asAlice(`${configMaps}?watch=true`);
    const reader = watch.body?.getReader();
    await apiOf(started).post(configMaps, configMap('one'));
    await reader?.read();
    await eventually(async () => expect((await asAlice(configMaps)).status).toBe(200));
    await reader?.cancel();
  });
});

describe('a watch that begins with a state', () => {
  const few = { maxRequestsInflight: 20, maxMutatingRequestsInflight: 10 };

  /** More than a stream buffers for a client that does not read. */
  async function fill(api: ReturnType<typeof apiOf>): Promise<void> {
    const value = 'x'.repeat(100_000);
    await Promise.all(Array.from({ length: 40 }, (_, at) => api.post(configMaps, configMap(`large-${at}`, { value }))));
  }

  test('keeps its seats while its state is sent, and gives them back when the client does not read it', async () => {
    const started = await start(few);
    await addLevel('narrow', 'alice', {});
    await grantReads('alice');
    await fill(apiOf(started));
    const { fetch: asAlice } = started.asUser('alice');
    const watch = await asAlice(`${configMaps}?watch=true`);
    expect((await asAlice(`${configMaps}/none`)).status).toBe(429);
    await eventually(async () => expect((await asAlice(`${configMaps}/none`)).status).toBe(404));
    await watch.body?.cancel();
  });

  test('gives its seats back when the client leaves', async () => {
    const started = await start(few);
    await addLevel('narrow', 'alice', {});
    await grantReads('alice');
    await fill(apiOf(started));
    const { fetch: asAlice } = started.asUser('alice');
    const watch = await asAlice(`${configMaps}?watch=true`);
    expect((await asAlice(`${configMaps}/none`)).status).toBe(429);
    await watch.body?.cancel();
    await turns();
    expect((await asAlice(`${configMaps}/none`)).status).toBe(404);
  });
});

describe.each([
  ['priority: each client has a level', true],
  ['fairness: both are in one level', false],
])('requests are not drowned out: elephants next to mice (%s)', (_, hasOwnLevels) => {
  test('a client that sends ten times what its level can do does not keep another one from being served', async () => {
    const started = await start({ maxRequestsInflight: 80, maxMutatingRequestsInflight: 40 });
    const queuing = { queues: 64, handSize: 4, queueLengthLimit: 50 };
    if (hasOwnLevels) {
      await addLevel('elephants', 'elephant', { queuing, precedence: 999 });
      await addLevel('mice', 'mouse', { queuing });
    } else await addLevel('both', ['elephant', 'mouse'], { queuing });
    await grantReads('elephant');
    await grantReads('mouse');
    started.faults.delay({ user: 'elephant' }, 20, { times: Number.POSITIVE_INFINITY });
    started.faults.delay({ user: 'mouse' }, 20, { times: Number.POSITIVE_INFINITY });
    const metrics = (await apiOf(started).get('/metrics')).body as string;
    const level = hasOwnLevels ? 'elephants' : 'both';
    const seats = Number(new RegExp(`nominal_limit_seats\\{priority_level="${level}"\\} (\\d+)`).exec(metrics)?.[1]);
    expect(seats).toBeGreaterThan(0);
    let isOver = false;
    const served = { elephant: 0, mouse: 0 };
    const client = async (name: keyof typeof served) => {
      const { fetch } = started.asUser(name);
      while (!isOver) {
        expect((await fetch(`${configMaps}/none`)).status).toBe(404);
        served[name]++;
      }
    };
    const elephants = Array.from({ length: 10 * seats }, () => client('elephant'));
    await eventually(async () => expect(served.elephant).toBeGreaterThan(20 * seats));
    const before = served.elephant;
    const mice = Array.from({ length: seats }, () => client('mouse'));
    await eventually(async () => expect(served.mouse).toBeGreaterThan(20 * seats));
    isOver = true;
    await Promise.all([...elephants, ...mice]);
    // in one queue for all, ten elephants would be served for each mouse; a hand of four queues has at most four times the part of one queue
    expect((served.elephant - before) / served.mouse).toBeLessThan(hasOwnLevels ? 3 : 6);
  });
});

test('requests of administrators and probes never wait', async () => {
  const { fetch, faults } = await start({ maxRequestsInflight: 2, maxMutatingRequestsInflight: 2 });
  faults.delay({ resource: 'configmaps' }, 100, { times: Number.POSITIVE_INFINITY });
  const slow = Array.from({ length: 50 }, () => fetch(`${configMaps}/it`));
  const user = { name: 'alice', groups: ['system:authenticated'] };
  const probes = await Promise.all(Array.from({ length: 20 }, () => fetch('/readyz', { user })));
  expect(new Set(probes.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set((await Promise.all(slow)).map(({ status }) => status))).toEqual(new Set([404]));
});

test('a user with fifty lists at a time does not keep another one from reading', async () => {
  const started = await start({ maxRequestsInflight: 20, maxMutatingRequestsInflight: 10 });
  await grantReads('noisy');
  await grantReads('quiet');
  started.faults.delay({ user: 'noisy' }, 20, { times: Number.POSITIVE_INFINITY });
  const noisy = started.asUser('noisy');
  const quiet = started.asUser('quiet');
  let isOver = false;
  let lists = 0;
  const connections = Array.from({ length: 50 }, async () => {
    while (!isOver) {
      await (await noisy.fetch(configMaps)).text();
      lists++;
    }
  });
  await eventually(async () => expect(lists).toBeGreaterThan(10));
  const listsPerGet: number[] = [];
  for (let i = 0; i < 50; i++) {
    const before = lists;
    expect((await quiet.fetch(`${configMaps}/none`)).status).toBe(404);
    listsPerGet.push(lists - before);
  }
  isOver = true;
  await Promise.all(connections);
  // in one queue for all a get would wait for nearly all of the fifty lists
  expect(listsPerGet.toSorted((a, b) => a - b).at(-3)).toBeLessThanOrEqual(20);
});

test('metrics and pages show levels, queues and requests', async () => {
  const started = await start({ maxRequestsInflight: 20, maxMutatingRequestsInflight: 10 });
  await addLevel('narrow', 'alice', { queuing: { queues: 2, handSize: 1, queueLengthLimit: 2 } });
  await grantReads('alice');
  const admin = apiOf(started);
  const delay = started.faults.delay({ user: 'alice' }, slowMs);
  const alice = started.asUser('alice');
  const running = [alice.fetch(`${configMaps}/it`), alice.fetch(`${configMaps}/it`)];
  await eventually(async () => expect(delay.hits).toBe(1));
  const root = '/debug/api_priority_and_fairness';
  const [levels, queues, requests, metrics] = await Promise.all(
    [
      `${root}/dump_priority_levels`,
      `${root}/dump_queues`,
      `${root}/dump_requests?includeRequestDetails=1`,
      '/metrics',
    ].map(async (path) => (await admin.get(path)).body as string),
  );
  const cells = (text = '') => text.split('\n').map((line) => line.split(/, */));
  expect(cells(levels)[0]?.slice(0, 3)).toEqual(['PriorityLevelName', 'ActiveQueues', 'IsIdle']);
  expect(cells(levels)).toContainEqual(['narrow', '1', 'false', 'false', '1', '1', '1', '0', '0', '0']);
  expect(
    cells(queues)
      .filter(([level]) => level === 'narrow')
      .map((row) => row.slice(2, 5))
      .toSorted(),
  ).toEqual([
    ['0', '0', '0'],
    ['1', '1', '1'],
  ]);
  const own = cells(requests).filter(([level]) => level === 'narrow');
  expect(own.map((row) => [row[1], row[3], row[4], ...row.slice(10)])).toEqual(
    ['0', '-1'].map((at) => [
      ...['narrow', at, 'alice', 'alice', 'get', `${configMaps}/it`, 'default', 'it', 'v1', 'configmaps', ''],
    ]),
  );
  const labels = '{flow_schema="narrow",priority_level="narrow"}';
  expect(metrics).toContain('apiserver_flowcontrol_nominal_limit_seats{priority_level="narrow"} 1\n');
  expect(metrics).toContain(`apiserver_flowcontrol_current_inqueue_requests${labels} 1\n`);
  expect(metrics).toContain(`apiserver_flowcontrol_current_executing_requests${labels} 1\n`);
  await Promise.all(running);
  const later = (await admin.get('/metrics')).body;
  expect(later).toContain(`apiserver_flowcontrol_dispatched_requests_total${labels} 2\n`);
  expect(later).toContain(`apiserver_flowcontrol_current_executing_seats${labels} 0\n`);
});

test('without priority and fairness only the number of requests is limited', async () => {
  const { fetch, faults } = await start({
    enablePriorityAndFairness: false,
    maxRequestsInflight: 3,
  });
  await grantReads('alice');
  const slow = faults.delay({ user: 'alice' }, slowMs, { times: 3 });
  const user = { name: 'alice', groups: ['system:authenticated'] };
  const ask = (count: number) => Array.from({ length: count }, () => fetch(`${configMaps}/it`, { user }));
  const first = ask(3);
  await eventually(async () => expect(slow.hits).toBe(3));
  const answers = await Promise.all([...first, ...ask(2)]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 429, 429]);
  for (const { headers } of answers) expect(uidsOf(headers)).toEqual({ level: null, schema: null });
});
