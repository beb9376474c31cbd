// The roles and bindings every cluster starts with. They are data: a role is a name and its rules, a rule is verbs,
// groups and resources, in the words of the API.

import { apiGroup, apiserverWord, type Dialect, nodeAgent } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import { authenticatedGroup, mastersGroup, unauthenticatedGroup } from '../../meta/user.ts';
import { controllerManagerRules, nodeRules, type RoleGates, schedulerRules, usualGates } from './roles/components.ts';
import { controllerRoles } from './roles/controllers.ts';
import { type NamespaceRoles, namespaceRoles } from './roles/namespaces.ts';
import { adminRules, editRules, viewRules } from './roles/people.ts';
import { controllerPrefix, type RoleSpec, read, Words } from './roles/words.ts';

interface DefaultRoles extends NamespaceRoles {
  readonly clusterRoles: readonly ApiObject[];
  readonly clusterRoleBindings: readonly ApiObject[];
}

export function defaultRoles(dialect: Dialect, gates: RoleGates = usualGates): DefaultRoles {
  const words = new Words(dialect);
  const controllers = controllerRoles(words);
  return {
    clusterRoles: [...clusterRoles(words, gates), ...controllers].map((role) => words.clusterRole(role)),
    clusterRoleBindings: [
      ...clusterRoleBindings(words),
      ...controllers.map(({ name }) => words.binding(name, [words.account(name.slice(controllerPrefix.length))])),
    ],
    ...namespaceRoles(words),
  };
}

function clusterRoles(w: Words, gates: RoleGates): readonly RoleSpec[] {
  const health = ['/healthz', '/livez', '/readyz'];
  const withSlash = (path: string) => [path, `${path}/`];
  const version = withSlash('/version');
  const certificates = `system:${apiGroup(w.dialect, 'certificates')}`;
  const agent = nodeAgent(w.dialect);
  const client = `${apiserverWord(w.dialect)}-client`;
  const approver = (signer: string): RoleSpec => ({
    name: `${certificates}:${signer}-approver`,
    rules: [w.rule('approve', 'certificates', 'signers', w.signer(signer))],
  });
  return [
    { name: 'cluster-admin', rules: [w.rule('*', '*', '*'), w.urls('*', '*')] },
    {
      name: 'system:discovery',
      rules: [w.urls('get', ...health, ...version, '/openapi', '/openapi/*', '/api', '/api/*', '/apis', '/apis/*')],
    },
    {
      name: 'system:monitoring',
      rules: [
        w.urls(
          'get',
          '/metrics',
          '/metrics/slis',
          '/flagz',
          '/statusz',
          ...health,
          ...health.map((path) => `${path}/*`),
        ),
        w.rule('get', 'core', 'nodes/metrics'),
      ],
    },
    {
      name: 'system:basic-user',
      rules: [
        w.rule('create', 'authorization', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
        w.rule('create', 'authentication', 'selfsubjectreviews'),
      ],
    },
    { name: 'system:public-info-viewer', rules: [w.urls('get', ...health, ...version)] },
    { name: 'admin', aggregates: 'admin' },
    { name: 'edit', aggregates: 'edit', into: 'admin' },
    { name: 'view', aggregates: 'view', into: 'edit' },
    { name: 'system:aggregate-to-admin', into: 'admin', rules: adminRules(w) },
    { name: 'system:aggregate-to-edit', into: 'edit', rules: editRules(w) },
    { name: 'system:aggregate-to-view', into: 'view', rules: viewRules(w) },
    {
      name: 'system:heapster',
      rules: [w.rule(read, 'core', 'events pods nodes namespaces'), w.rule(read, 'extensions', 'deployments')],
    },
    { name: 'system:node', rules: nodeRules(w, gates) },
    {
      name: 'system:node-problem-detector',
      rules: [w.rule('get', 'core', 'nodes'), w.rule('patch', 'core', 'nodes/status'), w.events],
    },
    {
      name: `system:${agent}-api-admin`,
      rules: [
        w.rule(read, 'core', 'nodes'),
        w.rule('proxy', 'core', 'nodes'),
        w.rule('*', 'core', 'nodes/proxy nodes/metrics nodes/stats nodes/log'),
        w.rule('*', 'core', 'nodes/pods nodes/healthz nodes/configz'),
      ],
    },
    {
      name: 'system:node-bootstrapper',
      rules: [w.rule(`create ${read}`, 'certificates', 'certificatesigningrequests')],
    },
    {
      name: 'system:auth-delegator',
      rules: [
        w.rule('create', 'authentication', 'tokenreviews'),
        w.rule('create', 'authorization', 'subjectaccessreviews'),
      ],
    },
    { name: `system:${w.component('aggregator')}`, rules: [w.rule(read, 'core', 'services endpoints')] },
    { name: `system:${w.component('controller-manager')}`, rules: controllerManagerRules(w) },
    { name: `system:${w.component('dns')}`, rules: [w.rule('list watch', 'core', 'services endpoints')] },
    { name: `system:${w.component('scheduler')}`, rules: schedulerRules(w) },
    {
      name: 'system:persistent-volume-provisioner',
      rules: [
        w.rule(`${read} create delete`, 'core', 'persistentvolumes'),
        w.rule(`${read} update`, 'core', 'persistentvolumeclaims'),
        w.rule(read, 'storage', 'storageclasses'),
        w.rule('watch', 'core', 'events'),
        w.events,
      ],
    },
    {
      name: 'system:volume-scheduler',
      rules: [
        w.rule(`${read} patch update`, 'core', 'persistentvolumes'),
        w.rule(read, 'storage', 'storageclasses'),
        w.rule(`${read} patch update`, 'core', 'persistentvolumeclaims'),
      ],
    },
    {
      name: `${certificates}:certificatesigningrequests:nodeclient`,
      rules: [w.rule('create', 'certificates', 'certificatesigningrequests/nodeclient')],
    },
    {
      name: `${certificates}:certificatesigningrequests:selfnodeclient`,
      rules: [w.rule('create', 'certificates', 'certificatesigningrequests/selfnodeclient')],
    },
    approver('legacy-unknown'),
    approver(`${agent}-serving`),
    approver(`${client}-${agent}`),
    approver(client),
    {
      name: 'system:service-account-issuer-discovery',
      rules: [w.urls('get', ...withSlash('/.well-known/openid-configuration'), ...withSlash('/openid/v1/jwks'))],
    },
    {
      name: 'system:node-proxier',
      rules: [
        w.rule('list watch', 'core', 'services endpoints'),
        w.rule(read, 'core', 'nodes'),
        w.events,
        w.rule('list watch', 'networking', 'servicecidrs'),
        w.rule('list watch', 'discovery', 'endpointslices'),
      ],
    },
  ];
}

function clusterRoleBindings(w: Words): readonly ApiObject[] {
  const allUsers = [w.groupSubject(authenticatedGroup), w.groupSubject(unauthenticatedGroup)];
  const component = (part: string, role = `system:${w.component(part)}`) =>
    w.binding(role, [w.user(`system:${w.component(part)}`)], role);
  return [
    w.binding('cluster-admin', [w.groupSubject(mastersGroup)]),
    w.binding('system:monitoring', [w.groupSubject('system:monitoring')]),
    w.binding('system:discovery', [w.groupSubject(authenticatedGroup)]),
    w.binding('system:basic-user', [w.groupSubject(authenticatedGroup)]),
    w.binding('system:public-info-viewer', allUsers),
    component('proxy', 'system:node-proxier'),
    component('controller-manager'),
    w.binding(`system:${w.component('dns')}`, [w.account(w.component('dns'))]),
    component('scheduler'),
    component('scheduler', 'system:volume-scheduler'),
    w.binding('system:service-account-issuer-discovery', [w.groupSubject('system:serviceaccounts')]),
    // nodes have an authorizer of their own
    w.binding('system:node', []),
  ];
}
