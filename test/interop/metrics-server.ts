// A small metrics server: what nodes and pods use, as `kubectl top` asks for it.

import { Backend, json } from '../integration/backend.ts';

const apiVersion = 'metrics.k8s.io/v1beta1';
const at = { timestamp: '2030-01-01T00:00:00Z', window: '30s' };

const nodes = [{ metadata: { name: 'node-a' }, ...at, usage: { cpu: '250m', memory: '512Mi' } }];
const pod = (namespace: string) => ({
  metadata: { name: 'web', namespace },
  ...at,
  containers: [
    { name: 'main', usage: { cpu: '100m', memory: '64Mi' } },
    { name: 'side', usage: { cpu: '20m', memory: '16Mi' } },
  ],
});

const resource = (name: string, kind: string, namespaced: boolean) => ({
  ...{ name, kind, namespaced, singularName: '', verbs: ['get', 'list'] },
});

const resources = [resource('nodes', 'NodeMetrics', false), resource('pods', 'PodMetrics', true)];

function answerTo(path: string): object | undefined {
  const [, namespace, plural = path.split('/')[4]] = /\/namespaces\/([^/]+)\/(\w+)/.exec(path) ?? [];
  if (path === `/apis/${apiVersion}`)
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersion, resources };
  if (plural === 'nodes') return { kind: 'NodeMetricsList', apiVersion, metadata: {}, items: nodes };
  if (plural === 'pods')
    return { kind: 'PodMetricsList', apiVersion, metadata: {}, items: [pod(namespace ?? 'default')] };
  return undefined;
}

export const openMetricsServer = (): Promise<Backend> =>
  Backend.open((_, response, { url }) => {
    const found = answerTo(url.split('?')[0] ?? '');
    json(response, found ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 }, found ? 200 : 404);
  });
