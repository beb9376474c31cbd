// Options of the controllers, in the words of kube-controller-manager.

import { unknownControllers } from '../controllers/entry.ts';
import type { ElectionTerms } from '../controllers/leader-election.ts';
import { allControllers, controllersOf } from '../simulation/catalog.ts';
import type { SimulationConfig } from '../simulation/simulation-config.ts';
import { OptionError } from './option-error.ts';
import { readOptionFile } from './option-file.ts';
import type { ResolvedOptions } from './server-options.ts';

export interface ControllerConfig {
  readonly selection: readonly string[];
  readonly collectsGarbage: boolean;
  /** Undefined where every server runs them. */
  readonly election: ElectionTerms | undefined;
  /** PEM; undefined for the server's own. */
  readonly rootCa: string | undefined;
  readonly maxTerminatedPods: number;
  /** Workers by the name of a queue, where those are not as many as usual. */
  readonly workers: ReadonlyMap<string, number>;
}

const collector = 'garbage-collector-controller';

/** Queues whose workers an option sets. */
const queuesOf = {
  concurrentGcSyncs: ['garbage_collector_attempt_to_delete', 'garbage_collector_attempt_to_orphan'],
  concurrentNamespaceSyncs: ['namespace'],
  concurrentResourceQuotaSyncs: ['resource_quota_controller_resource_changes'],
  concurrentServiceaccountTokenSyncs: ['serviceaccount_tokens'],
} as const satisfies Partial<Record<keyof ResolvedOptions, readonly string[]>>;

export function resolveControllerOptions(options: ResolvedOptions, simulation: SimulationConfig): ControllerConfig {
  const { controllers, enableGarbageCollector: collectsGarbage, rootCaFile } = options;
  const [unknown] = unknownControllers(controllers, allControllers);
  if (unknown !== undefined) throw new OptionError(`controllers: ${JSON.stringify(unknown)} is not a controller`);
  return {
    selection: selectionOf(controllers, collectsGarbage, simulation),
    collectsGarbage,
    election: options.leaderElect ? resolveElection(options) : undefined,
    rootCa: rootCaFile === undefined ? undefined : readOptionFile('rootCaFile', rootCaFile).toString(),
    maxTerminatedPods: options.terminatedPodGcThreshold,
    workers: resolveWorkers(options),
  };
}

/** The first mention of a controller wins, so that options can turn off controllers that a simulation turns on. */
function selectionOf(
  controllers: readonly string[],
  collectsGarbage: boolean,
  simulation: SimulationConfig,
): readonly string[] {
  if (controllers.length === 0) return controllers;
  const simulated = controllers.includes('*') ? controllersOf(simulation) : [];
  return [...(collectsGarbage ? [] : [`-${collector}`]), ...controllers, ...simulated];
}

function resolveElection(options: ResolvedOptions): ElectionTerms {
  const {
    leaderElectLeaseDurationSeconds: lease,
    leaderElectRenewDeadlineSeconds: renew,
    leaderElectRetryPeriodSeconds: retry,
  } = options;
  // a leader has to step down before another server may take over, and to have had another try
  if (!(retry > 0)) throw new OptionError('leaderElectRetryPeriodSeconds: must be greater than zero');
  if (!(renew > retry * 1.2))
    throw new OptionError(
      'leaderElectRenewDeadlineSeconds: must be greater than leaderElectRetryPeriodSeconds times 1.2',
    );
  if (!(lease > renew))
    throw new OptionError('leaderElectLeaseDurationSeconds: must be greater than leaderElectRenewDeadlineSeconds');
  return {
    name: options.leaderElectResourceName,
    namespace: options.leaderElectResourceNamespace,
    leaseMs: lease * 1000,
    renewWithinMs: renew * 1000,
    retryMs: retry * 1000,
  };
}

function resolveWorkers(options: ResolvedOptions): ReadonlyMap<string, number> {
  const givenCounts = (Object.keys(queuesOf) as (keyof typeof queuesOf)[]).flatMap((name) => {
    const count = options[name];
    return count === undefined ? [] : queuesOf[name].map((queue) => [queue, count] as const);
  });
  return new Map(givenCounts);
}
