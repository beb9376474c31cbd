// What webhooks are asked, field by field: as kube-apiserver 1.36.4 asks them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InProcessFetch, Server } from '../../src/index.ts';
import { cluster, kubernetes } from '../../src/meta/dialect.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { AdmissionHooks } from './admission-hooks.ts';
import { apiOf, configMap, configMaps } from './api.ts';
import { type RecordedStep, runReviewScenario, steady } from './review-scenario.ts';

const file = join(import.meta.dirname, '../conformance/admission-reviews.json');
const recorded = (JSON.parse(readFileSync(file, 'utf8')) as readonly RecordedStep[]).map((step) => ({
  ...step,
  reviews: step.reviews.map(({ hook, request }) => ({ hook, request: steady(request) })),
}));

/** What the specification asks for, under the names of Kubernetes: one recording serves both. */
const { name: _name, rules: _rules, ...names } = kubernetes;
const specified = cluster(names);

/** Mutating webhooks of the reference see a scale as the client sent it, with owners of its own; here as it will be. */
const isScale = ({ request }: RecordedStep['reviews'][number]) => request.subResource === 'scale';
/** The reference asks once more before it removes a pod whose deletion just began. */
const isSecond = ({ request }: RecordedStep['reviews'][number]) => request.oldObject?.metadata?.deletionTimestamp;

const comparable = (step: RecordedStep | undefined) =>
  step && {
    ...step,
    reviews: step.reviews.filter((one) => !isSecond(one) && !(isScale(one) && one.hook === '/mutate')),
  };

describe.each([
  ['kubernetes', kubernetes],
  ['cluster', specified],
])('in the %s dialect', (_, dialect) => {
  let server: Server;
  let hooks: AdmissionHooks;
  let found: ReadonlyMap<string, RecordedStep>;
  beforeAll(async () => {
    server = await startTestServer({
      dialect,
      listen: false,
      // the other controllers of the server would be asked about, too
      controllers: ['customresourcedefinition', '-flowschema-status', '-flowcontrol-bootstrap', '-autoregister'],
      enableAggregatorRouting: true,
    });
    hooks = await AdmissionHooks.open();
    const user = { name: 'admin', uid: 'admin-uid', groups: ['system:masters', 'system:authenticated'] };
    const fetch: InProcessFetch = (path, init) =>
      server.fetch(path, { ...init, user, headers: { ...init?.headers, 'user-agent': 'node' } });
    const steps = await runReviewScenario({ fetch }, hooks);
    found = new Map(steps.map((step) => [step.name, step]));
  });
  afterAll(async () => {
    await server.close();
    await hooks[Symbol.asyncDispose]();
  });

  test.each(recorded.map((step) => [step.name, step] as const))('%s', (name, step) => {
    expect(step.reviews.length).toBeGreaterThan(1);
    expect(comparable(found.get(name))).toEqual(comparable(step));
  });

  test('webhooks of services are looked for at the endpoints where the server routes to them', async () => {
    const api = apiOf(server);
    await api.post('/api/v1/namespaces/default/services', {
      metadata: { name: 'hooks' },
      spec: { ports: [{ port: 443 }] },
    });
    const webhook = hooks.hook('/default', () => undefined, {
      clientConfig: { service: { namespace: 'default', name: 'hooks' } },
    });
    await api.post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
      metadata: { name: 'by-service' },
      webhooks: [webhook],
    });
    const { status, body } = await api.post(configMaps, configMap('asked'));
    expect(status).toBe(500);
    expect(body.message).toContain('no endpoints available for service "hooks"');
  });
});
