// What others notice of hostile bodies: the longest wait for /livez while another process sends them one after another.
import { connect } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../api.mjs';
import { deployment, exchange, send } from '../generator/hostile.mjs';
import { deployments } from '../objects.mjs';
import { startBare } from '../processes/bare.mjs';
import { startKeelson } from '../processes/keelson.mjs';
import { absolute } from './start.mjs';

const namespace = 'bench-hostile';

export async function measureHostile({ scope, command, generator, pace }) {
  const servers = { bare: await startBare({ scope }), keelson: await startKeelson({ scope, command }) };
  try {
    await prepare(servers);
    const values = { bare: [], keelson: [] };
    for (let round = 0; round < pace.fresh; round += 1)
      for (const side of ['bare', 'keelson'])
        values[side].push(await longestWait(generator, servers[side].target, round));
    return absolute(values);
  } finally {
    for (const server of Object.values(servers)) await server.stop();
  }
}

async function prepare({ keelson, bare }) {
  const api = new Api(keelson.target);
  await api.createNamespace(namespace);
  await api.request(send('POST', deployments(namespace), 'json', deployment('old')));
  await bare.answer('/livez', { contentType: 'text/plain', body: Buffer.from('ok') });
  api.close();
}

/** Milliseconds. Asked from here, where nothing else is done: what the bodies cost their sender is no wait for others. */
async function longestWait(generator, target, round) {
  const { port, ca, cert, key } = target;
  const session = connect(`https://127.0.0.1:${port}`, { ca, cert, key });
  try {
    const asking = askUntil(session, new AbortController());
    await generator.run('hostile', { target, namespace, round });
    return await asking.stop();
  } finally {
    session.close();
  }
}

function askUntil(session, over) {
  const asked = (async () => {
    let longest = 0;
    while (!over.signal.aborted) {
      const began = performance.now();
      await exchange(session, { path: '/livez' });
      longest = Math.max(longest, performance.now() - began);
      await delay(1);
    }
    return longest;
  })();
  return {
    stop() {
      over.abort();
      return asked;
    },
  };
}
