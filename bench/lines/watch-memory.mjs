// What an idle watch costs: the growth of resident memory between some open watches and many more.
import { Api } from '../api.mjs';
import { startBare } from '../processes/bare.mjs';
import { startKeelson } from '../processes/keelson.mjs';
import { collectable, liveMiB } from '../processes/live-memory.mjs';
import { watchPath } from './fan-out.mjs';
import { absolute } from './start.mjs';

/** The first watches pay for lazy code and for pools; the slope is taken above them. */
const FIRST = 500;
const MORE = 9500;
/** Every HTTP/2 server allows that many streams. */
const PER_CONNECTION = 100;
export async function measureWatchMemory({ scope, command, generator, pace }) {
  const start = {
    bare: () => startBare({ scope, env: collectable }),
    keelson: () => startKeelson({ scope, command, env: collectable }),
  };
  const paths = { bare: async () => '/watch', keelson: ({ target }) => emptyNamespace(target) };
  const values = { bare: [], keelson: [] };
  for (let round = 0; round < pace.fresh; round += 1)
    for (const side of ['bare', 'keelson'])
      values[side].push(await measureServer({ server: await start[side](), findPath: paths[side], generator }));
  return absolute(values);
}

/** Nothing is ever written there: the watches stay idle. */
async function emptyNamespace(target) {
  const api = new Api(target);
  await api.createNamespace('bench-idle');
  const path = await watchPath(api, 'bench-idle');
  api.close();
  return path;
}

/** KiB a watch. */
async function measureServer({ server, findPath, generator }) {
  try {
    const path = await findPath(server);
    const before = await memoryWith({ server, path, generator, watches: FIRST });
    const after = await memoryWith({ server, path, generator, watches: MORE });
    return ((after - before) * 1024) / MORE;
  } finally {
    await generator.run('release');
    await server.stop();
  }
}

async function memoryWith({ server, path, generator, watches }) {
  const connections = Math.ceil(watches / PER_CONNECTION);
  await generator.run('hold', { target: server.target, path, watches, connections });
  return liveMiB(server.child);
}
