// What one user's flood costs another: the 99th percentile of gets and creates while 50 connections of a noisy user list 10,000 pods without
// pause, less that of the same requests alone. A leader renews its lease meanwhile; one that is late fails the line.
import { writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../api.mjs';
import { collection, configMap, get, pod, pods, post } from '../objects.mjs';
import { startKeelson } from '../processes/keelson.mjs';
import { median, percentile, spread } from '../stats.mjs';

const COUNT = 10_000;
const CONNECTIONS = 50;
const AT_ONCE = 32;
/** Long enough for several lists of each connection, and for a 99th percentile. */
const WINDOW_FACTOR = 32;
/** The first lists are under way. */
const RAMP_MS = 1000;
const DRAIN_MS = 60_000;
/** A leader renews this often, and steps down when it could not for five times as long. */
const RENEW_MS = 2000;
const namespace = 'bench-noisy';
const lease = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
const users = { noisy: 'noisy', quiet: 'quiet', leader: 'system:kube-controller-manager' };

export async function measureNoisy({ scope, command, generator, pace }) {
  const server = await start({ scope, command });
  try {
    await prepare(server.target);
    const quiet = { values: [], alone: [] };
    const renewals = [];
    for (let round = 0; round < pace.fresh; round += 1) {
      const windowMs = pace.windowMs * WINDOW_FACTOR;
      const alone = await quietly(server.target, windowMs, round * 2);
      const beside = await besideNoise({ generator, server, windowMs, round, renewals });
      quiet.alone.push(alone);
      quiet.values.push(beside - alone);
    }
    // `bare` is the same user without the noisy one
    const note = `none of ${renewals.length} renewals of a leader was late; the longest took ${Math.round(Math.max(...renewals))} ms`;
    return {
      value: median(quiet.values),
      bare: median(quiet.alone),
      spread: spread(quiet.values),
      rounds: quiet,
      note,
    };
  } finally {
    await server.stop();
  }
}

async function start({ scope, command }) {
  const tokens = join(scope.folder('tokens'), 'tokens.csv');
  const rows = Object.entries(users).map(([token, user]) => `${token},${user},${token}\n`);
  writeFileSync(tokens, rows.join(''));
  const server = await startKeelson({ scope, command, args: ['--token-auth-file', tokens] });
  return server;
}

async function prepare(target) {
  const api = new Api(target);
  await api.createNamespace(namespace);
  await api.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: Object.values(users).map((name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name })),
  });
  let next = 0;
  const work = async () => {
    for (let index = next++; index < COUNT; index = next++)
      await api.create(pods(namespace), pod({ name: `pod-${index}`, namespace }));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await api.create(lease, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'boss' },
    spec: {},
  });
  api.close();
}

async function besideNoise({ generator, server, windowMs, round, renewals }) {
  const { cert: _, key: __, ...target } = server.target;
  const list = withToken(get(pods(namespace)), 'noisy');
  const noise = generator.run('load', {
    ...{ target, requests: [list], inFlight: CONNECTIONS, connections: CONNECTIONS },
    // one that waited for a quarter of its time is refused, and comes again
    ...{ expect: [200, 429], rampMs: 0, windowMs: RAMP_MS + windowMs, drainMs: DRAIN_MS },
  });
  await delay(RAMP_MS);
  const over = new AbortController();
  const leading = lead(server.target, over.signal, renewals);
  for (const background of [noise, leading]) background.catch(() => {}); // awaited below
  const p99 = await quietly(server.target, windowMs, round * 2 + 1);
  over.abort();
  await Promise.all([noise, leading]);
  return p99;
}

/** Milliseconds, of gets and creates in turn. */
async function quietly(target, windowMs, round) {
  const session = open(target);
  const latencies = [];
  try {
    for (const end = performance.now() + windowMs; performance.now() < end; ) {
      const at = latencies.length;
      const name = `quiet-${round}-${at}`;
      const create = post(collection(namespace), configMap({ name, namespace, size: 1024 }));
      const request = at % 2 === 0 ? get(`${pods(namespace)}/pod-${at % COUNT}`) : create;
      const began = performance.now();
      await ask(session, withToken(request, 'quiet'), at % 2 === 0 ? 200 : 201);
      latencies.push(performance.now() - began);
    }
  } finally {
    session.destroy();
  }
  return percentile(Float32Array.from(latencies), 0.99);
}

/** Adds the milliseconds of each renewal to `renewals`. */
async function lead(target, over, renewals) {
  const session = open(target);
  try {
    while (!over.aborted) {
      const began = performance.now();
      const spec = { holderIdentity: 'boss', renewTime: `${new Date().toISOString().slice(0, -1)}000Z` };
      const body = JSON.stringify({ spec });
      const headers = { 'content-type': 'application/merge-patch+json', accept: 'application/json' };
      await ask(session, withToken({ method: 'PATCH', path: `${lease}/boss`, headers, body }, 'leader'), 200);
      const ms = performance.now() - began;
      renewals.push(ms);
      if (ms > RENEW_MS) throw new Error(`a lease was renewed after ${Math.round(ms)} ms`);
      await delay(RENEW_MS - ms, undefined, { signal: over }).catch(() => {});
    }
  } finally {
    session.destroy();
  }
}

const open = ({ port, ca }) => connect(`https://127.0.0.1:${port}`, { ca });

const withToken = (request, token) => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ${token}` },
});

function ask(session, { method = 'GET', path, headers, body }, expected) {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined });
    let status = 0;
    stream.on('response', (answer) => {
      status = answer[':status'];
    });
    stream.on('error', reject).resume();
    stream.on('close', () => (status === expected ? resolve() : reject(new Error(`${method} ${path}: ${status}`))));
    if (body !== undefined) stream.end(body);
  });
}
