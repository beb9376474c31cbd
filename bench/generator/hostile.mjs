// Bodies that are made to keep a server busy, sent one after another.
import { connect } from 'node:http2';
import { collection, deployments } from '../objects.mjs';

const MANY = 8000;

/** `job`: { target, namespace, round }. */
export async function runHostile({ target: { port, ca, cert, key }, namespace, round }) {
  const bodies = hostileBodies(namespace, round);
  const session = connect(`https://127.0.0.1:${port}`, { ca, cert, key });
  try {
    for (const body of bodies) await exchange(session, body);
  } finally {
    session.close();
  }
}

/** Whatever the answer is: hostile bodies are mostly refused. */
export function exchange(session, { method = 'GET', path, headers = {}, body }) {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined });
    stream.on('error', reject).on('close', resolve).resume();
    if (body !== undefined) stream.end(body);
  });
}

export const send = (method, path, subtype, value) => ({
  method,
  path,
  headers: { 'content-type': `application/${subtype}` },
  body: typeof value === 'string' ? value : JSON.stringify(value),
});

const members = (count, member) => Array.from({ length: count }, (_, index) => member(index)).join(',');

const mapWith = (name, content) => `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"${name}"},${content}}`;

/** JSON throughout, so that the bare server can read it; texts are made beforehand. */
function hostileBodies(namespace, round) {
  const maps = collection(namespace);
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

export function deployment(value) {
  const labels = { app: 'main' };
  const env = Array.from({ length: MANY }, (_, index) => ({ name: `NAME_${index}`, value }));
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'main:1', env }] } };
  const spec = { selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'main' }, spec };
}
