// Options of the controllers in the box, and of the simulation.

import { kubernetes } from '../../meta/dialect.ts';
import { option } from '../option.ts';
import { positiveCount, wholeNumber } from '../option-checks.ts';
import type { SimulationContent } from '../simulation-options.ts';
import { duration, integer, object, textOrNone, texts, yesOrNo } from '../value-types.ts';

export const controllerOptions = {
  controllers: option({
    type: texts,
    flag: 'controllers',
    default: '*',
    help: 'Controllers to run: * for all that are on by default, name for one more, -name for one less; empty for none.',
  }),
  enableGarbageCollector: option({
    type: yesOrNo,
    flag: 'enable-garbage-collector',
    default: 'true',
    help: 'Whether objects go with their owners.',
  }),
  leaderElect: option({
    type: yesOrNo,
    flag: 'leader-elect',
    default: 'true',
    help: 'Whether servers on one etcd agree on which of them runs the controllers.',
  }),
  leaderElectLeaseDurationSeconds: option({
    type: duration,
    flag: 'leader-elect-lease-duration',
    default: '15s',
    help: 'How long a leader that does nothing keeps its place.',
  }),
  leaderElectRenewDeadlineSeconds: option({
    type: duration,
    flag: 'leader-elect-renew-deadline',
    default: '10s',
    help: 'How long a leader stays leader without a renewal.',
  }),
  leaderElectRetryPeriodSeconds: option({
    type: duration,
    flag: 'leader-elect-retry-period',
    default: '2s',
    help: 'How often a server looks whether it may lead.',
  }),
  leaderElectResourceName: option({
    type: textOrNone,
    flag: 'leader-elect-resource-name',
    default: 'keelson-controllers',
    help: 'Name of the Lease of the leader.',
  }),
  leaderElectResourceNamespace: option({
    type: textOrNone,
    flag: 'leader-elect-resource-namespace',
    flagDefault: kubernetes.systemNamespace,
    defaultIn: ({ systemNamespace }) => systemNamespace,
    help: 'Namespace of the Lease of the leader; in the cluster dialect its system namespace when not given.',
  }),
  rootCaFile: option({
    type: textOrNone,
    flag: 'root-ca-file',
    help: "PEM file of the CA that programs in the cluster trust; the server's own when not given.",
  }),
  terminatedPodGcThreshold: option({
    type: integer(-(2 ** 31), 2 ** 31 - 1),
    flag: 'terminated-pod-gc-threshold',
    default: '12500',
    help: 'How many pods that have ended are kept; 0 or less for all of them.',
    check: wholeNumber,
  }),
  simulate: option({
    type: texts,
    flag: 'simulate',
    help: 'Parts of a cluster to simulate: workloads for its workload controllers, nodes or nodes=N for nodes that run pods.',
  }),
  simulation: option({
    type: object<SimulationContent>('SimulationContent', './simulation-options.ts'),
    help: 'Rules, which are stronger than those of --simulate-rules, and functions that stand for what runs in simulated containers.',
  }),
  simulateRules: option({
    type: textOrNone,
    flag: 'simulate-rules',
    help: 'YAML file of rules that say how simulated containers behave.',
  }),
  concurrentGcSyncs: syncs('concurrent-gc-syncs', 64, 'Objects that are collected'),
  concurrentNamespaceSyncs: syncs('concurrent-namespace-syncs', 4, 'Namespaces that are emptied'),
  concurrentResourceQuotaSyncs: syncs('concurrent-resource-quota-syncs', 4, 'Quotas that are counted'),
  concurrentServiceaccountTokenSyncs: syncs(
    'concurrent-serviceaccount-token-syncs',
    4,
    'Token secrets that are filled',
  ),
};

/** Workers of one kind of queue; without the option each queue has its own number. */
function syncs(flag: string, workers: number, about: string) {
  const type = integer(1, 10_000);
  return option({ type, flag, flagDefault: String(workers), help: `${about} at a time.`, check: positiveCount });
}
