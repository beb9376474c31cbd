// Flow schemas and priority levels that every cluster starts with: those it cannot do without, and those suggested.

import { apiGroup, componentName, type Dialect, labelKey } from '../../../meta/dialect.ts';
import type { ApiObject, ObjectMeta } from '../../../meta/object.ts';
import { authenticatedGroup, mastersGroup, unauthenticatedGroup } from '../../../meta/user.ts';

type Resource = 'flowschemas' | 'prioritylevelconfigurations';

/** An object to be made if it is missing. */
interface StartObject {
  readonly resource: Resource;
  readonly object: ApiObject;
}

const anything = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

const group = (name: string) => ({ kind: 'Group', group: { name } });
const user = (name: string) => ({ kind: 'User', user: { name } });
const allUsers = [group(unauthenticatedGroup), group(authenticatedGroup)];

const exemptLevel = { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } };

const catchAllLevel = {
  type: 'Limited',
  limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
};

const exemptSchema = {
  priorityLevelConfiguration: { name: 'exempt' },
  matchingPrecedence: 1,
  rules: [{ subjects: [group(mastersGroup)], ...anything }],
};

const catchAllSchema = {
  priorityLevelConfiguration: { name: 'catch-all' },
  matchingPrecedence: 10_000,
  distinguisherMethod: { type: 'ByUser' },
  rules: [{ subjects: allUsers, ...anything }],
};

const mandatory: Readonly<Record<Resource, Readonly<Record<string, object>>>> = {
  prioritylevelconfigurations: { exempt: exemptLevel, 'catch-all': catchAllLevel },
  flowschemas: { exempt: exemptSchema, 'catch-all': catchAllSchema },
};

/** What the spec of a mandatory object must be; undefined for all others. */
export function mandatorySpec(resource: Resource, name: string): object | undefined {
  return Object.hasOwn(mandatory[resource], name) ? mandatory[resource][name] : undefined;
}

interface LevelSize {
  readonly shares: number;
  readonly lendable: number;
  readonly queues: number;
  readonly hand: number;
}

function level({ shares, lendable, queues, hand }: LevelSize): object {
  return {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: shares,
      limitResponse: { type: 'Queue', queuing: { queues, handSize: hand, queueLengthLimit: 50 } },
      lendablePercent: lendable,
    },
  };
}

const suggestedLevels: Readonly<Record<string, object>> = {
  system: level({ shares: 30, lendable: 33, queues: 64, hand: 6 }),
  'node-high': level({ shares: 40, lendable: 25, queues: 64, hand: 6 }),
  'leader-election': level({ shares: 10, lendable: 0, queues: 16, hand: 4 }),
  'workload-high': level({ shares: 40, lendable: 50, queues: 128, hand: 6 }),
  'workload-low': level({ shares: 100, lendable: 90, queues: 128, hand: 6 }),
  'global-default': level({ shares: 20, lendable: 50, queues: 128, hand: 6 }),
};

interface Flow {
  readonly level: string;
  readonly precedence: number;
  readonly by?: 'ByUser' | 'ByNamespace';
  readonly rules: object;
}

function schema({ level: name, precedence, by, rules }: Flow): object {
  return {
    priorityLevelConfiguration: { name },
    matchingPrecedence: precedence,
    ...(by ? { distinguisherMethod: { type: by } } : {}),
    rules: [rules],
  };
}

/** Access to some resources in every namespace. */
const access = (verbs: readonly string[], apiGroups: readonly string[], resources: readonly string[]) => ({
  verbs,
  apiGroups,
  resources,
  namespaces: ['*'],
});

function suggestedSchemas(dialect: Dialect): Readonly<Record<string, object>> {
  const { systemNamespace: namespace } = dialect;
  const managerName = componentName(dialect, 'controller-manager');
  const schedulerName = componentName(dialect, 'scheduler');
  const account = (name: string) => ({ kind: 'ServiceAccount', serviceAccount: { namespace, name } });
  const manager = user(`system:${managerName}`);
  const scheduler = user(`system:${schedulerName}`);
  const nodes = group('system:nodes');
  const leases = access(['get', 'create', 'update'], [apiGroup(dialect, 'coordination')], ['leases']);
  const allLeases = access(['*'], [apiGroup(dialect, 'coordination')], ['leases']);
  const ownNodes = { ...access(['*'], [''], ['nodes', 'nodes/status']), clusterScope: true };
  const probes = { verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] };
  return {
    probes: schema({ level: 'exempt', precedence: 2, rules: { subjects: allUsers, nonResourceRules: [probes] } }),
    'system-leader-election': schema({
      level: 'leader-election',
      precedence: 100,
      by: 'ByUser',
      rules: { subjects: [manager, scheduler, account('*')], resourceRules: [leases] },
    }),
    'system-node-high': schema({
      level: 'node-high',
      precedence: 400,
      by: 'ByUser',
      rules: { subjects: [nodes], resourceRules: [ownNodes, allLeases] },
    }),
    'system-nodes': schema({
      level: 'system',
      precedence: 500,
      by: 'ByUser',
      rules: { subjects: [nodes], ...anything },
    }),
    [managerName]: schema({
      level: 'workload-high',
      precedence: 800,
      by: 'ByNamespace',
      rules: { subjects: [manager], ...anything },
    }),
    [schedulerName]: schema({
      level: 'workload-high',
      precedence: 800,
      by: 'ByNamespace',
      rules: { subjects: [scheduler], ...anything },
    }),
    [`${namespace}-service-accounts`]: schema({
      level: 'workload-high',
      precedence: 900,
      by: 'ByNamespace',
      rules: { subjects: [account('*')], ...anything },
    }),
    'service-accounts': schema({
      level: 'workload-low',
      precedence: 9000,
      by: 'ByUser',
      rules: { subjects: [group('system:serviceaccounts')], ...anything },
    }),
    'global-default': schema({
      level: 'global-default',
      precedence: 9900,
      by: 'ByUser',
      rules: { subjects: allUsers, ...anything },
    }),
  };
}

/** Who owns what is made here. */
export const flowControlManager = 'api-priority-and-fairness-config-producer-v1';

/** Levels first: schemas refer to them. */
export function flowControlObjects(dialect: Dialect): readonly StartObject[] {
  const { prioritylevelconfigurations: levels, flowschemas: schemas } = mandatory;
  const make = (resource: Resource, kind: string, specs: Readonly<Record<string, object>>) =>
    Object.entries(specs).map(([name, spec]) => ({ resource, object: startObject(dialect, kind, name, spec) }));
  return [
    ...make('prioritylevelconfigurations', 'PriorityLevelConfiguration', { ...levels, ...suggestedLevels }),
    ...make('flowschemas', 'FlowSchema', { ...schemas, ...suggestedSchemas(dialect) }),
  ];
}

const autoUpdateAnnotation = (dialect: Dialect) => `apf.${labelKey(dialect, 'autoupdate-spec')}`;

/** Whether a server made the object, and no administrator has changed it yet. */
export function isMadeByServer(metadata: ObjectMeta | undefined, dialect: Dialect): boolean {
  return metadata?.annotations?.[autoUpdateAnnotation(dialect)] === 'true';
}

function startObject(dialect: Dialect, kind: string, name: string, spec: object): ApiObject {
  const annotations = { [autoUpdateAnnotation(dialect)]: 'true' };
  const apiVersion = `${apiGroup(dialect, 'flowcontrol.apiserver')}/v1`;
  return { kind, apiVersion, metadata: { name, annotations }, spec };
}
