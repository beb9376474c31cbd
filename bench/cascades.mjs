// `node bench/cascades.mjs [--count 10000]`: how fast much goes at once, and what that does to a client that reads
// meanwhile. Claims: a namespace with 10,000 ConfigMaps, and 10,000 dependents of one owner, are gone in seconds, and
// no concurrent get waits noticeably.
import { parseArgs } from 'node:util';
import { Api } from './api.mjs';
import { collection, configMap } from './objects.mjs';
import { startKeelson } from './processes/keelson.mjs';
import { Scope } from './processes/scope.mjs';
import { percentile } from './stats.mjs';

const { values } = parseArgs({ options: { count: { type: 'string', default: '10000' } } });
const count = Number(values.count);
const bystander = `${collection('default')}/bystander`;
const aWhile = 5;

const lines = { 'delete a namespace': deleteNamespace, 'collect dependents': collectDependents };

const scope = new Scope();
try {
  const keelson = await startKeelson({ scope });
  const api = new Api(keelson.target);
  scope.defer(() => api.close());
  await api.create(collection('default'), configMap({ name: 'bystander', namespace: 'default', size: 1024 }));
  const quiet = await readWhile(api, delay(2000));
  console.log(`get, nothing else going on: p99 ${percentile(quiet, 0.99).toFixed(1)} ms`);
  for (const [name, line] of Object.entries(lines)) {
    const { seconds, latencies } = await line(api);
    const p99 = percentile(latencies, 0.99).toFixed(1);
    console.log(
      `${name}, ${count} objects: ${Math.round(count / seconds)}/s (${seconds.toFixed(1)} s), get meanwhile p99 ${p99} ms`,
    );
  }
} finally {
  await scope.close();
}

async function deleteNamespace(api) {
  const namespace = 'bench-going';
  await api.createNamespace(namespace);
  await api.createConfigMaps({ namespace, count, size: 1024, name: (index) => `item-${index}` });
  return timed(
    api,
    () => api.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` }),
    () => isGone(api, `/api/v1/namespaces/${namespace}`),
  );
}

async function collectDependents(api) {
  const namespace = 'bench-owned';
  await api.createNamespace(namespace);
  const owner = configMap({ name: 'owner', namespace, size: 1024 });
  const { uid } = JSON.parse((await api.create(collection(namespace), owner)).body.toString()).metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < count; index = next++) {
      const object = configMap({ name: `item-${index}`, namespace, size: 1024 });
      await api.create(collection(namespace), { ...object, metadata: { ...object.metadata, ownerReferences } });
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  return timed(
    api,
    () => api.request({ method: 'DELETE', path: `${collection(namespace)}/owner` }),
    () => isEmpty(api, namespace),
  );
}

/** Seconds from the request until everything has gone, and the latencies of gets on the way. */
async function timed(api, begin, isOver) {
  const start = performance.now();
  await begin();
  const over = untilTrue(isOver).then(() => performance.now());
  const latencies = await readWhile(api, over);
  return { seconds: ((await over) - start) / 1000, latencies };
}

async function readWhile(api, over) {
  const latencies = [];
  let isOver = false;
  over.then(() => {
    isOver = true;
  });
  while (!isOver) {
    const start = performance.now();
    await api.request({ path: bystander });
    latencies.push(performance.now() - start);
    await delay(aWhile);
  }
  return latencies;
}

async function untilTrue(check) {
  while (!(await check())) await delay(20);
}

async function isGone(api, path) {
  return api.request({ path }).then(
    () => false,
    (error) => error.message.includes(': 404'),
  );
}

/** The root CA is published in every namespace and stays. */
async function isEmpty(api, namespace) {
  const { body } = await api.request({ path: `${collection(namespace)}?limit=2` });
  return JSON.parse(body.toString()).items.length < 2;
}

function delay(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
