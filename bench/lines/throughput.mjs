// Request lines: the same generator asks both servers, Keelson with the real request, bare with its floor.

import { definition, definitions, instance, instances, tenRules, untilServed } from '../custom-resources.mjs';
import { COUNTER } from '../generator/hpack.mjs';
import {
  applyPatch,
  collection,
  configMap,
  deployment,
  deployments,
  get,
  mergePatch,
  pods,
  post,
  webPod,
} from '../objects.mjs';
import { compare } from './compare.mjs';

const KIB = 1024;
const small = { inFlight: 32, connections: 2 };
/** Pages are megabytes: a few at once fill every buffer. */
const large = { inFlight: 4, connections: 2 };
/** Milliseconds of work each. */
const heavy = { inFlight: 4, connections: 2 };
/** Tens of megabytes each: what is behind them in the queue waits long enough. */
const huge = { inFlight: 2, connections: 2 };
/** More objects than requests in flight, so that patches seldom meet on one object. */
const PATCHED = 64;
const PAGE = 500;

/** Each prepares both servers and returns one load a side: { requests, expect }. */
const preparations = {
  apply: prepareApply,
  'apply-ports': prepareApplyPorts,
  get: prepareGet,
  create: prepareCreate,
  'create-pod': prepareCreatePod,
  'custom-create': (bench) => prepareCustomCreate(bench, { plural: 'widgets', kind: 'Widget', rules: [] }),
  'custom-rules': (bench) => prepareCustomCreate(bench, { plural: 'gadgets', kind: 'Gadget', rules: tenRules }),
  'merge-patch': preparePatch,
  list: prepareList,
  'list-all': (bench) => preparePods(bench, { shape: huge, query: '' }),
  page: (bench) => preparePods(bench, { shape: large, query: `?limit=${PAGE}` }),
  select: (bench) => preparePods(bench, { shape: small, query: '?labelSelector=app%3Dnobody' }),
};

export async function measureThroughput({ name, bench, pace }) {
  return measureLoads({ prepared: await preparations[name](bench), bench, pace });
}

/** `prepared`: { shape, keelson, bare, answerBytes }, the loads of both sides. */
export async function measureLoads({ prepared, bench, pace }) {
  const { shape, answerBytes, ...loads } = prepared;
  const run = async (side, times) => {
    const result = await bench.generator.run('load', {
      target: bench[side].target,
      ...shape,
      ...loads[side],
      ...times,
    });
    return answerBytes === undefined
      ? result
      : { ...result, perSecond: (result.megabytesPerSecond * 1e6) / answerBytes };
  };
  for (const side of ['bare', 'keelson']) await warmUp(pace, shape, (windowMs) => run(side, { rampMs: 0, windowMs }));
  const times = { rampMs: pace.rampMs, windowMs: pace.windowMs };
  return compare({ rounds: pace.rounds, measure: (side) => run(side, times) });
}

/** Small requests go on until there were enough of them, up to six times as long. */
async function warmUp({ warmMs, warmAnswers }, shape, run) {
  const answersIn = async (ms) => {
    const { perSecond, seconds } = await run(ms);
    return perSecond * seconds;
  };
  let answers = await answersIn(warmMs);
  for (let more = 0; shape === small && answers < warmAnswers && more < 10; more += 1)
    answers += await answersIn(warmMs / 2);
}

async function prepareGet({ api, bare }) {
  const namespace = 'bench-get';
  await api.createNamespace(namespace);
  await api.create(collection(namespace), configMap({ name: 'one', namespace, size: KIB }));
  return sameBytes({ api, bare, shape: small, request: get(`${collection(namespace)}/one`) });
}

async function prepareList({ api, bare }) {
  const namespace = 'bench-list';
  await api.createNamespace(namespace);
  const name = (index) => `item-${String(index).padStart(4, '0')}`;
  await api.createConfigMaps({ namespace, count: PAGE + PAGE / 5, size: 10 * KIB, name });
  return sameBytes({ api, bare, shape: large, request: get(`${collection(namespace)}?limit=${PAGE}`) });
}

const POD_COUNT = 10_000;
/** About what a pod takes. */
const POD_SIZE = 4 * KIB;
const podNamespace = 'bench-pods';
const filled = new WeakSet();

/** The three lines about many objects share them. */
async function preparePods(bench, { shape, query }) {
  const { api, bare } = bench;
  if (!filled.has(bench)) {
    filled.add(bench);
    await api.createNamespace(podNamespace);
    const name = (index) => `pod-${String(index).padStart(5, '0')}`;
    await api.createConfigMaps({ namespace: podNamespace, count: POD_COUNT, size: POD_SIZE, name });
  }
  const loads = await sameBytes({ api, bare, shape, request: get(collection(podNamespace) + query) });
  // few long answers end in a window, or none: their bytes tell more
  return shape === small ? loads : { ...loads, answerBytes: loads.bytes };
}

/** Bare answers what Keelson answers, byte for byte. */
export async function sameBytes({ api, bare, shape, request }) {
  const answer = await api.request(request);
  await bare.answer(request.path, answer);
  const load = { requests: [request], expect: 200 };
  return { shape, bytes: answer.body.length, keelson: load, bare: load };
}

async function prepareCreate({ api }) {
  const namespace = 'bench-create';
  await api.createNamespace(namespace);
  const object = configMap({ name: `item-${COUNTER}`, namespace, size: KIB });
  const load = { requests: [post(collection(namespace), object)], expect: 201 };
  return { shape: small, keelson: load, bare: load };
}

/** A pod as a Deployment's template makes it: two containers, probes, a volume. */
async function prepareCreatePod({ api }) {
  const namespace = 'bench-create-pod';
  await api.createNamespace(namespace);
  const load = { requests: [post(pods(namespace), webPod({ name: `web-${COUNTER}`, namespace }))], expect: 201 };
  return { shape: small, keelson: load, bare: load };
}

/** A custom resource with a schema of 200 fields, some of which the object has. */
async function prepareCustomCreate({ api }, { plural, kind, rules }) {
  const namespace = `bench-${plural}`;
  await api.createNamespace(namespace);
  await api.create(definitions, definition({ plural, kind, fields: 200, rules }));
  const path = instances(plural, namespace);
  await untilServed(api, path);
  const load = {
    requests: [post(path, instance({ kind, name: `item-${COUNTER}`, namespace, size: KIB }))],
    expect: 201,
  };
  return { shape: small, keelson: load, bare: load };
}

/** A patch is held against the same floor as a create: receive 1 KiB of JSON, answer 1 KiB of JSON. */
async function preparePatch({ api }) {
  const namespace = 'bench-patch';
  const requests = await patchTargets({ api, namespace });
  const bare = { requests: [post('/patch', configMap({ name: 'one', namespace, size: KIB }))], expect: 201 };
  return { shape: small, keelson: { requests, expect: 200 }, bare };
}

/** An apply of the whole object by its only manager, held against the same floor. */
async function prepareApply({ api }) {
  const namespace = 'bench-apply';
  await api.createNamespace(namespace);
  const object = (index) => configMap({ name: `item-${index}`, namespace, size: KIB });
  const requests = await applyTargets({ api, path: (index) => `${collection(namespace)}/item-${index}`, object });
  const bare = { requests: [post('/apply', object(0))], expect: 201 };
  return { shape: small, keelson: { requests, expect: 200 }, bare };
}

/** Lists merged by key are what makes an apply expensive: 200 ports in one container. */
async function prepareApplyPorts({ api }) {
  const namespace = 'bench-ports';
  await api.createNamespace(namespace);
  const object = (index) => deployment({ name: `web-${index}`, namespace, ports: 200 });
  const requests = await applyTargets({ api, path: (index) => `${deployments(namespace)}/web-${index}`, object });
  const bare = { requests: [post('/apply-ports', object(0))], expect: 201 };
  return { shape: heavy, keelson: { requests, expect: 200 }, bare };
}

/** Applies every object once, so that the measured requests change what is there. */
async function applyTargets({ api, path, object }) {
  const requests = Array.from({ length: PATCHED }, (_, index) => applyPatch(path(index), object(index)));
  for (const request of requests) await api.request(request);
  return requests;
}

/** Creates objects to be patched and returns the requests that patch them in turn. */
export async function patchTargets({ api, namespace }) {
  await api.createNamespace(namespace);
  const name = (index) => `item-${index}`;
  await api.createConfigMaps({ namespace, count: PATCHED, size: KIB, name });
  return Array.from({ length: PATCHED }, (_, index) => mergePatch(`${collection(namespace)}/${name(index)}`));
}
