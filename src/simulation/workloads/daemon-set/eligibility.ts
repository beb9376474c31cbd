// On which nodes the pods of a daemon set run, and what they need to run there.

import type { DaemonSet } from '../../../groups/apps/v1/daemon-set-type.ts';
import type { Node } from '../../../groups/core/v1/node/node-type.ts';
import type { PodSpec } from '../../../groups/core/v1/pod/pod-spec.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import { type Dialect, nodeTaint } from '../../../meta/dialect.ts';
import { nodeWishesOf } from '../../scheduler/node-affinity.ts';
import { isTolerated, type Toleration } from '../../scheduler/taints.ts';

export interface Eligibility {
  readonly shouldRun: boolean;
  /** A pod that is there may stay. */
  readonly mayStay: boolean;
}

const nowhere: Eligibility = { shouldRun: false, mayStay: false };

export function eligibility({ spec }: DaemonSet, node: Node, dialect: Dialect): Eligibility {
  const template: PodSpec = spec?.template?.spec ?? {};
  const { name = '', labels = {} } = node.metadata;
  if (template.nodeName && template.nodeName !== name) return nowhere;
  if (!nodeWishesOf(template).accepts({ name, labels })) return nowhere;
  const tolerations = daemonTolerations(template, dialect);
  const refused = (node.spec?.taints ?? []).filter(
    (taint) => taint.effect !== 'PreferNoSchedule' && !isTolerated(taint, tolerations),
  );
  const mayStay = refused.every(({ effect }) => effect !== 'NoExecute');
  return { shouldRun: refused.length === 0, mayStay };
}

/** Pods of daemon sets stay on nodes that others have to leave. */
function daemonTolerations({ tolerations = [], hostNetwork }: PodSpec, dialect: Dialect): readonly Toleration[] {
  const added: readonly (readonly [string, string])[] = [
    ['not-ready', 'NoExecute'],
    ['unreachable', 'NoExecute'],
    ['disk-pressure', 'NoSchedule'],
    ['memory-pressure', 'NoSchedule'],
    ['pid-pressure', 'NoSchedule'],
    ['unschedulable', 'NoSchedule'],
    ...(hostNetwork ? [['network-unavailable', 'NoSchedule'] as const] : []),
  ];
  const own = added.map(([condition, effect]) => ({ key: nodeTaint(dialect, condition), operator: 'Exists', effect }));
  const isOwn = (one: Toleration) =>
    own.some(({ key, operator, effect }) => key === one.key && operator === one.operator && effect === one.effect);
  return [...tolerations.filter((one) => !isOwn(one)), ...own];
}

const nameField = 'metadata.name';

/** The spec of a pod that is for one node and no other. */
export function specForNode(spec: PodSpec, node: string, dialect: Dialect): PodSpec {
  const { affinity = {} } = spec;
  const required = { nodeSelectorTerms: [{ matchFields: [{ key: nameField, operator: 'In', values: [node] }] }] };
  return {
    ...spec,
    tolerations: daemonTolerations(spec, dialect),
    affinity: {
      ...affinity,
      nodeAffinity: { ...affinity.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required },
    },
  };
}

/** The node that a pod is on, or is for. */
export function nodeOf({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const [term] = required?.nodeSelectorTerms ?? [];
  const [field] = term?.matchFields ?? [];
  return field?.key === nameField && field.operator === 'In' ? field.values?.[0] : undefined;
}
