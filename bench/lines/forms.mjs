// Pods in the forms that real clients ask for: protobuf (Go's typed clients), tables (kubectl), metadata (garbage collectors).
// The lines are a table: each request in each form.
import { setTimeout as sleep } from 'node:timers/promises';
import { COUNTER } from '../generator/hpack.mjs';
import { accepting, get, pods, post, webPod } from '../objects.mjs';
import { formNames } from '../targets.mjs';
import { compare } from './compare.mjs';
import { runFanOut } from './fan-out.mjs';
import { measureLoads, patchTargets, sameBytes } from './throughput.mjs';

const protobuf = 'application/vnd.kubernetes.protobuf';
const as = (shape) => `;as=${shape};g=meta.k8s.io;v=v1`;

/** What a client accepts: one object, and a list. */
const forms = {
  protobuf: { one: protobuf, list: protobuf },
  table: { one: `application/json${as('Table')}`, list: `application/json${as('Table')}` },
  metadata: {
    one: `application/json${as('PartialObjectMetadata')}`,
    list: `application/json${as('PartialObjectMetadataList')}`,
  },
  'metadata-protobuf': {
    one: `${protobuf}${as('PartialObjectMetadata')}`,
    list: `${protobuf}${as('PartialObjectMetadataList')}`,
  },
};

const small = { inFlight: 32, connections: 2 };
const large = { inFlight: 4, connections: 2 };
const namespace = 'bench-forms';
const podCount = 2000;
const pageSize = 500;

const name = (index) => `web-${String(index).padStart(5, '0')}`;

const requests = {
  list: (form) => read(large, pods(namespace), form.list),
  page: (form) => read(large, `${pods(namespace)}?limit=${pageSize}`, form.list),
  get: (form) => read(small, `${pods(namespace)}/${name(7)}`, form.one),
  create: (form) => (bench) => prepareCreate(bench, form.one),
  watch: (form) => (context) => measureWatch(context, form.one),
};

/** `list-protobuf` and so on, and `list-of-node`, which no pod is on. */
export async function measureForms({ name: line, bench, pace }) {
  await fill(bench);
  if (line === 'list-of-node') {
    const path = '/api/v1/pods?fieldSelector=spec.nodeName%3Dnone';
    return measureLoads({ prepared: await read(small, path, 'application/json')(bench), bench, pace });
  }
  const [request, form] = formNames(line);
  const prepare = requests[request](forms[form]);
  return request === 'watch' ? prepare({ bench, pace }) : measureLoads({ prepared: await prepare(bench), bench, pace });
}

const read = (shape, path, accept) => async (bench) => {
  const loads = await sameBytes({ ...bench, shape, request: accepting(get(path), accept) });
  return shape === small ? loads : { ...loads, answerBytes: loads.bytes };
};

async function prepareCreate(bench, accept) {
  const pod = webPod({ name: `new-${COUNTER}`, namespace: await freshNamespace(bench) });
  const load = { requests: [accepting(post(pods(pod.metadata.namespace), pod), accept)], expect: 201 };
  return { shape: small, keelson: load, bare: load };
}

/** ConfigMaps change while watches look on. Bare sends JSON events of their size, whatever the form. */
async function measureWatch({ bench, pace }, accept) {
  const namespace = nextNamespace();
  const requests = await patchTargets({ api: bench.api, namespace });
  const run = (side) => runFanOut({ bench, side, namespace, requests, accept, count: pace.writes });
  for (const side of ['bare', 'keelson']) await run(side);
  return compare({ rounds: pace.rounds, measure: run });
}

let namespaces = 0;
const nextNamespace = () => `bench-forms-${namespaces++}`;

async function freshNamespace({ api }) {
  const fresh = nextNamespace();
  await api.createNamespace(fresh);
  await untilAccount(api, fresh);
  return fresh;
}

const filled = new WeakSet();

/** The pods that all lines read, made once. */
async function fill(bench) {
  if (filled.has(bench)) return;
  filled.add(bench);
  await bench.api.createNamespace(namespace);
  await untilAccount(bench.api, namespace);
  let next = 0;
  const work = async () => {
    for (let index = next++; index < podCount; index = next++)
      await bench.api.create(pods(namespace), webPod({ name: name(index), namespace }));
  };
  await Promise.all(Array.from({ length: 16 }, work));
}

/** Pods need the service account that a controller makes for each namespace. */
async function untilAccount(api, namespace) {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
  for (let tries = 0; ; tries += 1) {
    try {
      return await api.request({ path });
    } catch (error) {
      if (tries >= 100) throw error;
      await sleep(50);
    }
  }
}
