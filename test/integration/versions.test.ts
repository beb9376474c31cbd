// Versions of one stored object, switched by --runtime-config, and what is said about old ones.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  const runtimeConfig = {
    'extensions/v1beta1': true,
    'policy/v1beta1': true,
    'networking.k8s.io/v1beta1/ingresses': true,
    'batch/v1/cronjobs': false,
    'autoscaling/v2beta1': true,
    'events.k8s.io/v1beta1': true,
    'authentication.k8s.io/v1beta1': true,
    'authorization.k8s.io/v1beta1': true,
  };
  server = await startTestServer({ listen: false, runtimeConfig });
  api = apiOf(server);
});
afterAll(() => server.close());

const old = '/apis/extensions/v1beta1/namespaces/default/ingresses';
const current = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';

function ingress(name: string): object {
  const backend = { serviceName: 'web', servicePort: 80 };
  return { apiVersion: 'extensions/v1beta1', kind: 'Ingress', metadata: { name }, spec: { backend } };
}

describe('two versions of one object', () => {
  test('read and write the same', async () => {
    const created = await api.post(old, ingress('both'));
    expect(created).toMatchObject({
      status: 201,
      body: { spec: { backend: { serviceName: 'web', servicePort: 80 } } },
    });
    const seen = await api.get(`${current}/both`);
    expect(seen.body).toMatchObject({
      apiVersion: 'networking.k8s.io/v1',
      metadata: { uid: created.body.metadata.uid, resourceVersion: created.body.metadata.resourceVersion },
      spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
    });
    const port = { number: null, name: 'http' };
    await api.patch('merge', `${current}/both`, { spec: { defaultBackend: { service: { port } } } });
    expect((await api.get(`${old}/both`)).body.spec.backend).toEqual({ serviceName: 'web', servicePort: 'http' });
  });

  test('are lists of the same objects', async () => {
    await api.post(old, ingress('listed'));
    for (const path of [old, current]) {
      const { items, kind } = (await api.get(path)).body;
      expect(kind).toBe('IngressList');
      expect(items.map((item: { metadata: { name: string } }) => item.metadata.name)).toContain('listed');
    }
  });

  test('a name taken in one is taken in the other', async () => {
    await api.post(old, ingress('taken'));
    const again = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'taken' } };
    const spec = { defaultBackend: { service: { name: 'web', port: { number: 80 } } } };
    expect((await api.post(current, { ...again, spec })).body).toMatchObject({ code: 409, reason: 'AlreadyExists' });
  });
});

describe('removed versions that an option asked for', () => {
  test('an autoscaler has flat metrics', async () => {
    const resource = { name: 'memory', targetAverageValue: '1Gi' };
    const created = await api.post('/apis/autoscaling/v2beta1/namespaces/default/horizontalpodautoscalers', {
      metadata: { name: 'flat' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        maxReplicas: 2,
        metrics: [{ type: 'Resource', resource }],
      },
    });
    expect(created).toMatchObject({ status: 201, body: { spec: { minReplicas: 1, metrics: [{ resource }] } } });
    const seen = await api.get('/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/flat');
    expect(seen.body.spec.metrics).toEqual([
      { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } },
    ]);
  });

  test('an event may leave out what is needed now', async () => {
    const event = { metadata: { name: 'e' }, regarding: { kind: 'Pod', name: 'p', namespace: 'default' }, note: 'n' };
    const path = (version: string) => `/apis/events.k8s.io/${version}/namespaces/default/events`;
    expect((await api.post(path('v1'), event)).status).toBe(422);
    expect(await api.post(path('v1beta1'), event)).toMatchObject({ status: 201, body: { note: 'n' } });
    expect((await api.get('/api/v1/namespaces/default/events/e')).body).toMatchObject({ message: 'n' });
  });

  test('a review has its groups in one called group', async () => {
    const resourceAttributes = { verb: 'get', resource: 'pods' };
    const spec = { group: ['system:masters'], resourceAttributes };
    const { status, body, headers } = await api.post('/apis/authorization.k8s.io/v1beta1/subjectaccessreviews', {
      spec,
    });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { apiVersion: 'authorization.k8s.io/v1beta1', spec, status: { allowed: true } },
    });
    expect(headers.get('warning')).toContain(
      'authorization.k8s.io/v1beta1 SubjectAccessReview is deprecated in v1.19+',
    );
    const self = await api.post('/apis/authentication.k8s.io/v1beta1/selfsubjectreviews', {});
    expect(self.body.status.userInfo.groups).toContain('system:masters');
  });
});

describe('deprecated versions', () => {
  test('warn, in the words clients know', async () => {
    const { headers } = await api.get(old);
    expect(headers.get('warning')).toBe(
      '299 - "extensions/v1beta1 Ingress is deprecated in v1.14+, unavailable in v1.22+; use networking.k8s.io/v1 Ingress"',
    );
    expect((await api.get(current)).headers.get('warning')).toBeNull();
  });

  test('are counted', async () => {
    await api.get('/apis/policy/v1beta1/poddisruptionbudgets');
    const { body } = await api.get('/metrics');
    expect(body).toContain(
      'apiserver_requested_deprecated_apis{group="policy",removed_release="1.25",resource="poddisruptionbudgets",subresource="",version="v1beta1"} 1',
    );
  });

  test('of stable kinds warn without an end', async () => {
    const { headers } = await api.get('/api/v1/endpoints');
    expect(headers.get('warning')).toContain('v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1');
  });
});

describe('switches', () => {
  test.each([
    ['/apis/batch/v1/cronjobs', 404],
    ['/apis/batch/v1/jobs', 200],
    ['/apis/networking.k8s.io/v1beta1/ingresses', 200],
    ['/apis/networking.k8s.io/v1beta1/ipaddresses', 404],
    ['/apis/apps/v1beta2/deployments', 404],
  ])('%s answers %i', async (path, status) => expect((await api.get(path)).status).toBe(status));

  test('that are not known are refused', async () => {
    await expect(startTestServer({ listen: false, runtimeConfig: { 'nope/v1': true } })).rejects.toThrow(
      /runtimeConfig: "nope\/v1"/,
    );
  });
});
