// Does a create cost more when much is stored? The same load on one server, with few objects and then with many.

import { Api } from '../api.mjs';
import { COUNTER } from '../generator/hpack.mjs';
import { collection, configMap, post } from '../objects.mjs';
import { startKeelson } from '../processes/keelson.mjs';
import { median, spread } from '../stats.mjs';

/** At least so many are stored when the first rounds begin: as many as it took to warm up. */
const FEW = 1000;
const SIZE = 512;
const load = { inFlight: 32, connections: 2 };
const namespace = 'bench-growth';

/** `bare` is the same server while it held few objects: the ratio is what the others cost. */
export async function measureGrowth({ scope, command, generator, pace }) {
  const server = await startKeelson({ scope, command });
  try {
    const api = new Api(server.target);
    await api.createNamespace(namespace);
    api.close();
    const run = (windowMs) => createFor({ generator, target: server.target, windowMs });
    let stored = (await run(pace.warmMs)).answers;
    while (stored < FEW) stored += (await run(pace.windowMs)).answers;
    const few = await rounds(run, pace);
    stored += few.answers;
    while (stored < pace.stored) stored += (await run(pace.windowMs * 4)).answers;
    const many = await rounds(run, pace);
    const ratios = many.values.map((value) => value / median(few.values));
    return { value: median(many.values), bare: median(few.values), ratio: median(ratios), spread: spread(ratios) };
  } finally {
    await server.stop();
  }
}

async function rounds(run, { rounds: count, windowMs }) {
  const values = [];
  let answers = 0;
  for (let round = 0; round < Math.min(count, 7); round += 1) {
    const result = await run(windowMs);
    values.push(result.perSecond);
    answers += result.answers;
  }
  return { values, answers };
}

async function createFor({ generator, target, windowMs }) {
  const object = configMap({ name: `item-${COUNTER}`, namespace, size: SIZE });
  const requests = [post(collection(namespace), object)];
  const result = await generator.run('load', { target, ...load, requests, expect: 201, rampMs: 0, windowMs });
  return { ...result, answers: Math.round(result.perSecond * result.seconds) };
}
