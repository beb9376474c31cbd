// What many objects cost: resident memory of a server that holds 15,000 of them and has sent them all.
import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../api.mjs';
import { collection, get } from '../objects.mjs';
import { startBare } from '../processes/bare.mjs';
import { startKeelson } from '../processes/keelson.mjs';
import { residentMiB } from '../processes/usage.mjs';
import { absolute } from './start.mjs';

const COUNT = 15_000;
const SIZE = 4 * 1024;
const IDLE_MS = 3000;

export async function measureFullMemory({ scope, command, pace }) {
  const values = { bare: [], keelson: [] };
  for (let round = 0; round < pace.fresh; round += 1) {
    values.bare.push(await measureServer(await startBare({ scope }), async () => {}));
    values.keelson.push(await measureServer(await startKeelson({ scope, command }), fill));
  }
  return absolute(values);
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

/**
 * Writes them into a collection that is in use, reads them all, and looks for one by a label: whatever the server keeps
 * for reading is there then.
 */
async function fill(target) {
  const api = new Api(target);
  const namespace = 'bench-full';
  await api.createNamespace(namespace);
  await api.request(get(collection(namespace)));
  await api.createConfigMaps({ namespace, count: COUNT, size: SIZE, name: (index) => `item-${index}` });
  await api.request(get(collection(namespace)));
  await api.request(get(`${collection(namespace)}?labelSelector=app%3Dnobody`));
  api.close();
}
