// What others notice of a long list: the latency of small gets while lists of 100 MB are being sent.
import { Api } from '../api.mjs';
import { collection, get } from '../objects.mjs';
import { startBare } from '../processes/bare.mjs';
import { startKeelson } from '../processes/keelson.mjs';
import { absolute } from './start.mjs';

const COUNT = 10_000;
const SIZE = 10 * 1024;
const namespace = 'bench-beside';
const listPath = collection(namespace);
const getPath = `${listPath}/item-0`;

export async function measureBeside({ scope, command, generator, pace }) {
  const servers = { bare: await startBare({ scope }), keelson: await startKeelson({ scope, command }) };
  try {
    await prepare(servers);
    const values = { bare: [], keelson: [] };
    for (let round = 0; round < pace.fresh; round += 1)
      for (const side of ['bare', 'keelson']) values[side].push(await measureSide(generator, servers[side], pace));
    return absolute(values);
  } finally {
    for (const server of Object.values(servers)) await server.stop();
  }
}

async function prepare({ keelson, bare }) {
  const api = new Api(keelson.target);
  await api.createNamespace(namespace);
  await api.createConfigMaps({ namespace, count: COUNT, size: SIZE, name: (index) => `item-${index}` });
  for (const path of [listPath, getPath]) await bare.answer(path, await api.request(get(path)));
  api.close();
}

/** The 99th percentile, in milliseconds. */
async function measureSide(generator, { target }, pace) {
  const result = await generator.run('beside', {
    target,
    background: { requests: [get(listPath)], expect: 200 },
    foreground: { requests: [get(getPath)], expect: 200 },
    windowMs: pace.windowMs * 8,
  });
  return result.p99;
}
