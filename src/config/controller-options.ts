// Options of the controllers, in the words of kube-controller-manager.

import { unknownControllers } from '../controllers/entry.ts';
import type { ElectionTerms } from '../controllers/leader-election.ts';
import { allControllers, controllersOf } from '../simulation/catalog.ts';
import type { SimulationConfig } from '../simulation/simulation-config.ts';
import { OptionError } from './option-error.ts';
import { readOptionFile } from './option-file.ts';

export interface ControllerOptions {
  /** Controllers to run: `*` for all that are on by default, `name` for one more, `-name` for one less; an empty list for none. */
  readonly controllers?: readonly string[];
  /** Whether objects go with their owners; true when not given. */
  readonly enableGarbageCollector?: boolean;
  /** Whether servers on one store agree on which of them runs the controllers; true when not given. */
  readonly leaderElect?: boolean;
  /** How long a leader that does nothing keeps its place, in seconds; 15 when not given. */
  readonly leaderElectLeaseDurationSeconds?: number;
  /** How long a leader stays leader without a renewal, in seconds; 10 when not given. */
  readonly leaderElectRenewDeadlineSeconds?: number;
  /** How often a server looks, in seconds; 2 when not given. */
  readonly leaderElectRetryPeriodSeconds?: number;
  /** Name of the Lease; `keelson-controllers` when not given. */
  readonly leaderElectResourceName?: string;
  /** Namespace of the Lease; the system namespace when not given. */
  readonly leaderElectResourceNamespace?: string;
  /** PEM file of the CA that programs in the cluster trust; the server's own when not given. */
  readonly rootCaFile?: string;
  /** How many pods that have ended are kept, 12500 when not given; all of them where it is not positive. */
  readonly terminatedPodGcThreshold?: number;
  /** Objects that the garbage collector works on at a time. */
  readonly concurrentGcSyncs?: number;
  /** Namespaces that are worked on at a time. */
  readonly concurrentNamespaceSyncs?: number;
  /** Quotas that are worked on at a time. */
  readonly concurrentResourceQuotaSyncs?: number;
  /** Token Secrets that are worked on at a time. */
  readonly concurrentServiceaccountTokenSyncs?: number;
}

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

const usualLease = 'keelson-controllers';
const collector = 'garbage-collector-controller';

/** Queues whose workers an option sets. */
const queuesOf = {
  concurrentGcSyncs: ['garbage_collector_attempt_to_delete', 'garbage_collector_attempt_to_orphan'],
  concurrentNamespaceSyncs: ['namespace'],
  concurrentResourceQuotaSyncs: ['resource_quota_controller_resource_changes'],
  concurrentServiceaccountTokenSyncs: ['serviceaccount_tokens'],
} as const satisfies Partial<Record<keyof ControllerOptions, readonly string[]>>;

export function resolveControllerOptions(options: ControllerOptions, simulation: SimulationConfig): ControllerConfig {
  const { controllers = ['*'], enableGarbageCollector: collectsGarbage = true, rootCaFile } = options;
  const [unknown] = unknownControllers(controllers, allControllers);
  if (unknown !== undefined) throw new OptionError(`controllers: ${JSON.stringify(unknown)} is not a controller`);
  return {
    selection: selectionOf(controllers, collectsGarbage, simulation),
    collectsGarbage,
    election: (options.leaderElect ?? true) ? resolveElection(options) : undefined,
    rootCa: rootCaFile === undefined ? undefined : readOptionFile('rootCaFile', rootCaFile).toString(),
    maxTerminatedPods: resolveThreshold(options),
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

function resolveThreshold({ terminatedPodGcThreshold: threshold = 12_500 }: ControllerOptions): number {
  if (Number.isSafeInteger(threshold)) return threshold;
  throw new OptionError(`terminatedPodGcThreshold: ${threshold} is not a whole number`);
}

function resolveElection(options: ControllerOptions): ElectionTerms {
  const {
    leaderElectLeaseDurationSeconds: lease = 15,
    leaderElectRenewDeadlineSeconds: renew = 10,
    leaderElectRetryPeriodSeconds: retry = 2,
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
    name: options.leaderElectResourceName ?? usualLease,
    namespace: options.leaderElectResourceNamespace,
    leaseMs: lease * 1000,
    renewWithinMs: renew * 1000,
    retryMs: retry * 1000,
  };
}

function resolveWorkers(options: ControllerOptions): ReadonlyMap<string, number> {
  const givenCounts = (Object.keys(queuesOf) as (keyof typeof queuesOf)[]).flatMap((name) => {
    const count = options[name];
    if (count === undefined) return [];
    if (!Number.isSafeInteger(count) || count < 1) throw new OptionError(`${name}: ${count} is not a positive number`);
    return queuesOf[name].map((queue) => [queue, count] as const);
  });
  return new Map(givenCounts);
}
