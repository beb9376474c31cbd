// What a second thread brings: the same load on a server of one thread and on one of two. Compared is what the servers would
// answer with the cores to themselves, by the processor time of their threads: the generator runs on the same cores.
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
const WINDOW_MS = 2000;
const ROUNDS = 9;

/** Each thread compiles its code, which takes a number of answers and not of seconds: half of them would still be slow. */
const kinds = {
  'threads-get': {
    run: loading({ requests: [get(`${collection(namespace)}/one`)], expect: 200 }),
    warmAnswers: 30_000,
  },
  'threads-create-pod': {
    run: loading({ requests: [post(pods(namespace), pod({ name: `item-${COUNTER}`, namespace }))], expect: 201 }),
    warmAnswers: 15_000,
  },
  'threads-watch': { run: fanOut, warmAnswers: 1_000_000 },
};
/** On a machine that is too busy for that. */
const WARM_MOST_MS = 120_000;

/** `bare` is the server of one thread. */
export async function measureThreads({ name, scope, command, generator, pace }) {
  const servers = {
    bare: await start({ scope, command, threads: threadsOf.bare, generator, pace }),
    keelson: await start({ scope, command, threads: threadsOf.keelson, generator, pace }),
  };
  const { run, warmAnswers } = kinds[name];
  try {
    for (const side of ['bare', 'keelson'])
      await warmUp(() => run(servers[side], warming), warmAnswers * threadsOf[side]);
    const times = { rampMs: pace.rampMs, windowMs: WINDOW_MS };
    const measure = async (side) => undisturbed(await run(servers[side], times));
    return await compare({ rounds: Math.min(pace.rounds, ROUNDS), measure });
  } finally {
    for (const { stop } of Object.values(servers)) await stop();
  }
}

const warming = { rampMs: 0, windowMs: WINDOW_MS };

async function warmUp(run, answers) {
  const end = performance.now() + WARM_MOST_MS;
  for (let sum = 0; sum < answers && performance.now() < end; ) {
    const { perSecond, seconds } = await run();
    sum += perSecond * seconds;
  }
}

/** Answers a second when the busiest thread works all the time, unless all threads together need more than the cores then. */
function undisturbed(result) {
  const { perSecond, busiestThreadLoad, serverLoad } = result;
  const used = Math.max(busiestThreadLoad, serverLoad / availableParallelism());
  return { ...result, perSecond: perSecond / used, serverLoad: serverLoad / used };
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
