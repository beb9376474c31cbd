// What role-based access control costs a request: the same load on a server with 10,000 bindings and on one that allows
// everything. The caller has a token and no special rights.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Api } from '../api.mjs';
import { COUNTER } from '../generator/hpack.mjs';
import { collection, configMap, get, post } from '../objects.mjs';
import { startKeelson } from '../processes/keelson.mjs';
import { compare } from './compare.mjs';

const KIB = 1024;
const BINDINGS = 10_000;
const AT_ONCE = 32;
const TOKEN = 'bench-token';
const USER = 'bench-user';
const namespace = 'bench-roles';
const load = { inFlight: 32, connections: 2 };
const rbac = '/apis/rbac.authorization.k8s.io/v1';

const loads = {
  'rbac-get': { requests: [get(`${collection(namespace)}/one`)], expect: 200 },
  'rbac-create': {
    requests: [post(collection(namespace), configMap({ name: `item-${COUNTER}`, namespace, size: KIB }))],
    expect: 201,
  },
};

/** `bare` is the server that allows everything: the ratio is what the roles cost. */
export async function measureRoles({ name, scope, command, generator, pace }) {
  const servers = {
    bare: await start({ scope, command, mode: 'AlwaysAllow' }),
    keelson: await start({ scope, command, mode: 'Node,RBAC' }),
  };
  try {
    await bindMany(servers.keelson);
    const run = (side, times) =>
      generator.run('load', { target: caller(servers[side]), ...load, ...withToken(name), ...times });
    for (const side of ['bare', 'keelson']) await run(side, { rampMs: 0, windowMs: pace.warmMs });
    const times = { rampMs: pace.rampMs, windowMs: pace.windowMs };
    return await compare({ rounds: pace.rounds, measure: (side) => run(side, times) });
  } finally {
    for (const server of Object.values(servers)) await server.stop();
  }
}

async function start({ scope, command, mode }) {
  const tokens = join(scope.folder('tokens'), 'tokens.csv');
  writeFileSync(tokens, `${TOKEN},${USER},uid-1,developers\n`);
  const args = [
    '--token-auth-file',
    tokens,
    '--authorization-mode',
    mode,
    '--authentication-config',
    openReadiness(scope),
  ];
  const server = await startKeelson({ scope, command, args });
  const api = new Api(server.target);
  await api.createNamespace(namespace);
  await api.create(collection(namespace), configMap({ name: 'one', namespace, size: KIB }));
  api.close();
  return server;
}

/** The bench shows no credentials while it waits for a server to be ready; under AlwaysAllow no flag lets it in. */
function openReadiness(scope) {
  const path = join(scope.folder('authentication'), 'authentication.yaml');
  const anonymous = { enabled: true, conditions: [{ path: '/readyz' }] };
  const kind = 'AuthenticationConfiguration';
  writeFileSync(path, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind, anonymous }));
  return path;
}

/** The caller without the administrator's certificate, which would be asked nothing. */
function caller({ target: { cert: _, key: __, ...target } }) {
  return target;
}

function withToken(name) {
  const { requests, expect } = loads[name];
  const authorization = `Bearer ${TOKEN}`;
  return { requests: requests.map((one) => ({ ...one, headers: { ...one.headers, authorization } })), expect };
}

async function bindMany({ target }) {
  const api = new Api(target);
  let next = 0;
  const work = async () => {
    for (let index = next++; index < BINDINGS; index = next++)
      await api.create(`${rbac}/namespaces/${namespace}/rolebindings`, binding(index));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  api.close();
}

/** The first is the caller's own. */
function binding(index) {
  const apiGroup = 'rbac.authorization.k8s.io';
  const user = index === 0 ? USER : `user-${index}`;
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: 'RoleBinding',
    metadata: { name: user },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'edit' },
    subjects: [{ apiGroup, kind: 'User', name: user }],
  };
}
