// What a second thread brings: the same load on a server of one thread and on one of two. The processor time of the
// generator is subtracted: it runs on the same cores.
import { availableParallelism } from 'node:os';
import { Api } from '../api.mjs';
import { COUNTER } from '../generator/hpack.mjs';
import { collection, configMap, get, pod, pods, post } from '../objects.mjs';
import { startKeelson } from '../processes/keelson.mjs';
import { compare } from './compare.mjs';
import { watchPath } from './fan-out.mjs';
import { patchTargets } from './throughput.mjs';

const KIB = 1024;
const namespace = 'bench-threads';
/** Connections spread over the threads as the system accepts them: many of them spread evenly. */
const shape = { inFlight: 64, connections: 16 };
const watches = { watches: 200, connections: 20 };
const WRITES_IN_FLIGHT = 16;
const threadsOf = { bare: 1, keelson: 2 };

const runs = {
  'threads-get': loading({ requests: [get(`${collection(namespace)}/one`)], expect: 200 }),
  'threads-create-pod': loading({
    requests: [post(pods(namespace), pod({ name: `item-${COUNTER}`, namespace }))],
    expect: 201,
  }),
  'threads-watch': fanOut,
};

/** `bare` is the server of one thread. */
export async function measureThreads({ name, scope, command, generator, pace }) {
  const servers = {
    bare: await start({ scope, command, threads: threadsOf.bare, generator, pace }),
    keelson: await start({ scope, command, threads: threadsOf.keelson, generator, pace }),
  };
  try {
    for (const side of ['bare', 'keelson']) await runs[name](servers[side], { rampMs: 0, windowMs: pace.warmMs });
    const times = { rampMs: pace.rampMs, windowMs: pace.windowMs };
    const measure = async (side) => undisturbed(await runs[name](servers[side], times), threadsOf[side]);
    return await compare({ rounds: pace.rounds, measure });
  } finally {
    for (const { stop } of Object.values(servers)) await stop();
  }
}

/** What the server would have done with the cores to itself, as far as its threads can use them. */
function undisturbed(result, threads) {
  const cores = Math.min(threads, availableParallelism());
  const free = Math.min(cores, availableParallelism() - result.generatorLoad);
  return { ...result, perSecond: (result.perSecond * cores) / free };
}

async function start({ scope, command, threads, generator, pace }) {
  // pods need no service account here, which a controller would make a moment later
  const args = [`--threads=${threads}`, '--disable-admission-plugins=ServiceAccount'];
  const server = await startKeelson({ scope, command, args });
  const api = new Api(server.target);
  await api.createNamespace(namespace);
  await api.create(collection(namespace), configMap({ name: 'one', namespace, size: KIB }));
  const stop = async () => {
    api.close();
    await server.stop();
  };
  return { target: server.target, api, generator, pace, stop };
}

function loading(requests) {
  return ({ generator, target }, times) => generator.run('load', { target, ...shape, ...requests, ...times });
}

async function fanOut(server, _times) {
  const { generator, target, api, pace } = server;
  server.patches ??= await patchTargets({ api, namespace: `${namespace}-watch` });
  return generator.run('fanOut', {
    target,
    ...watches,
    path: await watchPath(api, `${namespace}-watch`),
    writes: { requests: server.patches, expect: 200, count: pace.writes, inFlight: WRITES_IN_FLIGHT },
  });
}
