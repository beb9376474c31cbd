// The roles and bindings every cluster starts with. They are data: a role is a name and its rules, a rule is verbs,
// groups and resources, in the words of the API.

import type { PolicyRule, RoleSubject } from '../../meta/access.ts';
import {
  apiGroup,
  apiserverWord,
  componentName,
  type Dialect,
  groupName,
  labelKey,
  nodeAgent,
} from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import { authenticatedGroup, mastersGroup, unauthenticatedGroup } from '../../meta/user.ts';

export interface DefaultRoles {
  readonly clusterRoles: readonly ApiObject[];
  readonly clusterRoleBindings: readonly ApiObject[];
  readonly roles: readonly ApiObject[];
  readonly roleBindings: readonly ApiObject[];
}

const read = 'get list watch';
const write = 'create delete deletecollection patch update';
const readWrite = `${read} ${write}`;

/** Groups that stand for themselves, whatever the domain. */
const plainGroups = new Set(['*', 'extensions']);

interface RoleSpec {
  readonly name: string;
  readonly rules?: readonly PolicyRule[];
  /** Filled with the rules of roles that have this label. */
  readonly aggregates?: string;
  /** Labels that let others take in its rules. */
  readonly into?: string;
}

export function defaultRoles(dialect: Dialect): DefaultRoles {
  const words = new Words(dialect);
  const controllers = controllerRoles(words);
  return {
    clusterRoles: [...clusterRoles(words), ...controllers].map((role) => words.clusterRole(role)),
    clusterRoleBindings: [
      ...clusterRoleBindings(words),
      ...controllers.map(({ name }) => words.binding(name, [words.account(name.slice(controllerPrefix.length))])),
    ],
    ...namespaceRoles(words),
  };
}

/** Writes rules and objects in the names of one dialect. */
class Words {
  readonly dialect: Dialect;
  readonly group: string;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
    this.group = groupName(dialect, 'rbac.authorization');
  }

  /** Words are separated by spaces; `core` is the group without a name. */
  rule(verbs: string, groups: string, resources: string, names?: string): PolicyRule {
    return {
      verbs: sorted(verbs),
      apiGroups: groups
        .split(' ')
        .map((id) => this.#groupOf(id))
        .sort(),
      resources: sorted(resources),
      ...(names === undefined ? {} : { resourceNames: sorted(names) }),
    };
  }

  urls(verbs: string, ...paths: readonly string[]): PolicyRule {
    return { verbs: sorted(verbs), nonResourceURLs: [...paths].sort() };
  }

  get events(): PolicyRule {
    return this.rule('create update patch', 'core events', 'events');
  }

  component(part: string): string {
    return componentName(this.dialect, part);
  }

  signer(name: string): string {
    return labelKey(this.dialect, name);
  }

  account(name: string, namespace = this.dialect.systemNamespace): RoleSubject {
    return { kind: 'ServiceAccount', name, namespace };
  }

  user(name: string): RoleSubject {
    return { kind: 'User', apiGroup: this.group, name };
  }

  groupSubject(name: string): RoleSubject {
    return { kind: 'Group', apiGroup: this.group, name };
  }

  clusterRole({ name, rules, aggregates, into }: RoleSpec): ApiObject {
    const label = (target: string) => `${this.group}/aggregate-to-${target}`;
    const selectors = [{ matchLabels: { [label(aggregates ?? '')]: 'true' } }];
    return {
      ...this.#object('ClusterRole', name, into === undefined ? {} : { [label(into)]: 'true' }),
      rules: rules ?? null,
      ...(aggregates === undefined ? {} : { aggregationRule: { clusterRoleSelectors: selectors } }),
    };
  }

  role(namespace: string, name: string, rules: readonly PolicyRule[]): ApiObject {
    const object = this.#object('Role', name);
    return { ...object, metadata: { ...object.metadata, namespace }, rules };
  }

  binding(role: string, subjects: readonly RoleSubject[], name = role): ApiObject {
    return {
      ...this.#object('ClusterRoleBinding', name),
      ...(subjects.length === 0 ? {} : { subjects }),
      roleRef: { apiGroup: this.group, kind: 'ClusterRole', name: role },
    };
  }

  roleBinding(namespace: string, role: string, subjects: readonly RoleSubject[], name = role): ApiObject {
    const object = this.#object('RoleBinding', name);
    const roleRef = { apiGroup: this.group, kind: 'Role', name: role };
    return { ...object, metadata: { ...object.metadata, namespace }, subjects, roleRef };
  }

  #object(kind: string, name: string, labels: Readonly<Record<string, string>> = {}): ApiObject {
    const metadata = {
      name,
      labels: { [labelKey(this.dialect, 'bootstrapping')]: 'rbac-defaults', ...labels },
      annotations: { [autoUpdateAnnotation(this.dialect)]: 'true' },
    };
    return { kind, apiVersion: `${this.group}/v1`, metadata };
  }

  #groupOf(id: string): string {
    if (plainGroups.has(id)) return id;
    return id === 'core' ? '' : groupName(this.dialect, id);
  }
}

const sorted = (words: string) => words.split(' ').sort();

/** Whoever sets this to `false` keeps an object as it is. */
export const autoUpdateAnnotation = (dialect: Dialect) => `rbac.authorization.${dialect.labelDomain}/autoupdate`;

function clusterRoles(w: Words): readonly RoleSpec[] {
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
      rules: [w.urls('get', '/metrics', '/metrics/slis', ...health, ...health.map((path) => `${path}/*`))],
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
    { name: 'system:node', rules: nodeRules(w) },
    {
      name: 'system:node-problem-detector',
      rules: [w.rule('get', 'core', 'nodes'), w.rule('patch', 'core', 'nodes/status'), w.events],
    },
    {
      name: `system:${agent}-api-admin`,
      rules: [
        w.rule(read, 'core', 'nodes'),
        w.rule('proxy', 'core', 'nodes'),
        w.rule('*', 'core', 'nodes/proxy nodes/metrics nodes/stats nodes/log nodes/pods nodes/healthz nodes/configz'),
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
        w.rule('list watch', 'discovery', 'endpointslices'),
        w.rule('list watch', 'networking', 'servicecidrs'),
      ],
    },
  ];
}

function adminRules(w: Words): readonly PolicyRule[] {
  return [
    w.rule('create', 'authorization', 'localsubjectaccessreviews'),
    w.rule(readWrite, 'rbac.authorization', 'roles rolebindings'),
  ];
}

function editRules(w: Words): readonly PolicyRule[] {
  const reach = 'pods/attach pods/proxy pods/exec pods/portforward';
  return [
    w.rule(read, 'core', `${reach} secrets services/proxy`),
    w.rule('impersonate', 'core', 'serviceaccounts'),
    w.rule(write, 'core', `pods ${reach}`),
    w.rule('create', 'core', 'pods/eviction'),
    w.rule(
      write,
      'core',
      'replicationcontrollers replicationcontrollers/scale serviceaccounts services services/proxy persistentvolumeclaims configmaps secrets events',
    ),
    w.rule('create', 'core', 'serviceaccounts/token'),
    w.rule(
      write,
      'apps',
      'statefulsets statefulsets/scale daemonsets deployments deployments/scale deployments/rollback replicasets replicasets/scale',
    ),
    w.rule(write, 'autoscaling', 'horizontalpodautoscalers'),
    w.rule(write, 'batch', 'jobs cronjobs'),
    w.rule(
      write,
      'extensions',
      'daemonsets deployments deployments/scale deployments/rollback ingresses replicasets replicasets/scale replicationcontrollers/scale networkpolicies',
    ),
    w.rule(write, 'policy', 'poddisruptionbudgets'),
    w.rule(write, 'networking', 'networkpolicies ingresses'),
    w.rule(readWrite, 'coordination', 'leases'),
    w.rule(write, 'resource', 'resourceclaims resourceclaimtemplates'),
  ];
}

function viewRules(w: Words): readonly PolicyRule[] {
  return [
    w.rule(
      read,
      'core',
      'pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status endpoints persistentvolumeclaims persistentvolumeclaims/status configmaps',
    ),
    w.rule(
      read,
      'core',
      'limitranges resourcequotas bindings events pods/status resourcequotas/status namespaces/status replicationcontrollers/status pods/log',
    ),
    w.rule(read, 'core', 'namespaces'),
    w.rule(read, 'discovery', 'endpointslices'),
    w.rule(
      read,
      'apps',
      'controllerrevisions statefulsets statefulsets/status statefulsets/scale daemonsets daemonsets/status deployments deployments/status deployments/scale replicasets replicasets/status replicasets/scale',
    ),
    w.rule(read, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
    w.rule(read, 'batch', 'jobs cronjobs cronjobs/status jobs/status'),
    w.rule(
      read,
      'extensions',
      'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status replicasets replicasets/scale replicasets/status replicationcontrollers/scale networkpolicies',
    ),
    w.rule(read, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
    w.rule(read, 'networking', 'networkpolicies ingresses ingresses/status'),
    w.rule(read, 'resource', 'resourceclaims resourceclaims/status resourceclaimtemplates'),
  ];
}

/** What the program on a node may do; the node authorizer narrows most of it to what runs there. */
export function nodeRules(w: Words): readonly PolicyRule[] {
  return [
    w.rule('create', 'authentication', 'tokenreviews'),
    w.rule('create', 'authorization', 'subjectaccessreviews localsubjectaccessreviews'),
    w.rule(read, 'core', 'services'),
    w.rule(`create ${read}`, 'core', 'nodes'),
    w.rule('update patch', 'core', 'nodes/status'),
    w.rule('update patch', 'core', 'nodes'),
    w.rule('create update patch', 'core', 'events'),
    w.rule(read, 'core', 'pods'),
    w.rule('create delete', 'core', 'pods'),
    w.rule('update patch', 'core', 'pods/status'),
    w.rule('create', 'core', 'pods/eviction'),
    w.rule(read, 'core', 'secrets configmaps'),
    w.rule('get', 'core', 'persistentvolumeclaims persistentvolumes'),
    w.rule('get', 'core', 'endpoints'),
    w.rule(`create ${read}`, 'certificates', 'certificatesigningrequests'),
    w.rule('get create update patch delete', 'coordination', 'leases'),
    w.rule('get', 'storage', 'volumeattachments'),
    w.rule('create', 'core', 'serviceaccounts/token'),
    w.rule('get update patch', 'core', 'persistentvolumeclaims/status'),
    w.rule(read, 'storage', 'csidrivers'),
    w.rule('get create update patch delete', 'storage', 'csinodes'),
    w.rule(read, 'node', 'runtimeclasses'),
    w.rule('get', 'resource', 'resourceclaims'),
    w.rule('deletecollection', 'resource', 'resourceslices'),
    w.rule('get', 'core', 'serviceaccounts'),
  ];
}

/** The same for whoever has a dialect only. */
export const rulesOfNodes = (dialect: Dialect) => nodeRules(new Words(dialect));

function controllerManagerRules(w: Words): readonly PolicyRule[] {
  return [
    w.events,
    w.rule('create', 'coordination', 'leases'),
    w.rule('get update', 'coordination', 'leases', w.component('controller-manager')),
    w.rule('create', 'core', 'secrets serviceaccounts'),
    w.rule('delete', 'core', 'secrets'),
    w.rule('get', 'core', 'namespaces secrets serviceaccounts configmaps'),
    w.rule('update', 'core', 'secrets serviceaccounts'),
    w.rule('create', 'authentication', 'tokenreviews'),
    w.rule('create', 'authorization', 'subjectaccessreviews'),
    w.rule('list watch', '*', '*'),
    w.rule('create', 'core', 'serviceaccounts/token'),
  ];
}

function schedulerRules(w: Words): readonly PolicyRule[] {
  return [
    w.events,
    w.rule('create', 'coordination', 'leases'),
    w.rule('get update', 'coordination', 'leases', w.component('scheduler')),
    w.rule(read, 'core', 'nodes'),
    w.rule(`${read} delete`, 'core', 'pods'),
    w.rule('create', 'core', 'pods/binding bindings'),
    w.rule('update patch', 'core', 'pods/status'),
    w.rule(read, 'core', 'services replicationcontrollers'),
    w.rule(read, 'apps extensions', 'replicasets'),
    w.rule(read, 'apps', 'statefulsets'),
    w.rule(read, 'policy', 'poddisruptionbudgets'),
    w.rule(read, 'core', 'persistentvolumeclaims persistentvolumes'),
    w.rule('create', 'authentication', 'tokenreviews'),
    w.rule('create', 'authorization', 'subjectaccessreviews'),
    w.rule(read, 'storage', 'csinodes'),
    w.rule(read, 'core', 'namespaces'),
    w.rule(read, 'storage', 'csidrivers'),
    w.rule(read, 'storage', 'csistoragecapacities'),
    w.rule(read, 'storage', 'volumeattachments'),
    w.rule(read, 'resource', 'deviceclasses'),
    w.rule(`${read} update patch`, 'resource', 'resourceclaims'),
    w.rule(`${read} update patch`, 'resource', 'resourceclaims/status'),
    w.rule('update patch', 'resource', 'resourceclaims/binding'),
    w.rule(`${read} update patch`, 'core', 'pods/finalizers'),
    w.rule(read, 'resource', 'resourceslices'),
    w.rule(read, 'resource', 'devicetaintrules'),
  ];
}

function clusterRoleBindings(w: Words): readonly ApiObject[] {
  const everybody = [w.groupSubject(authenticatedGroup), w.groupSubject(unauthenticatedGroup)];
  const component = (part: string, role = `system:${w.component(part)}`) =>
    w.binding(role, [w.user(`system:${w.component(part)}`)], role);
  return [
    w.binding('cluster-admin', [w.groupSubject(mastersGroup)]),
    w.binding('system:monitoring', [w.groupSubject('system:monitoring')]),
    w.binding('system:discovery', [w.groupSubject(authenticatedGroup)]),
    w.binding('system:basic-user', [w.groupSubject(authenticatedGroup)]),
    w.binding('system:public-info-viewer', everybody),
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

const controllerPrefix = 'system:controller:';

function controllerRoles(w: Words): readonly RoleSpec[] {
  const all: Readonly<Record<string, readonly PolicyRule[]>> = {
    ...workloadControllers(w),
    ...networkControllers(w),
    ...volumeControllers(w),
    ...clusterControllers(w),
  };
  return Object.entries(all).map(([name, rules]) => ({ name: controllerPrefix + name, rules }));
}

type ControllerRules = Readonly<Record<string, readonly PolicyRule[]>>;

function workloadControllers(w: Words): ControllerRules {
  const status = (groups: string, plural: string) => [
    w.rule('update', groups, `${plural}/status`),
    w.rule('update', groups, `${plural}/finalizers`),
  ];
  return {
    'cronjob-controller': [
      w.rule(`${read} update`, 'batch', 'cronjobs'),
      w.rule(`${read} create update delete patch`, 'batch', 'jobs'),
      ...status('batch', 'cronjobs'),
      w.rule('list watch delete', 'core', 'pods'),
      w.events,
    ],
    'daemon-set-controller': [
      w.rule(read, 'extensions apps', 'daemonsets'),
      ...status('extensions apps', 'daemonsets'),
      w.rule('list watch', 'core', 'nodes'),
      w.rule('list watch create delete patch', 'core', 'pods'),
      w.rule('create', 'core', 'pods/binding'),
      w.rule(`${read} create delete update patch`, 'apps', 'controllerrevisions'),
      w.events,
    ],
    'deployment-controller': [
      w.rule(`${read} update`, 'extensions apps', 'deployments'),
      ...status('extensions apps', 'deployments'),
      w.rule(`${read} create update patch delete`, 'apps extensions', 'replicasets'),
      w.rule(`${read} update`, 'core', 'pods'),
      w.events,
    ],
    'disruption-controller': [
      w.rule(read, 'extensions apps', 'deployments'),
      w.rule(read, 'apps extensions', 'replicasets'),
      w.rule(read, 'core', 'replicationcontrollers'),
      w.rule(read, 'policy', 'poddisruptionbudgets'),
      w.rule(read, 'apps', 'statefulsets'),
      w.rule('update', 'policy', 'poddisruptionbudgets/status'),
      w.rule('patch update', 'core', 'pods/status'),
      w.rule('get', '*', '*/scale'),
      w.events,
    ],
    'horizontal-pod-autoscaler': [
      w.rule(read, 'autoscaling', 'horizontalpodautoscalers'),
      w.rule('update', 'autoscaling', 'horizontalpodautoscalers/status'),
      w.rule('get update', '*', '*/scale'),
      w.rule('list watch', 'core', 'pods'),
      w.rule('list watch', 'metrics', 'pods'),
      w.rule(read, 'custom.metrics', '*'),
      w.rule(read, 'external.metrics', '*'),
      w.events,
    ],
    'job-controller': [
      w.rule(`${read} update patch`, 'batch', 'jobs'),
      ...status('batch', 'jobs'),
      w.rule('list watch create delete patch', 'core', 'pods'),
      w.events,
    ],
    'replicaset-controller': [
      w.rule(`${read} update`, 'apps extensions', 'replicasets'),
      ...status('apps extensions', 'replicasets'),
      w.rule('list watch patch create delete', 'core', 'pods'),
      w.events,
    ],
    'replication-controller': [
      w.rule(`${read} update`, 'core', 'replicationcontrollers'),
      ...status('core', 'replicationcontrollers'),
      w.rule('list watch patch create delete', 'core', 'pods'),
      w.events,
    ],
    'statefulset-controller': [
      w.rule('list watch', 'core', 'pods'),
      w.rule(read, 'apps', 'statefulsets'),
      ...status('apps', 'statefulsets'),
      w.rule('get create delete update patch', 'core', 'pods'),
      w.rule(`${read} create delete update patch`, 'apps', 'controllerrevisions'),
      w.rule(`${read} create`, 'core', 'persistentvolumeclaims'),
      w.rule('update delete', 'core', 'persistentvolumeclaims'),
      w.rule('update', 'core', 'pods/finalizers'),
      w.events,
    ],
    'ttl-after-finished-controller': [w.rule(`${read} delete`, 'batch', 'jobs'), w.events],
    'pod-garbage-collector': [
      w.rule('list watch delete', 'core', 'pods'),
      w.rule(read, 'core', 'nodes'),
      w.rule('patch', 'core', 'pods/status'),
    ],
    'resource-claim-controller': [
      w.rule(read, 'core', 'pods'),
      w.rule('update', 'core', 'pods/finalizers'),
      w.rule(`${read} create delete`, 'resource', 'resourceclaims'),
      w.rule('update patch', 'resource', 'resourceclaims resourceclaims/status'),
      w.rule('update patch', 'resource', 'resourceclaims/binding'),
      w.rule('update patch', 'core', 'pods/status'),
      w.events,
    ],
    'device-taint-eviction-controller': [
      w.rule(`${read} delete`, 'core', 'pods'),
      w.rule('update patch', 'core', 'pods/status'),
      w.rule(read, 'resource', 'resourceclaims'),
      w.rule(read, 'resource', 'resourceslices'),
      w.rule(read, 'resource', 'deviceclasses'),
      w.rule(read, 'resource', 'devicetaintrules'),
      w.rule('update patch', 'resource', 'devicetaintrules/status'),
      w.events,
    ],
  };
}

function networkControllers(w: Words): ControllerRules {
  const slices = `${read} create update delete`;
  return {
    'endpoint-controller': [
      w.rule(read, 'core', 'services pods'),
      w.rule(slices, 'core', 'endpoints'),
      w.rule('create', 'core', 'endpoints/restricted'),
      w.events,
    ],
    'endpointslice-controller': [
      w.rule(read, 'core', 'services pods nodes'),
      w.rule('update', 'core', 'services/finalizers'),
      w.rule(slices, 'discovery', 'endpointslices'),
      w.events,
    ],
    'endpointslicemirroring-controller': [
      w.rule(read, 'core', 'services endpoints'),
      w.rule('update', 'core', 'services/finalizers'),
      w.rule('update', 'core', 'endpoints/finalizers'),
      w.rule(slices, 'discovery', 'endpointslices'),
      w.events,
    ],
    'route-controller': [w.rule('list watch', 'core', 'nodes'), w.rule('patch', 'core', 'nodes/status'), w.events],
    'service-controller': [
      w.rule(read, 'core', 'services'),
      w.rule('patch update', 'core', 'services/status'),
      w.rule('list watch', 'core', 'nodes'),
      w.events,
    ],
    'service-cidrs-controller': [
      w.rule(`${read} patch update`, 'networking', 'servicecidrs'),
      w.rule('patch update', 'networking', 'servicecidrs/finalizers'),
      w.rule('patch update', 'networking', 'servicecidrs/status'),
      w.rule(read, 'networking', 'ipaddresses'),
      w.events,
    ],
  };
}

function volumeControllers(w: Words): ControllerRules {
  return {
    'attachdetach-controller': [
      w.rule('list watch', 'core', 'persistentvolumes persistentvolumeclaims'),
      w.rule(read, 'core', 'nodes'),
      w.rule('patch update', 'core', 'nodes/status'),
      w.rule('list watch', 'core', 'pods'),
      w.events,
      w.rule(`${read} create delete`, 'storage', 'volumeattachments'),
      w.rule(read, 'storage', 'csidrivers'),
      w.rule(read, 'storage', 'csinodes'),
    ],
    'expand-controller': [
      w.rule(`${read} update patch`, 'core', 'persistentvolumes'),
      w.rule('update patch', 'core', 'persistentvolumeclaims/status'),
      w.rule(read, 'core', 'persistentvolumeclaims'),
      w.events,
      w.rule('get', 'core', 'services'),
    ],
    'ephemeral-volume-controller': [
      w.rule(read, 'core', 'pods'),
      w.rule('update', 'core', 'pods/finalizers'),
      w.rule(`${read} create`, 'core', 'persistentvolumeclaims'),
      w.events,
    ],
    'persistent-volume-binder': [
      w.rule(`${read} update create delete`, 'core', 'persistentvolumes'),
      w.rule('update', 'core', 'persistentvolumes/status'),
      w.rule(`${read} update`, 'core', 'persistentvolumeclaims'),
      w.rule('update', 'core', 'persistentvolumeclaims/status'),
      w.rule(`${read} create delete`, 'core', 'pods'),
      w.rule(read, 'storage', 'storageclasses'),
      w.rule('list watch', 'core', 'nodes'),
      w.events,
      w.rule('watch', 'core', 'events'),
      w.rule('get', 'core', 'services'),
    ],
    'pvc-protection-controller': [
      w.rule(`${read} update`, 'core', 'persistentvolumeclaims'),
      w.rule(read, 'core', 'pods'),
      w.events,
    ],
    'pv-protection-controller': [w.rule(`${read} update`, 'core', 'persistentvolumes'), w.events],
    'volumeattributesclass-protection-controller': [
      w.rule(read, 'core', 'persistentvolumeclaims'),
      w.rule(read, 'core', 'persistentvolumes'),
      w.rule(`${read} update`, 'storage', 'volumeattributesclasses'),
      w.events,
    ],
    'selinux-warning-controller': [
      w.events,
      w.rule(read, 'core', 'persistentvolumes'),
      w.rule(read, 'core', 'persistentvolumeclaims'),
      w.rule(read, 'core', 'pods'),
      w.rule(read, 'storage', 'csidrivers'),
    ],
  };
}

function clusterControllers(w: Words): ControllerRules {
  const client = `${apiserverWord(w.dialect)}-client`;
  const agent = nodeAgent(w.dialect);
  const signers = ['legacy-unknown', client, `${client}-${agent}`, `${agent}-serving`].map((name) => w.signer(name));
  return {
    'clusterrole-aggregation-controller': [
      w.rule(`escalate ${read} update patch`, 'rbac.authorization', 'clusterroles'),
    ],
    'generic-garbage-collector': [w.rule(`${read} patch update delete`, '*', '*'), w.events],
    'namespace-controller': [
      w.rule(`${read} delete`, 'core', 'namespaces'),
      w.rule('update', 'core', 'namespaces/finalize namespaces/status'),
      w.rule(`${read} delete deletecollection`, '*', '*'),
    ],
    'node-controller': [
      w.rule(`${read} update delete patch`, 'core', 'nodes'),
      w.rule('patch update', 'core', 'nodes/status'),
      w.rule('patch update', 'core', 'pods/status'),
      w.rule(`${read} delete`, 'core', 'pods'),
      w.events,
    ],
    'resourcequota-controller': [
      w.rule('list watch', '*', '*'),
      w.rule('update', 'core', 'resourcequotas/status'),
      w.events,
    ],
    'service-account-controller': [w.rule('create', 'core', 'serviceaccounts'), w.events],
    'ttl-controller': [w.rule('update patch list watch', 'core', 'nodes'), w.events],
    'certificate-controller': [
      w.rule(`${read} delete`, 'certificates', 'certificatesigningrequests'),
      w.rule('update', 'certificates', 'certificatesigningrequests/status certificatesigningrequests/approval'),
      w.rule('approve', 'certificates', 'signers', w.signer(`${client}-${agent}`)),
      w.rule('sign', 'certificates', 'signers', signers.join(' ')),
      w.rule('create', 'authorization', 'subjectaccessreviews'),
      w.events,
    ],
    'root-ca-cert-publisher': [w.rule('create update', 'core', 'configmaps'), w.events],
    'validatingadmissionpolicy-status-controller': [
      w.rule(read, 'admissionregistration', 'validatingadmissionpolicies'),
      w.rule('get patch update', 'admissionregistration', 'validatingadmissionpolicies/status'),
      w.events,
    ],
    'legacy-service-account-token-cleaner': [
      w.rule('get', 'core', 'configmaps', `${apiserverWord(w.dialect)}-legacy-service-account-token-tracking`),
      w.rule('patch delete', 'core', 'secrets'),
    ],
  };
}

function namespaceRoles(w: Words): Pick<DefaultRoles, 'roles' | 'roleBindings'> {
  const { systemNamespace: system, publicNamespace: open } = w.dialect;
  const signer = `${controllerPrefix}bootstrap-signer`;
  const reader = 'extension-apiserver-authentication-reader';
  const manager = w.component('controller-manager');
  const scheduler = w.component('scheduler');
  const lock = (component: string) => `system::leader-locking-${component}`;
  const locking = (component: string) => [
    w.rule('watch', 'core', 'configmaps'),
    w.rule('get update', 'core', 'configmaps', component),
  ];
  return {
    roles: [
      w.role(system, reader, [w.rule(read, 'core', 'configmaps', 'extension-apiserver-authentication')]),
      w.role(system, signer, [w.rule(read, 'core', 'secrets')]),
      w.role(system, `${controllerPrefix}cloud-provider`, [w.rule(`create ${read}`, 'core', 'configmaps')]),
      w.role(system, `${controllerPrefix}token-cleaner`, [w.rule(`${read} delete`, 'core', 'secrets'), w.events]),
      w.role(system, lock(manager), locking(manager)),
      w.role(system, lock(scheduler), locking(scheduler)),
      w.role(open, signer, [
        w.rule(read, 'core', 'configmaps'),
        w.rule('update', 'core', 'configmaps', 'cluster-info'),
        w.events,
      ]),
    ],
    roleBindings: [
      w.roleBinding(system, reader, [w.user(`system:${manager}`), w.user(`system:${scheduler}`)], `system::${reader}`),
      w.roleBinding(system, lock(manager), [w.user(`system:${manager}`), w.account(manager)]),
      w.roleBinding(system, lock(scheduler), [w.user(`system:${scheduler}`), w.account(scheduler)]),
      w.roleBinding(system, signer, [w.account('bootstrap-signer')]),
      w.roleBinding(system, `${controllerPrefix}cloud-provider`, [w.account('cloud-provider')]),
      w.roleBinding(system, `${controllerPrefix}token-cleaner`, [w.account('token-cleaner')]),
      w.roleBinding(open, signer, [w.account('bootstrap-signer')]),
    ],
  };
}
