// The objects of the benchmark: ConfigMaps like people write them, of a given size, and the requests on them.
import { COUNTER } from './generator/hpack.mjs';

const SETTINGS = 'log.level=info\nlog.format=json\nhttp.timeout=30s\nhttp.retries=3\ncache.size="64MiB"\n';
const JSON_TYPE = 'application/json';
const READ = { accept: JSON_TYPE, 'user-agent': 'keelson-bench' };

/** A ConfigMap whose compact JSON has exactly `size` bytes. */
export function configMap({ name, namespace, size }) {
  const labels = { app: 'bench', tier: 'backend' };
  const metadata = { name, namespace, labels };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { revision: COUNTER, settings: '' } };
  const room = size - JSON.stringify(object).length;
  object.data.settings = fill(room);
  return object;
}

/** Text that takes `room` bytes inside a JSON string. */
export function fill(room) {
  const escaped = JSON.stringify(SETTINGS).slice(1, -1);
  const whole = SETTINGS.repeat(Math.floor(room / escaped.length));
  return whole + 'x'.repeat(room % escaped.length);
}

export function collection(namespace) {
  return `/api/v1/namespaces/${namespace}/configmaps`;
}

export function get(path) {
  return { path, headers: READ };
}

/** The same request for an answer in another form. */
export function accepting(request, accept) {
  return { ...request, headers: { ...request.headers, accept } };
}

export function post(path, object) {
  return { method: 'POST', path, headers: { ...READ, 'content-type': JSON_TYPE }, body: JSON.stringify(object) };
}

export function pods(namespace) {
  return `/api/v1/namespaces/${namespace}/pods`;
}

/** A pod as a controller makes it. */
export function pod({ name, namespace }) {
  const resources = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', memory: '256Mi' } };
  const container = {
    ...{ name: 'web', image: 'example.com/web:1.2.3', resources },
    ports: [{ name: 'http', containerPort: 8080 }],
    env: [{ name: 'LOG_LEVEL', value: 'info' }],
    readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
  };
  const metadata = { name, namespace, labels: { app: 'web', 'pod-template-hash': '5d9c7b8f6' } };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [container] } };
}

/** A pod of 1.5 KB with two containers, whose template a person wrote with probes, resources and a volume. */
export function webPod({ name, namespace }) {
  const resources = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', memory: '256Mi' } };
  const env = [
    { name: 'LOG_LEVEL', value: 'info' },
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ];
  const common = { image: 'registry.example.com/web:1.2.3', imagePullPolicy: 'IfNotPresent', resources, env };
  const web = {
    ...{ name: 'web', ...common },
    ports: [{ name: 'http', containerPort: 8080 }],
    readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
    livenessProbe: { httpGet: { path: '/live', port: 8080 }, periodSeconds: 5 },
    volumeMounts: [{ name: 'config', mountPath: '/etc/config', readOnly: true }],
  };
  const sidecar = {
    ...{ name: 'sidecar', ...common },
    args: ['--port', '9000'],
    ports: [{ name: 'metrics', containerPort: 9000 }],
    volumeMounts: [{ name: 'config', mountPath: '/etc/config' }],
  };
  const spec = {
    containers: [web, sidecar],
    volumes: [{ name: 'config', configMap: { name: 'config' } }],
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }],
  };
  const annotations = { 'example.com/owner': 'team-a' };
  const metadata = { name, namespace, labels: { app: 'web', 'pod-template-hash': '5d9c7b8f6' }, annotations };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec };
}

export function deployments(namespace) {
  return `/apis/apps/v1/namespaces/${namespace}/deployments`;
}

/** A Deployment with one container of many ports, whose annotation changes with every request. */
export function deployment({ name, namespace, ports }) {
  const labels = { app: name };
  const list = Array.from({ length: ports }, (_, index) => ({ containerPort: 1000 + index, name: `p${index}` }));
  const containers = [{ name: 'main', image: 'registry.example/app:1', ports: list }];
  const metadata = { name, namespace, labels, annotations: { revision: COUNTER } };
  const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec };
}

/** Server-side apply of a whole object, always by the same manager. */
export function applyPatch(path, object) {
  const headers = { ...READ, 'content-type': 'application/apply-patch+yaml' };
  return { method: 'PATCH', path: `${path}?fieldManager=bench`, headers, body: JSON.stringify(object) };
}

/** Changes one value, to another one each time: a patch that changes nothing would not be written. */
export function mergePatch(path) {
  const headers = { ...READ, 'content-type': 'application/merge-patch+json' };
  return { method: 'PATCH', path, headers, body: JSON.stringify({ data: { revision: COUNTER } }) };
}
