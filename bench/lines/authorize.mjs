// What a decision of role-based access control costs among 10,000 bindings. The index and the authorizer are measured
// by themselves: over the wire the rest of a request would hide them.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { absolute } from './start.mjs';

const MANY = 10_000;
const FEW = 10;
const NAMESPACES = 100;
const DECISIONS = 20_000;
const GROUP = 'rbac.authorization.k8s.io';

/** `bare` is the same with ten bindings: the number of bindings must not matter. */
export async function measureAuthorize({ scope, pace }) {
  const parts = await bundle(scope.folder('authorize'));
  const many = prepare(parts, MANY);
  const few = prepare(parts, FEW);
  for (const ask of [few, many]) microsecondsEach(ask);
  const values = { bare: [], keelson: [] };
  for (let round = 0; round < pace.rounds; round += 1) {
    values.bare.push(microsecondsEach(few));
    values.keelson.push(microsecondsEach(many));
  }
  return absolute(values);
}

/** The package is one file; these parts of it are built once more. */
async function bundle(dir) {
  const { build } = await import('rolldown');
  const source = (path) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));
  const input = {
    index: source('authz/rbac/role-index.ts'),
    authorizer: source('authz/rbac/rbac-authorizer.ts'),
    defaults: source('authz/rbac/default-roles.ts'),
    dialect: source('meta/dialect.ts'),
  };
  await build({
    input,
    platform: 'node',
    logLevel: 'warn',
    output: { dir, format: 'esm', entryFileNames: '[name].mjs' },
  });
  const load = (name) => import(pathToFileURL(join(dir, `${name}.mjs`)).href);
  const [{ RoleIndex }, { rbacAuthorizer }, { defaultRoles }, { kubernetes }] = await Promise.all(
    ['index', 'authorizer', 'defaults', 'dialect'].map(load),
  );
  return { RoleIndex, rbacAuthorizer, defaults: defaultRoles(kubernetes) };
}

/** The default roles, and bindings of a role to one user each, in a hundred namespaces. */
function prepare({ RoleIndex, rbacAuthorizer, defaults }, count) {
  const index = new RoleIndex();
  for (const part of ['clusterRoles', 'roles', 'clusterRoleBindings', 'roleBindings'])
    for (const object of defaults[part]) index.put(part, object);
  index.put('clusterRoles', reader());
  for (let i = 0; i < count; i += 1) index.put('roleBindings', binding(i));
  const authorize = rbacAuthorizer(index, GROUP);
  return (i) => authorize(question(i % count, i % 2 === 0 ? 'get' : 'delete'));
}

function reader() {
  const rules = [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['configmaps', 'pods'] }];
  return { kind: 'ClusterRole', apiVersion: `${GROUP}/v1`, metadata: { name: 'reader' }, rules };
}

const namespaceOf = (i) => `team-${i % NAMESPACES}`;

function binding(i) {
  return {
    kind: 'RoleBinding',
    apiVersion: `${GROUP}/v1`,
    metadata: { name: `user-${i}`, namespace: namespaceOf(i) },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: 'reader' },
    subjects: [{ kind: 'User', apiGroup: GROUP, name: `user-${i}` }],
  };
}

/** Half of them are allowed. */
function question(i, verb) {
  const user = { name: `user-${i}`, groups: ['developers', 'system:authenticated'] };
  const asked = { group: '', version: 'v1', resource: 'configmaps', subresource: '', name: 'settings', path: '' };
  return { user, verb, isResource: true, namespace: namespaceOf(i), ...asked };
}

function microsecondsEach(ask) {
  const start = process.hrtime.bigint();
  let allowed = 0;
  for (let i = 0; i < DECISIONS; i += 1) if (ask(i).kind === 'allow') allowed += 1;
  const nanoseconds = Number(process.hrtime.bigint() - start);
  if (allowed !== DECISIONS / 2) throw new Error(`${allowed} of ${DECISIONS} decisions were to allow`);
  return nanoseconds / 1000 / DECISIONS;
}
