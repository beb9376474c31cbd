// Conditions of a node that is silent, and the taints that follow from the conditions of a node.

import type { Node } from '../../groups/core/v1/node/node-type.ts';
import { type DialectNames, nodeTaint, topologyLabel } from '../../meta/dialect.ts';
import { formatTime } from '../../meta/time.ts';

type Conditions = NonNullable<NonNullable<Node['status']>['conditions']>;
type Taint = NonNullable<NonNullable<Node['spec']>['taints']>[number];

export const readyStatus = ({ status }: Node): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status;

/** When the node last reported its status. */
export const heartbeatOf = ({ status }: Node): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.lastHeartbeatTime;

/** Region and zone of a node; nodes without these labels are in one zone. */
export function zoneOf({ metadata: { labels = {} } }: Node, dialect: DialectNames): string {
  const [region = '', zone = ''] = [labels[topologyLabel(dialect, 'region')], labels[topologyLabel(dialect, 'zone')]];
  return `${region}:${zone}`;
}

const reported = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The conditions of a node of which nothing is known. */
export function silentConditions({ metadata, status = {} }: Node, now: number): Conditions {
  const { conditions = [] } = status;
  const time = formatTime(now);
  const changed = conditions.map((condition) =>
    reported.includes(condition.type ?? '') && condition.status !== 'Unknown'
      ? {
          ...condition,
          ...{ status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' },
          lastTransitionTime: time,
        }
      : condition,
  );
  const missing = reported.filter((type) => !conditions.some((one) => one.type === type));
  const added = missing.map((type) => ({
    ...{ type, status: 'Unknown', reason: 'NodeStatusNeverUpdated' },
    message: 'Kubelet never posted node status.',
    lastHeartbeatTime: metadata.creationTimestamp,
    lastTransitionTime: time,
  }));
  return [...changed, ...added] as Conditions;
}

/** The taint of each condition, by its status. */
const taintOfCondition: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: 'not-ready', Unknown: 'unreachable' },
  MemoryPressure: { True: 'memory-pressure' },
  DiskPressure: { True: 'disk-pressure' },
  NetworkUnavailable: { True: 'network-unavailable' },
  PIDPressure: { True: 'pid-pressure' },
};

const placementTaints = [
  'unschedulable',
  ...Object.values(taintOfCondition).flatMap((byStatus) => Object.values(byStatus)),
];

/** The name of the taint that evicts pods, for a node that is not ready. */
function evictionTaint(node: Node): 'not-ready' | 'unreachable' | undefined {
  const status = readyStatus(node);
  if (status === undefined || status === 'True') return undefined;
  return status === 'Unknown' ? 'unreachable' : 'not-ready';
}

const evictionTaints = ['not-ready', 'unreachable'] as const;

const has = (taints: readonly Taint[], key: string, effect: string): boolean =>
  taints.some((taint) => taint.key === key && taint.effect === effect);

interface TaintOptions {
  readonly dialect: DialectNames;
  readonly now: number;
  /** The node may get its taint of eviction now. */
  readonly evicts: boolean;
  /** No node evicts pods. */
  readonly isAllLost: boolean;
}

/** The taints that a node should have; undefined if it has them. */
export function reconciledTaints(node: Node, options: TaintOptions): readonly Taint[] | undefined {
  const { dialect, now } = options;
  const { taints = [] } = node.spec ?? {};
  const keyed = (name: string) => nodeTaint(dialect, name);
  const required = [
    ...placementOf(node).map((name) => ({ key: keyed(name), effect: 'NoSchedule' })),
    ...evictionOf(node, taints, options).map((name) => ({ key: keyed(name), effect: 'NoExecute' })),
  ];
  const isOwn = ({ key = '', effect }: Taint) =>
    (effect === 'NoSchedule' && placementTaints.some((name) => keyed(name) === key)) ||
    (effect === 'NoExecute' && evictionTaints.some((name) => keyed(name) === key) && readyStatus(node) !== undefined);
  const unchanged = taints.filter((taint) => !isOwn(taint) || has(required, taint.key ?? '', taint.effect ?? ''));
  const added = required.filter(({ key, effect }) => !has(taints, key, effect));
  if (added.length === 0 && unchanged.length === taints.length) return undefined;
  return [...unchanged, ...added.map((taint) => ({ ...taint, timeAdded: formatTime(now) }))] as Taint[];
}

/** Names of the taints that keep new pods away. */
function placementOf({ spec, status }: Node): readonly string[] {
  const names = (status?.conditions ?? []).flatMap(
    ({ type = '', status: holds = '' }) => taintOfCondition[type]?.[holds] ?? [],
  );
  return spec?.unschedulable === true ? [...names, 'unschedulable'] : names;
}

/** A node that has the other taint changes it at once; a node without one waits until its zone allows it. */
function evictionOf(node: Node, taints: readonly Taint[], { dialect, evicts, isAllLost }: TaintOptions) {
  const name = evictionTaint(node);
  if (name === undefined || isAllLost) return [];
  const isTainted = evictionTaints.some((one) => has(taints, nodeTaint(dialect, one), 'NoExecute'));
  return isTainted || evicts ? [name] : [];
}

/** Whether a node that is not ready lacks the taint that evicts its pods. */
export function awaitsEviction(node: Node, dialect: DialectNames): boolean {
  const name = evictionTaint(node);
  return name !== undefined && !has(node.spec?.taints ?? [], nodeTaint(dialect, name), 'NoExecute');
}
