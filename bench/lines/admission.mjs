// What admission costs a create: the default plugins, a webhook, policies. Each is held against the same without it, the
// webhook against a bare server that makes the same round trip.
import { Api } from '../api.mjs';
import { COUNTER } from '../generator/hpack.mjs';
import { collection, configMap, post } from '../objects.mjs';
import { startBare } from '../processes/bare.mjs';
import { startKeelson } from '../processes/keelson.mjs';
import { startWebhook } from '../processes/webhook.mjs';
import { compare } from './compare.mjs';

const KIB = 1024;
const namespace = 'bench-admission';
const load = { inFlight: 32, connections: 2 };
const registration = '/apis/admissionregistration.k8s.io/v1';
const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };

/** Those that look at pods, at what is in a namespace, or at everything. */
const pluginsOfPods = [
  'NamespaceLifecycle',
  'LimitRanger',
  'ServiceAccount',
  'PodSecurity',
  'Priority',
  'DefaultTolerationSeconds',
  'RuntimeClass',
  'ResourceQuota',
];

const creates = {
  requests: [post(collection(namespace), configMap({ name: `item-${COUNTER}`, namespace, size: KIB }))],
  expect: 201,
};

const podCreates = { requests: [post(`/api/v1/namespaces/${namespace}/pods`, pod())], expect: 201 };

function pod() {
  const metadata = { name: `pod-${COUNTER}`, namespace, labels: { app: 'bench' } };
  const container = { name: 'main', image: 'registry.example/app:1', resources: { requests: { cpu: '10m' } } };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [container] } };
}

/** Each starts both sides and returns what is asked of them. */
const preparations = {
  plugins: async (context) => ({
    bare: await start(context, ['--disable-admission-plugins', pluginsOfPods.join(',')]),
    keelson: await start(context),
    asked: podCreates,
  }),
  webhook: prepareWebhook,
  'policies-10': (context) => preparePolicies(context, 10),
  'policies-100': (context) => preparePolicies(context, 100),
};

export async function measureAdmission({ name, scope, command, generator, pace }) {
  const { asked, ...servers } = await preparations[name]({ scope, command });
  try {
    const run = (side, times) => generator.run('load', { target: servers[side].target, ...load, ...asked, ...times });
    for (const side of ['bare', 'keelson']) await run(side, { rampMs: 0, windowMs: pace.warmMs });
    const times = { rampMs: pace.rampMs, windowMs: pace.windowMs };
    return await compare({ rounds: pace.rounds, measure: (side) => run(side, times) });
  } finally {
    for (const server of Object.values(servers)) await server.stop();
  }
}

/** A server with the namespace, and what `objects` names: pairs of a path and an object. */
async function start({ scope, command }, args = [], objects = []) {
  const server = await startKeelson({ scope, command, args });
  const api = new Api(server.target);
  await api.createNamespace(namespace);
  for (const [path, object] of objects) await api.create(path, object);
  api.close();
  return server;
}

async function prepareWebhook(context) {
  const webhook = await startWebhook(context);
  const bare = await startBare(context);
  await bare.relay({ port: webhook.port, ca: webhook.ca });
  const keelson = await start(
    context,
    [],
    [[`${registration}/validatingwebhookconfigurations`, configuration(webhook)]],
  );
  return { webhook, bare, keelson, asked: creates };
}

function configuration({ port, ca }) {
  const hook = {
    name: 'allow.bench.example.com',
    clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(ca).toString('base64') },
    rules: [rule],
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
  };
  return { metadata: { name: 'bench' }, webhooks: [hook] };
}

async function preparePolicies(context, count) {
  const objects = Array.from({ length: count }, (_, index) => policy(index)).flat();
  return { bare: await start(context), keelson: await start(context, [], objects), asked: creates };
}

/** Policies like people write them, no two of which say the same. */
function policy(index) {
  const name = `policy-${index}`;
  const validations = [
    { expression: `!has(object.metadata.labels) || !('forbidden-${index}' in object.metadata.labels)` },
    { expression: `object.data.all(key, size(key) < ${100 + index})`, message: 'keys have to be short' },
  ];
  const spec = { matchConstraints: { resourceRules: [rule] }, validations };
  const bound = { policyName: name, validationActions: ['Deny'] };
  return [
    [`${registration}/validatingadmissionpolicies`, { metadata: { name }, spec }],
    [`${registration}/validatingadmissionpolicybindings`, { metadata: { name }, spec: bound }],
  ];
}
