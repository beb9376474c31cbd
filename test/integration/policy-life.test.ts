// Policies over time: their status, audit, many of them, changes while writes go on, other servers on the same store.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createServer } from '../../src/index.ts';
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { expectLess, expectNoWait, processorMs } from '../../src/testing/processor-time.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { apiOf, configMap, configMaps } from './api.ts';
import { eventually } from './eventually.ts';
import { bindings, bindMutatingPolicy, bindPolicy, matching, mutatingPolicy, policies, policy } from './policies.ts';

const still = { controllers: [] };
const quiet = { ...still, listen: false };

test('the status says what expressions mean for the types that a policy is about', async () => {
  await using server = await startTestServer({ listen: false });
  const api = apiOf(server);
  await policy(api, 'typed', {
    matchConstraints: matching('apps/deployments', 'configmaps'),
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    variables: [{ name: 'most', expression: 'params.data.most' }],
    validations: [
      { expression: 'object.spec.replicas > variables.most', messageExpression: "'a' + string(object.spec.nothing)" },
      { expression: "object.metadata.name != ''" },
    ],
  });
  const status = async () => (await api.get(`${policies}/typed`)).body.status;
  await eventually(async () => expect((await status())?.observedGeneration).toBe(1));
  const { typeChecking } = await status();
  expect(typeChecking.expressionWarnings.map(({ fieldRef }: { fieldRef: string }) => fieldRef)).toEqual([
    'spec.validations[0].expression',
    'spec.validations[0].messageExpression',
  ]);
  const [{ warning }] = typeChecking.expressionWarnings;
  expect(warning).toContain("/v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'spec'");
  expect(warning).toContain(
    "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'",
  );
  await api.patch('merge', `${policies}/typed`, { spec: { validations: [{ expression: 'true' }] } });
  await eventually(async () => expect(await status()).toEqual({ observedGeneration: 2 }));
});

test('audit events have annotations of policies, and what failed without being refused', async () => {
  using folder = new TempFolder();
  const path = join(folder.path, 'audit.log');
  writeFileSync(
    join(folder.path, 'policy.yaml'),
    'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n',
  );
  const server = await startTestServer({
    ...quiet,
    audit: { policyFile: join(folder.path, 'policy.yaml'), log: { path } },
  });
  const api = apiOf(server);
  await policy(api, 'audited', {
    validations: [
      { expression: 'true' },
      { expression: "object.data.a == 'b'", message: 'a is b' },
      { expression: 'false' },
    ],
    auditAnnotations: [
      { key: 'size', valueExpression: "'size ' + string(object.data.size())" },
      { key: 'none', valueExpression: 'null' },
    ],
  });
  await bindPolicy(api, 'audited', { spec: { validationActions: ['Audit'] } });
  await bindPolicy(api, 'audited-again', { policyName: 'audited', spec: { validationActions: ['Audit'] } });
  expect((await api.post(configMaps, configMap('noted', { a: 'c' }))).status).toBe(201);
  await server.close();
  const events = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const event = events.find(({ objectRef, stage }) => objectRef?.name === 'noted' && stage === 'ResponseComplete');
  expect(event.annotations['audited/size']).toBe('size 1');
  expect(event.annotations).not.toHaveProperty('audited/none');
  expect(JSON.parse(event.annotations['validation.policy.admission.k8s.io/validation_failure'])).toEqual([
    { message: 'a is b', policy: 'audited', binding: 'audited', expressionIndex: 1, validationActions: ['Audit'] },
  ]);
});

/** What one of many writes takes, in milliseconds of processor time. */
async function costOf(create: (name: string) => Promise<number>): Promise<number> {
  const began = processorMs();
  for (let round = 0; round < 50; round++) expect(await create('b')).toBe(201);
  return (processorMs() - began) / 50;
}

test('hundreds of policies cost a write little, and only those that are about it', async () => {
  await using server = await startTestServer(quiet);
  const api = apiOf(server);
  const create = async (name: string, labels = {}) =>
    (await api.post(`${configMaps}?dryRun=All`, configMap(name, {}, { labels }))).status;
  const plain = await costOf(create);
  const many = Array.from({ length: 300 }, (_, index) => index);
  await Promise.all(
    many.map(async (index) => {
      const name = `many-${index}`;
      const resource = index % 3 === 0 ? 'configmaps' : 'secrets';
      await policy(api, name, {
        matchConstraints: matching(resource),
        variables: [{ name: 'labels', expression: 'object.metadata.?labels.orValue({})' }],
        validations: [{ expression: `!('not-${index}' in variables.labels) && object.metadata.name.size() < 100` }],
      });
      await bindPolicy(api, name);
    }),
  );
  expect(await create('a', { 'not-0': 'x' })).toBe(422);
  expect(await create('a', { 'not-1': 'x' })).toBe(201);
  // a hundred policies may cost as much as a few plain writes
  await expectLess(plain * 15 + 10, () => costOf(create));
});

test('policies that come, change and go while others write are in force or not, never half', async () => {
  await using server = await startTestServer(quiet);
  const api = apiOf(server);
  let isOver = false;
  const seen = new Set<string>();
  const writer = async () => {
    for (let index = 0; !isOver; index++) {
      const { status, body } = await api.post(`${configMaps}?dryRun=All`, configMap(`w-${index}`));
      seen.add(
        status === 201
          ? `made ${Object.keys(body.metadata.labels ?? {}).join()}`
          : `${status} ${body.message.replace(/^.*request: /, '')}`,
      );
    }
  };
  const writers = [writer(), writer()];
  for (let round = 0; round < 5; round++) {
    const name = `churn-${round}`;
    await policy(api, name, {
      validations: [{ expression: "object.metadata.?labels.late.orValue('') == 'yes'", message: 'no' }],
    });
    await bindPolicy(api, name);
    await mutatingPolicy(api, name, {
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"late": "yes"}}}' },
        },
      ],
    });
    await bindMutatingPolicy(api, name);
    expect((await api.post(`${configMaps}?dryRun=All`, configMap('own'))).body.metadata.labels).toEqual({
      late: 'yes',
    });
    await api.delete(`${bindings}/${name}`);
    await api.delete(`/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies/${name}`);
    expect((await api.post(`${configMaps}?dryRun=All`, configMap('own'))).body.metadata.labels).toBeUndefined();
  }
  isOver = true;
  await Promise.all(writers);
  expect([...seen].filter((one) => !['made ', 'made late', '422 no'].includes(one))).toEqual([]);
});

test('policies that are stored are in force from the first request after a restart', async () => {
  using folder = new TempFolder();
  const options = { ...still, store: 'embedded', dataDir: folder.path } as const;
  const first = await createServer(options);
  await policy(apiOf(first), 'kept', { validations: [{ expression: 'false', message: 'still here' }] });
  await bindPolicy(apiOf(first), 'kept');
  await first.close();
  await using second = await createServer(options);
  expect((await apiOf(second).post(configMaps, configMap('a'))).body.message).toMatch(/still here$/);
});

test('another server on the same store enforces at once', async () => {
  const store = openMemoryStore();
  const [first, second] = await Promise.all([createServer({ ...still, store }), createServer({ ...still, store })]);
  const other = apiOf(second);
  await policy(apiOf(first), 'shared', { validations: [{ expression: 'false', message: 'everywhere' }] });
  await bindPolicy(apiOf(first), 'shared');
  await expectNoWait(1000, () =>
    eventually(async () => {
      expect((await other.post(`${configMaps}?dryRun=All`, configMap('a'))).body.message).toMatch(/everywhere$/);
    }),
  );
  await apiOf(first).delete(`${bindings}/shared`);
  await eventually(async () => {
    expect((await other.post(`${configMaps}?dryRun=All`, configMap('a'))).status).toBe(201);
  });
  await first.close();
  await second.close();
});
