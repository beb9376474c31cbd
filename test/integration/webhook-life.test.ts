// Many webhooks on one resource, and configurations that come and go while they are called.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { AdmissionHooks, allow, configurations, install, label } from './admission-hooks.ts';
import { type Api, apiOf } from './api.ts';

let server: Server;
let api: Api;
let hooks: AdmissionHooks;
beforeAll(async () => {
  hooks = await AdmissionHooks.open();
  server = await startTestServer({ listen: false, controllers: [] });
  api = apiOf(server);
});
afterAll(async () => {
  await server.close();
  await hooks[Symbol.asyncDispose]();
});

async function home(name: string): Promise<string> {
  expect((await api.post('/api/v1/namespaces', { metadata: { name } })).status).toBe(201);
  return `/api/v1/namespaces/${name}/configmaps`;
}

const map = (name: string) => ({ metadata: { name, labels: { own: 'x' } } });
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test('hundreds of webhooks are asked about one write, each once, and all that change it do', async () => {
  const path = await home('crowd');
  const changing = numbers(100).map((i) => hooks.hook(`/crowd/m${i}`, () => label(`l${i}`, 'x')));
  const looking = numbers(200).map((i) => hooks.hook(`/crowd/v${i}`, () => allow));
  await install(api, 'mutating', 'crowd', ...changing);
  await install(api, 'validating', 'crowd', ...looking);
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on('warning', note);
  const { status, body } = await api.post(path, map('one'));
  expect(status).toBe(201);
  expect(Object.keys(body.metadata.labels)).toHaveLength(101);
  const asked = hooks.reviews.filter((one) => one.path.startsWith('/crowd/'));
  expect(asked).toHaveLength(300);
  expect(new Set(asked.map((one) => one.path)).size).toBe(300);
  process.off('warning', note);
  expect(warnings).toEqual([]);
}, 60_000);

test('configurations that come, change and go while writes wait for them never fail a write', async () => {
  const path = await home('churn');
  const configuration = `${configurations.validating}/churn`;
  const webhook = hooks.hook('/churn/v', () => allow);
  let isOver = false;
  const churn = async (): Promise<number> => {
    let turns = 0;
    for (; !isOver; turns++) {
      await install(api, 'validating', 'churn', webhook);
      const timeout = [{ op: 'replace', path: '/webhooks/0/timeoutSeconds', value: 7 }];
      expect((await api.patch('json', configuration, timeout)).status).toBe(200);
      expect((await api.delete(configuration)).status).toBe(200);
    }
    return turns;
  };
  const churning = churn();
  const write = async (lane: number) => {
    for (const i of numbers(15)) expect((await api.post(path, map(`c-${lane}-${i}`))).status).toBe(201);
  };
  await Promise.all(numbers(6).map(write));
  isOver = true;
  expect(await churning).toBeGreaterThan(0);
  const before = hooks.asked('/churn/v').length;
  expect((await api.post(path, map('last'))).status).toBe(201);
  expect(hooks.asked('/churn/v')).toHaveLength(before);
}, 60_000);
