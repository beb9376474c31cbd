// Flags about the controllers in the box.

import { kubernetes } from '../meta/dialect.ts';
import { type Flag, flag, inGroup } from './flag.ts';
import { duration, integer, textOrNone, texts, yesOrNo } from './flag-values.ts';

const syncs = (name: string, option: SyncOption, workers: number, about: string) =>
  flag({ name, option, type: integer(1, 10_000), default: String(workers), help: `${about} at a time.` });

type SyncOption =
  | 'concurrentGcSyncs'
  | 'concurrentNamespaceSyncs'
  | 'concurrentResourceQuotaSyncs'
  | 'concurrentServiceaccountTokenSyncs';

export const controllerFlags: readonly Flag[] = inGroup('Controllers', [
  flag({
    name: 'controllers',
    option: 'controllers',
    type: texts,
    default: '*',
    help: 'Controllers to run: * for all that are on by default, name for one more, -name for one less; empty for none.',
  }),
  flag({
    name: 'enable-garbage-collector',
    option: 'enableGarbageCollector',
    type: yesOrNo,
    default: 'true',
    help: 'Whether objects go with their owners.',
  }),
  flag({
    name: 'leader-elect',
    option: 'leaderElect',
    type: yesOrNo,
    default: 'true',
    help: 'Whether servers on one etcd agree on which of them runs the controllers.',
  }),
  flag({
    name: 'leader-elect-lease-duration',
    option: 'leaderElectLeaseDurationSeconds',
    type: duration,
    default: '15s',
    help: 'How long a leader that does nothing keeps its place.',
  }),
  flag({
    name: 'leader-elect-renew-deadline',
    option: 'leaderElectRenewDeadlineSeconds',
    type: duration,
    default: '10s',
    help: 'How long a leader stays leader without a renewal.',
  }),
  flag({
    name: 'leader-elect-retry-period',
    option: 'leaderElectRetryPeriodSeconds',
    type: duration,
    default: '2s',
    help: 'How often a server looks whether it may lead.',
  }),
  flag({
    name: 'leader-elect-resource-name',
    option: 'leaderElectResourceName',
    type: textOrNone,
    default: 'keelson-controllers',
    help: 'Name of the Lease of the leader.',
  }),
  flag({
    name: 'leader-elect-resource-namespace',
    option: 'leaderElectResourceNamespace',
    type: textOrNone,
    default: kubernetes.systemNamespace,
    defaultIn: ({ systemNamespace }) => systemNamespace,
    help: 'Namespace of the Lease of the leader; in the cluster dialect its system namespace when not given.',
  }),
  flag({
    name: 'root-ca-file',
    option: 'rootCaFile',
    type: textOrNone,
    help: "PEM file of the CA that programs in the cluster trust; the server's own when not given.",
  }),
  flag({
    name: 'terminated-pod-gc-threshold',
    option: 'terminatedPodGcThreshold',
    type: integer(-(2 ** 31), 2 ** 31 - 1),
    default: '12500',
    help: 'How many pods that have ended are kept; 0 or less for all of them.',
  }),
  flag({
    name: 'simulate',
    option: 'simulate',
    type: texts,
    help: 'Parts of a cluster to simulate: workloads for its workload controllers, nodes or nodes=N for nodes that run pods.',
  }),
  flag({
    name: 'simulate-rules',
    option: 'simulateRules',
    type: textOrNone,
    help: 'YAML file of rules that say how simulated containers behave.',
  }),
  syncs('concurrent-gc-syncs', 'concurrentGcSyncs', 64, 'Objects that are collected'),
  syncs('concurrent-namespace-syncs', 'concurrentNamespaceSyncs', 4, 'Namespaces that are emptied'),
  syncs('concurrent-resource-quota-syncs', 'concurrentResourceQuotaSyncs', 4, 'Quotas that are counted'),
  syncs(
    'concurrent-serviceaccount-token-syncs',
    'concurrentServiceaccountTokenSyncs',
    4,
    'Token secrets that are filled',
  ),
]);
