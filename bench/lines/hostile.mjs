// What others notice of hostile bodies: the longest wait for /livez while they are sent one after another.
import { connect } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../api.mjs';
import { deployments } from '../objects.mjs';
import { startBare } from '../processes/bare.mjs';
import { startKeelson } from '../processes/keelson.mjs';
import { absolute } from './start.mjs';

const namespace = 'bench-hostile';
const maps = `/api/v1/namespaces/${namespace}/configmaps`;
const MANY = 8000;

export async function measureHostile({ scope, command, pace }) {
  const servers = { bare: await startBare({ scope }), keelson: await startKeelson({ scope, command }) };
  try {
    await prepare(servers);
    const values = { bare: [], keelson: [] };
    for (let round = 0; round < pace.fresh; round += 1)
      for (const side of ['bare', 'keelson']) values[side].push(await longestWait(servers[side].target, round));
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

/** Milliseconds. */
async function longestWait({ port, ca, cert, key }, round) {
  const open = () => connect(`https://127.0.0.1:${port}`, { ca, cert, key, maxHeaderListPairs: 4096 });
  const [hostile, other] = [open(), open()];
  try {
    const bodies = hostileBodies(round);
    const asking = askUntil(other, new AbortController());
    for (const body of bodies) await exchange(hostile, body);
    return await asking.stop();
  } finally {
    hostile.close();
    other.close();
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

/** Whatever the answer is: hostile bodies are mostly refused. */
function exchange(session, { method = 'GET', path, headers = {}, body }) {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined });
    stream.on('error', reject).on('close', resolve).resume();
    if (body !== undefined) stream.end(body);
  });
}

const send = (method, path, subtype, value) => ({
  method,
  path,
  headers: { 'content-type': `application/${subtype}` },
  body: typeof value === 'string' ? value : JSON.stringify(value),
});

const members = (count, member) => Array.from({ length: count }, (_, index) => member(index)).join(',');

const mapWith = (name, content) => `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"${name}"},${content}}`;

/** JSON throughout, so that the bare server can read it; texts are made beforehand. */
function hostileBodies(round) {
  const path = `${deployments(namespace)}/main`;
  const env = `/spec/template/spec/containers/0/env/0`;
  const inserts = Array.from({ length: 10_000 }, (_, index) => ({
    op: 'add',
    path: env,
    value: { name: `N${index}` },
  }));
  const unknown = members(300_000, (index) => `"u${index}":1`);
  const repeated = members(30_000, (index) => `"u${index % 1000}":1`);
  return [
    send('POST', maps, 'json', mapWith('unknown', unknown)),
    send('POST', `${maps}?fieldValidation=Strict`, 'json', mapWith('repeated', repeated)),
    send('PATCH', `${path}?fieldManager=other`, 'apply-patch+yaml', deployment(`conflict-${round}`)),
    send('PATCH', path, 'strategic-merge-patch+json', deployment(`new-${round}`)),
    send('PATCH', `${path}?dryRun=All`, 'json-patch+json', inserts),
  ];
}

function deployment(value) {
  const labels = { app: 'main' };
  const env = Array.from({ length: MANY }, (_, index) => ({ name: `NAME_${index}`, value }));
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'main:1', env }] } };
  const spec = { selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'main' }, spec };
}
