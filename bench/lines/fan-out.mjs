// Watch fan-out: objects are patched while 200 watches look on; counted is what the watches receive.
import { COUNTER } from '../generator/hpack.mjs';
import { collection, configMap, get, post } from '../objects.mjs';
import { compare } from './compare.mjs';
import { patchTargets } from './throughput.mjs';

/** Ten watches a connection, like a controller process with its informers. */
const WATCHES = 200;
const CONNECTIONS = 20;
const IN_FLIGHT = 16;

export async function measureFanOut({ bench, pace }) {
  const namespace = 'bench-watch';
  const requests = await patchTargets({ api: bench.api, namespace });
  const run = (side) => runFanOut({ bench, side, namespace, requests, count: pace.writes });
  for (const side of ['bare', 'keelson']) await run(side);
  return compare({ rounds: pace.rounds, measure: run });
}

/** One round: `requests` change objects of a namespace, `accept` is the form of the watches. */
export async function runFanOut({ bench, side, namespace, requests, accept, count }) {
  const writes =
    side === 'bare' ? { requests: [await sameSize(bench, namespace)], expect: 201 } : { requests, expect: 200 };
  return bench.generator.run('fanOut', {
    target: bench[side].target,
    path: side === 'bare' ? '/watch' : await watchPath(bench.api, namespace),
    accept: side === 'bare' ? undefined : accept,
    watches: WATCHES,
    connections: CONNECTIONS,
    writes: { ...writes, count, inFlight: IN_FLIGHT },
  });
}

/** The same watches, but new objects; counted are the writes. */
export async function measureWatchedCreate({ bench, pace }) {
  const namespace = 'bench-watched';
  await bench.api.createNamespace(namespace);
  const object = configMap({ name: `item-${COUNTER}`, namespace, size: 1024 });
  const requests = { keelson: [post(collection(namespace), object)], bare: [post('/event', object)] };
  const run = async (side) => {
    const result = await bench.generator.run('fanOut', {
      target: bench[side].target,
      path: side === 'bare' ? '/watch' : await watchPath(bench.api, namespace),
      watches: WATCHES,
      connections: CONNECTIONS,
      writes: { requests: requests[side], expect: 201, count: pace.writes, inFlight: IN_FLIGHT },
    });
    return { ...result, perSecond: result.perSecond / WATCHES };
  };
  for (const side of ['bare', 'keelson']) await run(side);
  return compare({ rounds: pace.rounds, measure: run });
}

/** Bare is sent an object as Keelson stores it, so that both send events of the same size. */
async function sameSize({ api }, namespace) {
  const { body } = await api.request(get(`${collection(namespace)}/item-0`));
  return post('/event', JSON.parse(body.toString()));
}

export async function watchPath(api, namespace) {
  return `${collection(namespace)}?watch=1&timeoutSeconds=600&resourceVersion=${await api.revision(namespace)}`;
}
