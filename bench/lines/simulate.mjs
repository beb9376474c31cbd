// Simulated workloads: the time from the answer to the create of a Deployment of 1,000 pods until all of them are ready.
import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../api.mjs';
import { startKeelson } from '../processes/keelson.mjs';
import { median, spread } from '../stats.mjs';

const PODS = 1000;
/** A node runs 110 pods. */
const NODES = 10;
const ROUNDS = 3;
const POLL_MS = 20;
const PATIENCE_MS = 60_000;
const args = ['--simulate=workloads', `--simulate=nodes=${NODES}`];
const deployments = '/apis/apps/v1/namespaces/default/deployments';

const labels = { app: 'web' };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: PODS,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'nginx:1' }] } },
  },
};

export async function measureSimulated({ scope, command }) {
  const values = [];
  for (let round = 0; round < ROUNDS; round += 1) values.push(await once({ scope, command }));
  return { value: median(values), spread: spread(values), rounds: { keelson: values } };
}

async function once({ scope, command }) {
  const server = await startKeelson({ scope, command, args });
  const api = new Api(server.target);
  try {
    await until(async () => (await read(api, '/api/v1/nodes')).items.length === NODES);
    await until(async () => (await read(api, '/api/v1/namespaces/default/serviceaccounts')).items.length > 0);
    await api.create(deployments, deployment);
    const answered = performance.now();
    await until(async () => (await read(api, `${deployments}/web`)).status?.readyReplicas === PODS);
    return performance.now() - answered;
  } finally {
    api.close();
    await server.stop();
  }
}

async function read(api, path) {
  const { body } = await api.request({ path });
  return JSON.parse(body.toString());
}

async function until(check) {
  const end = performance.now() + PATIENCE_MS;
  while (!(await check())) {
    if (performance.now() > end) throw new Error('the simulation took too long');
    await delay(POLL_MS);
  }
}
