// Definitions of custom resources: how soon one is served, and what a thousand of them cost at rest and at start.
import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../api.mjs';
import { definition, definitions, instance, instances } from '../custom-resources.mjs';
import { startKeelson } from '../processes/keelson.mjs';
import { collectable, liveMiB } from '../processes/live-memory.mjs';
import { median, spread } from '../stats.mjs';
import { measureStarts } from './start.mjs';

const FIELDS = 200;
const SERVED = 30;
const AT_ONCE = 4;
const IDLE_MS = 3000;
const aggregated = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
const namespace = 'default';

const numbered = (index) => ({ plural: `kinds${index}`, kind: `Kind${index}` });
/** Twenty to a group, as operators have them. */
const groupOf = (index) => `g${Math.floor(index / 20)}.bench.example.com`;

/** From the answer to the create until an object was created and discovery shows the resource. */
export async function measureServed({ scope, command }) {
  const server = await startKeelson({ scope, command });
  const api = new Api(server.target);
  try {
    const values = [];
    for (let index = 0; index < SERVED; index += 1) values.push(await servedAfter(api, index));
    return { value: median(values), spread: spread(values), rounds: { keelson: values } };
  } finally {
    api.close();
    await server.stop();
  }
}

async function servedAfter(api, index) {
  const { plural, kind } = numbered(index);
  await api.create(definitions, definition({ plural, kind, fields: FIELDS }));
  const answered = performance.now();
  const object = instance({ kind, name: 'first', namespace, size: 1024 });
  await Promise.all([
    retried(() => api.create(instances(plural, namespace), object)),
    retried(async () => {
      const { body } = await api.request({ path: '/apis', headers: aggregated });
      if (!body.includes(`"${plural}"`)) throw new Error('not shown yet');
    }),
  ]);
  return performance.now() - answered;
}

async function retried(attempt) {
  for (;;) {
    try {
      return await attempt();
    } catch {
      await delay(1);
    }
  }
}

const filled = new WeakMap();

/** Both lines look at one folder: { dataDir, growthMiB }. */
function fillOnce(context) {
  if (!filled.has(context.scope)) filled.set(context.scope, fill(context));
  return filled.get(context.scope);
}

async function fill({ scope, command, pace }) {
  const dataDir = scope.folder('definitions');
  const server = await startKeelson({ scope, command, dataDir, env: collectable });
  const api = new Api(server.target);
  try {
    const before = await liveMiB(server.child);
    await createAll(api, pace.definitions);
    await delay(IDLE_MS);
    return { dataDir, growthMiB: (await liveMiB(server.child)) - before };
  } finally {
    api.close();
    await server.stop();
  }
}

async function createAll(api, count) {
  let next = 0;
  const work = async () => {
    for (let index = next++; index < count; index = next++)
      await api.create(definitions, definition({ ...numbered(index), fields: FIELDS, group: groupOf(index) }));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const last = count - 1;
  await retried(() => api.request({ path: instances(numbered(last).plural, namespace, groupOf(last)) }));
}

export async function measureDefinitionMemory(context) {
  const { growthMiB } = await fillOnce(context);
  const value = growthMiB / context.pace.definitions;
  return { value, spread: { min: value, max: value }, rounds: { keelson: [value] } };
}

/** In empty starts. */
export async function measureDefinitionStart(context) {
  const { dataDir } = await fillOnce(context);
  return measureStarts(context, dataDir);
}
