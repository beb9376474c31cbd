// A start on many pods: until it is ready, its own memory then, the first whole list, and its own memory after that.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../api.mjs';
import { fill, get, pods, webPod } from '../objects.mjs';
import { startKeelson } from '../processes/keelson.mjs';
import { processorSeconds } from '../processes/usage.mjs';
import { median, spread } from '../stats.mjs';

/** As large as the pods of a cluster: with what kubelets and controllers write into them. */
const POD_BYTES = 10_000;
const NODES = 500;
const CONNECTIONS = 8;
const SETTLED_MS = 1000;
const NAMESPACE = 'bench-restart';
// no service account is there yet when the first pod comes
const args = ['--disable-admission-plugins=ServiceAccount'];

let filled;

/** `restart-ready` in seconds, `restart-list` in seconds, `restart-memory` in MiB. All three use one data folder. */
export async function measureRestart({ name, scope, command, pace }) {
  filled ??= fillFolder({ scope, command, count: pace.pods });
  const dataDir = await filled;
  const values = [];
  for (let round = 0; round < pace.fresh; round += 1)
    values.push((await restart({ scope, command, dataDir, count: pace.pods }))[name]);
  return { value: median(values), spread: spread(values), rounds: { keelson: values } };
}

export async function restart({ scope, command, dataDir, count }) {
  const began = performance.now();
  const server = await startKeelson({ scope, command, dataDir });
  try {
    const ready = (performance.now() - began) / 1000;
    const atReady = processorSeconds(server.child.pid);
    const list = await listAll(server, count);
    const atList = processorSeconds(server.child.pid);
    await delay(SETTLED_MS);
    const memory = ownMiB(server.child.pid);
    const processor = { ready: atReady, list: atList - atReady };
    return { 'restart-ready': ready, 'restart-list': list, 'restart-memory': memory, processor };
  } finally {
    await server.stop();
  }
}

/** Seconds until the last byte of all pods. */
async function listAll({ target }, count) {
  const api = new Api(target, { requestMs: 300_000 });
  try {
    const began = performance.now();
    const { bytes, names } = await api.count(get('/api/v1/pods'), '"name":"item-');
    if (names !== count) throw new Error(`the list has ${names} pods and ${bytes} bytes instead of ${count} pods`);
    return (performance.now() - began) / 1000;
  } finally {
    api.close();
  }
}

/** Without pages of the data file, which the system takes back when it needs them. */
function ownMiB(pid) {
  const found = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return found ? Number(found[1]) / 1024 : Number.NaN;
}

export async function fillFolder({ scope, command, count, dataDir = scope.folder('restart') }) {
  const server = await startKeelson({ scope, command, dataDir, args });
  const apis = Array.from({ length: CONNECTIONS }, () => new Api(server.target));
  const [api] = apis;
  await api.createNamespace(NAMESPACE);
  // pods on nodes that do not exist are deleted
  for (let index = 0; index < NODES; index += 1)
    await api.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: `node-${index}` } });
  await Promise.all(apis.map((one, part) => createPods(one, part, count)));
  for (const one of apis) one.close();
  await server.stop();
  return dataDir;
}

async function createPods(api, part, count) {
  for (let index = part; index < count; index += CONNECTIONS) {
    const object = webPod({ name: `item-${index}`, namespace: NAMESPACE });
    object.spec.nodeName = `node-${index % NODES}`;
    object.metadata.annotations['example.com/notes'] = fill(POD_BYTES - JSON.stringify(object).length);
    await api.create(pods(NAMESPACE), object);
  }
}
