// What many objects cost: resident memory of a server that holds 15,000 of them and has sent them all, with one thread and
// with four; and how long a start on them takes.
import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../api.mjs';
import { collection, get } from '../objects.mjs';
import { startBare } from '../processes/bare.mjs';
import { startKeelson } from '../processes/keelson.mjs';
import { residentMiB } from '../processes/usage.mjs';
import { median, spread } from '../stats.mjs';
import { absolute, measureStarts } from './start.mjs';

const COUNT = 15_000;
const SIZE = 4 * 1024;
const IDLE_MS = 3000;
const THREADS = 4;
const CONNECTIONS = 24;
const NAMESPACE = 'bench-full';

export async function measureFullMemory({ scope, command, pace }) {
  const values = { bare: [], keelson: [] };
  for (let round = 0; round < pace.fresh; round += 1) {
    values.bare.push(await measureServer(await startBare({ scope }), async () => {}));
    values.keelson.push(await measureServer(await startKeelson({ scope, command }), fill));
  }
  return absolute(values);
}

/** In memory of a server of one thread: each round compares two servers. */
export async function measureThreadsMemory({ scope, command, pace }) {
  const measure = async (threads) =>
    measureServer(await startKeelson({ scope, command, args: [`--threads=${threads}`] }), fillOnAllThreads);
  const values = [];
  for (let round = 0; round < pace.fresh; round += 1) {
    const one = await measure(1);
    values.push((await measure(THREADS)) / one);
  }
  return { value: median(values), spread: spread(values), rounds: { keelson: values } };
}

/** In empty starts. */
export async function measureFullStart(context) {
  const { scope, command } = context;
  const dataDir = scope.folder('full-start');
  const server = await startKeelson({ scope, command, dataDir });
  await fill(server.target);
  await server.stop();
  return measureStarts(context, dataDir);
}

async function measureServer(server, prepare) {
  try {
    await prepare(server.target);
    await delay(IDLE_MS);
    return residentMiB(server.child.pid);
  } finally {
    await server.stop();
  }
}

/** New connections spread over the threads as the system accepts them. */
async function fillOnAllThreads(target) {
  await fill(target);
  for (let index = 0; index < CONNECTIONS; index += 1) {
    const api = new Api(target);
    await api.request(get(collection(NAMESPACE)));
    api.close();
  }
}

/**
 * Writes them into a collection that is in use, reads them all, and looks for one by a label: whatever the server keeps
 * for reading is there then.
 */
async function fill(target) {
  const api = new Api(target);
  const namespace = NAMESPACE;
  await api.createNamespace(namespace);
  await api.request(get(collection(namespace)));
  await api.createConfigMaps({ namespace, count: COUNT, size: SIZE, name: (index) => `item-${index}` });
  await api.request(get(collection(namespace)));
  await api.request(get(`${collection(namespace)}?labelSelector=app%3Dnobody`));
  api.close();
}
