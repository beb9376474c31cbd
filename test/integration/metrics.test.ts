// /metrics against what a kube-apiserver 1.36.4 shows: names, types, labels and buckets. metrics.json is what there is
// shortly after its start, later-metrics.json what it can show besides, absent-metrics.json what is not here and why.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import type { MetricEntry } from '../../src/metrics/metric-entry.ts';
import { metricTables } from '../../src/metrics/table/all-metrics.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { apiOf, configMap, configMaps } from './api.ts';
import { definitionOf, definitions, specOf } from './definition-shapes.ts';
import { authentication, bearer, secureCall } from './secure-call.ts';

interface Recorded {
  readonly type: string;
  readonly stability: string;
  readonly labels?: readonly string[];
  readonly buckets?: readonly string[];
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../golden/${name}`, import.meta.url), 'utf8'));
const recorded: Readonly<Record<string, Recorded>> = { ...read('metrics.json'), ...read('later-metrics.json') };
const { noSubject, notMeasured }: Readonly<Record<string, Readonly<Record<string, string>>>> =
  read('absent-metrics.json');

interface Shown {
  type: string;
  stability: string;
  readonly labels: Set<string>;
  readonly buckets: Set<string>;
}

/** What the text says, by metric. */
function parse(text: string): ReadonlyMap<string, Shown> {
  const found = new Map<string, Shown>();
  for (const line of text.split('\n')) {
    const [, help, stability = ''] = /^# HELP (\S+) (?:\[(\w+)\])?/.exec(line) ?? [];
    if (help !== undefined) found.set(help, { type: '', stability, labels: new Set(), buckets: new Set() });
    const [, typed, type = ''] = /^# TYPE (\S+) (\w+)/.exec(line) ?? [];
    if (typed !== undefined) (found.get(typed) as Shown).type = type;
    const [, series, labels = ''] = /^([a-z]\w*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (series !== undefined) addSeries(found, series, labels);
  }
  return found;
}

function addSeries(found: ReadonlyMap<string, Shown>, series: string, labels: string): void {
  const metric = found.get(series) ?? found.get(series.replace(/_(bucket|sum|count)$/, ''));
  for (const [, name = '', value = ''] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
    if (name === 'le') metric?.buckets.add(value);
    else metric?.labels.add(name);
  }
}

let server: Server;
let text = '';
let shown: ReadonlyMap<string, Shown>;

const serviceWith = ({ nodePort, ...spec }: { readonly nodePort?: number; readonly [field: string]: unknown }) => ({
  metadata: { generateName: 'one-' },
  spec: {
    ...spec,
    ...(nodePort ? { type: 'NodePort' } : {}),
    ports: [{ port: 80, ...(nodePort ? { nodePort } : {}) }],
  },
});

/** What makes most of the metrics have values. */
async function use(): Promise<void> {
  const api = apiOf(server);
  await api.post(configMaps, configMap('one'));
  await api.get(`${configMaps}?labelSelector=a=b`);
  await api.get(`${configMaps}?resourceVersion=1&resourceVersionMatch=Exact`);
  await api.put(`${configMaps}/one?fieldValidation=Strict`, { ...configMap('one'), data: { a: 'b' } });
  const watch = await server.fetch(`${configMaps}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`);
  await watch.body?.getReader().read();
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await api.post(accounts, { metadata: { name: 'caller' } });
  const asked = await api.post(`${accounts}/caller/token`, { spec: {} });
  for (let i = 0; i < 2; i++)
    await secureCall(server, 'POST', `${authentication}/selfsubjectreviews`, {
      headers: bearer(asked.body.status.token),
      body: { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' },
    });
  await api.post('/api/v1/namespaces/default/services', {
    metadata: { name: 'web' },
    spec: { type: 'NodePort', ports: [{ port: 80 }] },
  });
  await api.post('/api/v1/namespaces/default/services', {
    metadata: { name: 'chosen' },
    spec: { clusterIP: '10.0.0.7', ports: [{ port: 80 }] },
  });
  for (const spec of [{ clusterIP: '10.0.0.7' }, { nodePort: 30_099 }, { nodePort: 30_099 }])
    await api.post('/api/v1/namespaces/default/services', serviceWith(spec));
  await api.post('/api/v1/nodes', { metadata: { name: 'worker' } });
  await api.post('/api/v1/namespaces/default/pods', {
    metadata: { name: 'placed' },
    spec: { nodeName: 'worker', containers: [{ name: 'a', image: 'i' }] },
  });
  await api.post(definitions, definitionOf({ plural: 'widgets', kind: 'Widget' }));
  await api.patch('merge', '/api/v1/namespaces/default', {
    metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  });
  await api.post('/api/v1/namespaces/default/pods', {
    metadata: { name: 'refused' },
    spec: { containers: [{ name: 'a', image: 'i' }] },
  });
  await secureCall(server, 'GET', '/api/v1/secrets', { headers: bearer(asked.body.status.token) });
}

beforeAll(async () => {
  server = await startTestServer();
  await use();
  text = await (await server.fetch('/metrics')).text();
  shown = parse(text);
});
afterAll(() => server.close());

describe.each(Object.entries(recorded))('%s', (name, wanted) => {
  const reason = noSubject?.[name] ?? notMeasured?.[name];

  if (reason !== undefined)
    test('is left out, for a reason that is told', () => {
      expect(reason).not.toBe('');
      expect(shown.has(name)).toBe(false);
    });
  else
    test('has the type, the stability, the labels and the buckets of the reference', () => {
      const { type, stability, labels, buckets } = shown.get(name) ?? expect.fail('it is not shown');
      expect([type, stability]).toEqual([wanted.type, wanted.stability === '' ? 'ALPHA' : wanted.stability]);
      if (labels.size > 0) expect([...labels].sort()).toEqual(wanted.labels);
      if (buckets.size > 0) expect([...buckets]).toEqual(wanted.buckets);
    });
});

test('no metric is left out that is not among those of the reference', () => {
  const left = [...Object.keys(noSubject ?? {}), ...Object.keys(notMeasured ?? {})];
  expect(left.filter((name) => !Object.hasOwn(recorded, name))).toEqual([]);
});

test('metrics show no labels that their entries in the tables lack', () => {
  const entries = Object.entries<MetricEntry>(Object.assign({}, ...Object.values(metricTables)));
  const other = entries.flatMap(([name, { labels }]) =>
    [...(shown.get(name)?.labels ?? [])]
      .filter((label) => label !== 'quantile' && !labels.includes(label))
      .map((label) => `${name}: ${label}`),
  );
  expect(other).toEqual([]);
});

describe('numbers come from what happened', () => {
  test.each([
    /^go_goroutines [1-9]\d*$/m,
    /^rest_client_requests_total\{code="201",host="loopback",method="POST"\} [1-9]/m,
    /^apiserver_current_inqueue_requests\{request_kind="mutating"\} 0$/m,
    /^workqueue_queue_duration_seconds_bucket\{.*le="1e-08"\} \d/m,
    /^apiserver_watch_events_total\{.*resource="configmaps".*\} [1-9]/m,
    /^apiserver_watch_list_duration_seconds_count\{.*scope="namespace".*\} 1$/m,
    /^etcd_requests_total\{operation="create",group="",resource="configmaps"\} [1-9]/m,
    /^etcd_requests_total\{operation="update",group="",resource="configmaps"\} [1-9]/m,
    /^apiserver_cache_list_total\{group="",resource="configmaps",index=""\} [1-9]/m,
    /^apiserver_storage_list_total\{group="",resource="configmaps"\} [1-9]/m,
    /^apiserver_watch_cache_consistent_read_total\{.*resource="configmaps".*success="true".*\} [1-9]/m,
    /^apiserver_request_body_size_bytes_count\{group="",resource="configmaps",verb="create"\} [1-9]/m,
    /^field_validation_request_duration_seconds_count\{field_validation="Strict"\} 1$/m,
    /^apiserver_selfrequest_total\{.*resource="namespaces".*\} [1-9]/m,
    /^serviceaccount_valid_tokens_total 0$/m,
    /^serviceaccount_legacy_tokens_total 0$/m,
    /^authentication_token_cache_request_total\{status="miss"\} 1$/m,
    /^authentication_token_cache_request_total\{status="hit"\} 2$/m,
    /^authentication_duration_seconds_count\{result="success"\} [1-9]/m,
    /^authorization_attempts_total\{result="no_opinion"\} 1$/m,
    /^apiserver_request_filter_duration_seconds_count\{filter="authorization"\} [1-9]/m,
    /^apiserver_request_sli_duration_seconds_count\{.*verb="POST".*\} [1-9]/m,
    /^kube_apiserver_clusterip_allocator_allocated_ips\{cidr="10.0.0.0\/24"\} 4$/m,
    /^kube_apiserver_clusterip_allocator_available_ips\{cidr="10.0.0.0\/24"\} 250$/m,
    /^kube_apiserver_clusterip_allocator_allocation_total\{cidr="10.0.0.0\/24",scope="dynamic"\} 3$/m,
    /^kube_apiserver_clusterip_allocator_allocation_total\{cidr="10.0.0.0\/24",scope="static"\} [12]$/m,
    /^kube_apiserver_clusterip_allocator_allocation_duration_seconds_count\{cidr="10.0.0.0\/24"\} [45]$/m,
    /^kube_apiserver_nodeport_allocator_allocated_ports 2$/m,
    /^kube_apiserver_nodeport_allocator_available_ports 2766$/m,
    /^kube_apiserver_clusterip_allocator_allocation_errors_total\{cidr="10.0.0.0\/24",scope="static"\} 1$/m,
    /^kube_apiserver_nodeport_allocator_allocation_total\{scope="dynamic"\} 1$/m,
    /^kube_apiserver_nodeport_allocator_allocation_total\{scope="static"\} 1$/m,
    /^kube_apiserver_nodeport_allocator_allocation_errors_total\{scope="static"\} 1$/m,
    /^apiextensions_openapi_v2_regeneration_count\{crd="widgets.example.com",reason="add"\} 1$/m,
    /^apiextensions_openapi_v3_regeneration_count\{crd="widgets.example.com",group="example.com",reason="add",version="v1"\} 1$/m,
    /^apiserver_init_events_total\{group="",resource="configmaps"\} [1-9]/m,
    /^apiserver_request_filter_duration_seconds_count\{filter="constrainedimpersonation"\} [1-9]/m,
    /^node_authorizer_graph_actions_duration_seconds_count\{operation="AddPod"\} [1-9]/m,
    /^pod_security_exemptions_total\{request_operation="update",resource="controller",subresource=""\} 0$/m,
    /^process_virtual_memory_max_bytes [1-9]/m,
    /^process_network_receive_bytes_total \d/m,
    /^process_network_transmit_bytes_total \d/m,
    /^authentication_token_cache_request_duration_seconds_count\{status="hit"\} 2$/m,
    /^pod_security_evaluations_total\{decision="deny",policy_level="restricted",policy_version="latest",mode="enforce",request_operation="create",resource="pod",subresource=""\} 1$/m,
    /^pod_security_exemptions_total\{request_operation="create",resource="pod",subresource=""\} 0$/m,
    /^version_info\{binary="1.36.4",component="kube",emulation="1.36",min_compat="1.35"\} 1$/m,
    /^apiserver_resource_size_estimate_bytes\{group="",resource="configmaps"\} [1-9]\d\d/m,
  ])('%s', (line) => {
    expect(text).toMatch(line);
  });

  test('processor time is that of the whole process, also in the first scrape', async () => {
    const before = process.cpuUsage();
    await using other = await startTestServer({ listen: false });
    const first = await (await other.fetch('/metrics')).text();
    const secondsOf = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(first)?.[1]);
    expect(secondsOf('process_cpu_seconds_total')).toBeGreaterThan((before.user + before.system) / 1e6);
    expect(secondsOf('process_cpu_user_seconds_total')).toBeGreaterThan(before.user / 1e6);
    expect(secondsOf('process_cpu_system_seconds_total')).toBeGreaterThanOrEqual(before.system / 1e6);
  });

  test('rules of custom resources are timed', async () => {
    const other = await startTestServer({ listen: false, controllers: [] });
    const api = apiOf(server);
    const counted = async (of = api) => {
      const { body } = await of.get('/metrics');
      return Number(/^apiserver_cel_compilation_duration_seconds_count (\d+)$/m.exec(body as string)?.[1]);
    };
    const before = await counted();
    const rule = { rule: `self.size >= ${process.pid}`, message: 'too small' };
    const schema = specOf({
      ...{ type: 'object', properties: { size: { type: 'integer' } } },
      'x-kubernetes-validations': [rule],
    });
    expect((await api.post(definitions, definitionOf({ plural: 'ruled', kind: 'Ruled', schema }))).status).toBe(201);
    expect(await counted()).toBeGreaterThan(before);
    // another server of the process has had none
    expect(await counted(apiOf(other))).toBe(0);
    await other.close();
  });
});

test('requests are counted again once the metrics were deleted', async () => {
  const fresh = await startTestServer({ listen: false, controllers: [] });
  try {
    const isCounted = async () =>
      /^apiserver_request_total\{.*resource="nodes"/m.test(await (await fresh.fetch('/metrics')).text());
    await fresh.fetch('/api/v1/nodes');
    expect(await isCounted()).toBe(true);
    const reset = await fresh.fetch('/metrics', { method: 'DELETE' });
    expect([reset.status, await reset.text()]).toEqual([200, 'metrics reset\n']);
    expect(await isCounted()).toBe(false);
  } finally {
    await fresh.close();
  }
});
