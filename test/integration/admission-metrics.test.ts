// What admission counts: names, labels and bounds are those of kube-apiserver 1.36.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer } from '../../src/testing/index.ts';
import { AdmissionHooks, allow, install } from './admission-hooks.ts';
import { type Api, apiOf, configMaps } from './api.ts';
import { bindMutatingPolicy, bindPolicy, mutatingPolicy, policy } from './policies.ts';

let server: Awaited<ReturnType<typeof startTestServer>>;
let api: Api;
let hooks: AdmissionHooks;
beforeAll(async () => {
  hooks = await AdmissionHooks.open();
  server = await startTestServer({ controllers: [] });
  api = apiOf(server);
});
afterAll(async () => {
  await server.close();
  await hooks[Symbol.asyncDispose]();
});

async function home(name: string): Promise<string> {
  await api.post('/api/v1/namespaces', { metadata: { name } });
  return configMaps.replace('default', name);
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

async function scrape(): Promise<{ text: string; samples: readonly Sample[] }> {
  const { body } = await api.get('/metrics');
  const text = String(body);
  const samples = text.split('\n').flatMap((line) => {
    const [, name = '', inner = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    const labels = Object.fromEntries([...inner.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, one]) => [key, one]));
    return name === '' ? [] : [{ name, labels, value: Number(value) }];
  });
  return { text, samples };
}

const short = ['0.005', '0.025', '0.1', '0.5', '1', '2.5'];
const ofConditions = ['0.001', '0.005', '0.01', '0.025', '0.1', '0.2', '0.25'];
const ofPolicies = ['5e-07', '0.001', '0.01', '0.1', '1'];

/** Type, labels and bounds of each metric. */
const known: readonly [string, string, readonly string[], (readonly string[])?][] = [
  ['admission_step_admission_duration_seconds', 'histogram', ['type', 'operation', 'rejected'], short],
  ['admission_step_admission_duration_seconds_summary', 'summary', ['type', 'operation', 'rejected', 'quantile']],
  ['admission_controller_admission_duration_seconds', 'histogram', ['name', 'type', 'operation', 'rejected'], short],
  [
    'admission_webhook_admission_duration_seconds',
    'histogram',
    ['name', 'type', 'operation', 'rejected'],
    [...short, '10', '25'],
  ],
  ['admission_webhook_rejection_count', 'counter', ['name', 'type', 'operation', 'error_type', 'rejection_code']],
  ['admission_webhook_fail_open_count', 'counter', ['name', 'type']],
  ['admission_webhook_request_total', 'counter', ['name', 'type', 'operation', 'code', 'rejected']],
  ['admission_match_condition_evaluation_errors_total', 'counter', ['name', 'kind', 'type', 'operation']],
  ['admission_match_condition_exclusions_total', 'counter', ['name', 'kind', 'type', 'operation']],
  ['admission_match_condition_evaluation_seconds', 'histogram', ['name', 'kind', 'type', 'operation'], ofConditions],
  [
    'validating_admission_policy_check_total',
    'counter',
    ['policy', 'policy_binding', 'error_type', 'enforcement_action'],
  ],
  [
    'validating_admission_policy_check_duration_seconds',
    'histogram',
    ['policy', 'policy_binding', 'error_type', 'enforcement_action'],
    ofPolicies,
  ],
  ['mutating_admission_policy_check_total', 'counter', ['policy', 'policy_binding', 'error_type']],
  [
    'mutating_admission_policy_check_duration_seconds',
    'histogram',
    ['policy', 'policy_binding', 'error_type'],
    ofPolicies,
  ],
];

async function provoke(): Promise<string> {
  const path = await home('counted');
  const [held, broken] = [
    { name: 'no', expression: 'false' },
    { name: 'broken', expression: 'object.data.missing == 1' },
  ];
  await install(
    api,
    'validating',
    'counted',
    hooks.hook('/counted/allows', () => allow),
    hooks.hook('/counted/denies', ({ request }) => ({ allowed: request.name !== 'denied', status: { code: 777 } })),
    hooks.hook('/counted/left-out', () => allow, { matchConditions: [held] }),
    hooks.hook('/counted/broken', () => allow, { matchConditions: [broken], failurePolicy: 'Ignore' }),
    hooks.hook('/counted/gone', () => allow, {
      clientConfig: { url: 'https://127.0.0.1:1/' },
      failurePolicy: 'Ignore',
    }),
  );
  await policy(api, 'counted', { validations: [{ expression: "object.metadata.name != 'refused'" }] });
  await bindPolicy(api, 'counted', { namespace: 'counted' });
  await policy(api, 'conditional', {
    matchConditions: [broken],
    failurePolicy: 'Ignore',
    validations: [{ expression: 'true' }],
  });
  await bindPolicy(api, 'conditional', { namespace: 'counted' });
  const expression = "Object{metadata: Object.metadata{labels: {'a': 'b'}}}";
  await mutatingPolicy(api, 'counted', {
    mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
  });
  await bindMutatingPolicy(api, 'counted', { namespace: 'counted' });
  const statuses = [];
  for (const name of ['fine', 'denied', 'refused'])
    statuses.push((await api.post(path, { metadata: { name }, data: { a: '1' } })).status);
  expect(statuses).toEqual([201, 500, 422]);
  return path;
}

test('every metric of admission has the name, labels and bounds of the reference', async () => {
  await provoke();
  const { text, samples } = await scrape();
  for (const [name, type, labels, bounds] of known) {
    const full = `apiserver_${name}`;
    expect(text).toContain(`# TYPE ${full} ${type}\n`);
    const own = samples.filter((one) => one.name === (type === 'histogram' ? `${full}_bucket` : full));
    expect([name, own.length > 0]).toEqual([name, true]);
    const found = Object.keys(own[0]?.labels ?? {}).filter((label) => label !== 'le');
    expect([name, found.sort()]).toEqual([name, [...labels].sort()]);
    if (bounds !== undefined) {
      const les = new Set(own.map((one) => one.labels['le']));
      expect([name, [...les]]).toEqual([name, [...bounds, '+Inf']]);
    }
  }
});

test('what happened is counted', async () => {
  const { samples } = await scrape();
  const value = (name: string, labels: object) =>
    samples.find(
      (one) => one.name === `apiserver_${name}` && Object.entries(labels).every(([k, v]) => one.labels[k] === v),
    )?.value;
  const hook = (name: string) => ({ name: `counted-${name}.hooks.example.com` });
  expect(value('admission_webhook_request_total', { ...hook('allows'), code: '200', rejected: 'false' })).toBe(2);
  expect(
    value('admission_webhook_rejection_count', { ...hook('denies'), rejection_code: '600', error_type: 'no_error' }),
  ).toBe(1);
  expect(value('admission_webhook_fail_open_count', { ...hook('gone'), type: 'validating' })).toBe(2);
  const conditions = { kind: 'webhook', type: 'validating', operation: 'CREATE' };
  expect(value('admission_match_condition_exclusions_total', { ...hook('left-out'), ...conditions })).toBe(2);
  expect(value('admission_match_condition_evaluation_errors_total', { ...hook('broken'), ...conditions })).toBe(2);
  const ofPolicy = { name: 'conditional', kind: 'policy', type: 'validate', operation: 'CREATE' };
  expect(value('admission_match_condition_evaluation_errors_total', ofPolicy)).toBe(3);
  expect(value('admission_match_condition_evaluation_seconds_count', ofPolicy)).toBe(3);
  expect(value('validating_admission_policy_check_total', { policy: 'counted', enforcement_action: 'deny' })).toBe(1);
  expect(value('mutating_admission_policy_check_total', { policy: 'counted', error_type: 'no_error' })).toBe(3);
  const refused = { name: 'ValidatingAdmissionPolicy', type: 'validate', operation: 'CREATE', rejected: 'true' };
  expect(value('admission_controller_admission_duration_seconds_count', refused)).toBe(1);
  expect(
    value('admission_step_admission_duration_seconds_summary', { type: 'validate', quantile: '0.99' }),
  ).toBeGreaterThan(0);
});
