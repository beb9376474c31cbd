// `keelson top` against a server: one picture as text and as JSON, and what is shown to users without rights.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Picture, pictureText } from '../../src/cli/top-picture.ts';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import { apiOf, configMaps } from './api.ts';

const bin = join(import.meta.dirname, '../../bin/keelson.cjs');
const folder = mkdtempSync(join(tmpdir(), 'keelson-top-'));
const dataDir = join(folder, 'data');
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ store: 'embedded', dataDir, controllers: [], listen: true });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Exit {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

function keelson(...args: readonly string[]): Promise<Exit> {
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, 'top', ...args], { cwd: folder }, (error, output, errors) =>
      resolve({ code: error === null ? 0 : Number(error.code), output, errors }),
    );
  });
}

/** Runs the command while a user whose name would change the terminal asks for things. */
async function topDuringRequests(...args: readonly string[]): Promise<Exit> {
  const user = { name: 'jane\u001b[31m', groups: ['system:masters'] };
  const jane = apiOf({ fetch: (path, init) => server.fetch(path, { ...init, user }) });
  let isOver = false;
  const run = keelson(...args).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await jane.get(configMaps);
    await jane.get(`${configMaps}/absent`);
  }
  return run;
}

test('top: one picture as JSON has rates by verb and by user, and the slowest requests', async () => {
  const { code, output, errors } = await topDuringRequests('--data-dir', dataDir, '--once', '--json', '--interval=0.5');
  expect([code, errors]).toEqual([0, '']);
  const picture = JSON.parse(output) as Picture;
  expect(picture.url).toBe(`${server.url}/`);
  expect(picture.requestsPerSecond).toBeGreaterThan(5);
  expect(picture.verbs.map(({ name }) => name)).toEqual(expect.arrayContaining(['GET', 'LIST']));
  expect(picture.users?.[0]?.name).toBe('jane\u001b[31m');
  expect(picture.users?.[0]?.perSecond).toBeGreaterThan(5);
  const [slowest] = picture.slowest ?? [];
  expect(slowest).toMatchObject({ user: expect.any(String), path: expect.any(String), durationMs: expect.any(Number) });
  expect(picture.objects).toBeGreaterThan(10);
  expect(picture.storeBytes).toBeGreaterThan(10_000);
  expect(picture.memoryBytes).toBeGreaterThan(10_000_000);
  expect(picture.priorityLevels.map(({ priorityLevel }) => priorityLevel)).toEqual(
    expect.arrayContaining(['exempt', 'global-default', 'leader-election', 'workload-low']),
  );
});

test('top: one picture as text, with names that cannot change the terminal', async () => {
  const { code, output } = await topDuringRequests('--data-dir', dataDir, '--once', '--interval=0.5');
  expect(code).toBe(0);
  expect(output).toMatch(/^server +https:\/\/127\.0\.0\.1:\d+\/, the last [\d.]+ s\n/);
  for (const line of [
    /^requests +[\d.]+\/s, 0\/s failed, \d+ under way, \d+ watches$/m,
    /^process +\d+ % of a processor, \d+ MiB$/m,
    /^store +\d+ objects, \d+ MiB$/m,
    /^VERB +PER SECOND\n(GET|LIST) +[\d.]+$/m,
    /^USER +PER SECOND\njane\\u001b\[31m +[\d.]+$/m,
    /^SLOWEST +STATUS +VERB +PATH +USER +LONGEST PART\n[\d.]+ ms +\d+ +(get|list) +\/\S+ +\S+ +\S+/m,
    /^PRIORITY LEVEL +SEATS +LIMIT +WAITING +REFUSED PER SECOND$/m,
    /^global-default +\d+ +\d+ +0 +0$/m,
  ])
    expect(output).toMatch(line);
  expect(output).not.toContain('\u001b');
});

test('top: a user who may read metrics only sees all but users and requests', async () => {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const api = apiOf(server);
  const rules = [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }];
  await api.post(`${rbac}/clusterroles`, { metadata: { name: 'metrics' }, rules });
  await api.post(`${rbac}/clusterrolebindings`, {
    metadata: { name: 'metrics' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'metrics' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'mona' }],
  });
  const { kubeconfigFile } = server.asUser('mona');
  const { code, output, errors } = await keelson('--kubeconfig', kubeconfigFile, '--once', '--interval=0.2');
  expect([code, errors]).toEqual([0, '']);
  expect(output).toContain('Users and slow requests are not shown');
  expect(output).toMatch(/^PRIORITY LEVEL /m);
});

test.each([
  [['--interval=0'], 2, /--interval: 0\.1 to 60 seconds are expected/],
  [['--context=x'], 2, /--context needs --kubeconfig/],
  [['words'], 2, /unexpected argument "words"/],
  [['--data-dir=nowhere', '--once'], 1, /no server runs on the data folder/],
] as const)('top: %j ends with a line about it', async (args, code, problem) => {
  const exit = await keelson(...args);
  expect([exit.code, exit.errors.split('\n').length]).toEqual([code, 2]);
  expect(exit.errors).toMatch(problem);
});

test('top: the text of a picture', () => {
  const rate = (name: string, perSecond: number) => ({ name, perSecond });
  const picture: Picture = {
    ...{ url: 'https://127.0.0.1:6443/', seconds: 2, requestsPerSecond: 412.5, errorsPerSecond: 0.5 },
    ...{ underWay: 1, watches: 37, objects: 1204, storeBytes: 3 * 2 ** 20, memoryBytes: 143 * 2 ** 20 },
    processorShare: 0.41,
    verbs: [rate('GET', 300), rate('LIST', 112.5)],
    users: [rate('system:node:worker-1', 212.5), rate('evil\u001b[2J', 200)],
    slowest: [
      {
        ...{ durationMs: 18.2, verb: 'list', path: '/api/v1/pods', user: 'system:kube-scheduler', status: 200 },
        slowestStage: 'SerializeObject',
      },
    ],
    threads: [
      { thread: '0', load: 0.4, heapBytes: 90 * 2 ** 20 },
      { thread: '1', load: 0.04, heapBytes: 40 * 2 ** 20 },
    ],
    priorityLevels: [
      { priorityLevel: 'global-default', executingSeats: 2, limitSeats: 49, waiting: 3, refusedPerSecond: 0 },
    ],
  };
  expect(pictureText(picture)).toMatchInlineSnapshot(`
    "server    https://127.0.0.1:6443/, the last 2 s
    requests  412.5/s, 0.5/s failed, 1 under way, 37 watches
    process   41 % of a processor, 143 MiB
    store     1204 objects, 3 MiB

    VERB  PER SECOND
    GET   300
    LIST  112.5

    USER                  PER SECOND
    system:node:worker-1  212.5
    evil\\u001b[2J         200

    SLOWEST  STATUS  VERB  PATH          USER                   LONGEST PART
    18.2 ms  200     list  /api/v1/pods  system:kube-scheduler  SerializeObject

    PRIORITY LEVEL  SEATS  LIMIT  WAITING  REFUSED PER SECOND
    global-default  2      49     3        0

    THREAD  BUSY  MEMORY
    main    40 %  90 MiB
    1       4 %   40 MiB
    "
  `);
});
