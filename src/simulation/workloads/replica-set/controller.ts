// Keeps the number of pods that a replica set or replication controller requests: makes missing ones, deletes those too
// many, adopts and releases.

import type { Controller, ControllerContext } from '../../../controllers/controller.ts';
import { EventRecorder } from '../../../controllers/event-recorder.ts';
import type { WorkOutcome } from '../../../controllers/work-queue.ts';
import type { ReplicaSet } from '../../../groups/apps/v1/replica-set-type.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import { type LabelSelector, selecting, selects } from '../../../groups/meta/v1/label-selector.ts';
import { partKey } from '../../../meta/dialect.ts';
import type { Labels } from '../../../meta/object.ts';
import { cacheOf, type ObjectCache } from '../../object-cache.ts';
import {
  claim,
  controllerOf,
  type OwnerKind,
  pathOfOwner,
  planClaims,
  watchDependents,
  watchOwners,
} from '../ownership.ts';
import { isNamespaceTerminating, PodControl, podFromTemplate, podsPath, reasonOf, slowStart } from '../pod-control.ts';
import { isActive, isTerminating, untilAvailable } from '../pods.ts';
import { untilReported, writeStatus } from '../status.ts';
import { replicaChange, replicaSetStatus } from './reconcile.ts';

export const replicaSetKind: OwnerKind = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  group: 'apps',
  plural: 'replicasets',
};

/** A kind whose objects keep a number of equal pods. */
interface SetKind {
  readonly owner: OwnerKind;
  /** Name of its queue in metrics, and of its events. */
  readonly queue: string;
  readonly component: string;
  readonly reportsTerminating: boolean;
  selectorOf(set: ReplicaSet): LabelSelector;
}

const replicaSets: SetKind = {
  ...{ owner: replicaSetKind, queue: 'replicaset', component: 'replicaset-controller', reportsTerminating: true },
  selectorOf: ({ spec }) => spec?.selector ?? {},
};

/** They have the fields of replica sets, and labels for a selector. */
const replicationControllers: SetKind = {
  owner: { apiVersion: 'v1', kind: 'ReplicationController', group: '', plural: 'replicationcontrollers' },
  ...{ queue: 'replicationmanager', component: 'replication-controller', reportsTerminating: false },
  selectorOf: ({ spec }) => ({ matchLabels: (spec?.selector ?? {}) as Labels }),
};

export const replicaSetController = (context: ControllerContext): Controller => controllerFor(context, replicaSets);
export const replicationController = (context: ControllerContext): Controller =>
  controllerFor(context, replicationControllers);

function controllerFor(context: ControllerContext, kind: SetKind): Controller {
  const sets = cacheOf<ReplicaSet>(context, kind.owner.group, kind.owner.plural);
  const pods = cacheOf<Pod>(context, '', 'pods');
  const events = new EventRecorder(context, kind.component);
  const control = new PodControl({ context, events, pods });
  const worker = new ReplicaSetWorker(context, { kind, sets, pods, control });
  const queue = context.queue({ name: kind.queue, workers: 5, work: (key) => untilReported(worker.work(key)) });
  const matchers = new WeakMap<ReplicaSet, LabelSelector>();
  const selectorOf = (set: ReplicaSet): LabelSelector => {
    const selector = matchers.get(set) ?? kind.selectorOf(set);
    matchers.set(set, selector);
    return selector;
  };
  watchOwners(queue, sets);
  watchDependents({
    ...{ queue, owners: sets, dependents: pods, kind: kind.owner.kind },
    selects: (set, labels) => set.spec?.selector !== undefined && selects(selectorOf(set), labels),
  });
  return { close: () => queue.close() };
}

interface WorkerParts {
  readonly kind: SetKind;
  readonly sets: ObjectCache<ReplicaSet>;
  readonly pods: ObjectCache<Pod>;
  readonly control: PodControl;
}

class ReplicaSetWorker {
  readonly #context: ControllerContext;
  readonly #parts: WorkerParts;

  constructor(context: ControllerContext, parts: WorkerParts) {
    this.#context = context;
    this.#parts = parts;
  }

  async work(key: string): Promise<WorkOutcome> {
    const { client, clock } = this.#context;
    const { kind, sets, pods } = this.#parts;
    const set = sets.get(key);
    if (set === undefined) return 'done';
    const active = await this.#claim(set);
    const terminating = !kind.reportsTerminating
      ? undefined
      : [...pods.controlledBy(set.metadata.uid ?? '')].filter(isTerminating).length;
    const failure = set.metadata.deletionTimestamp === undefined ? await this.#adjust(set, active) : undefined;
    const now = clock.now();
    const status = replicaSetStatus(set, { active, terminating, failure, now });
    await writeStatus({ client, cache: sets, path: pathOfOwner(kind.owner, set) }, set, status);
    if (failure !== undefined) return 'again';
    return untilAvailable(active, set.spec?.minReadySeconds ?? 0, now) ?? 'done';
  }

  async #claim(set: ReplicaSet): Promise<readonly Pod[]> {
    const { kind, pods } = this.#parts;
    const { uid = '', namespace = '' } = set.metadata;
    const isSelected = selecting(kind.selectorOf(set));
    const candidates = [...pods.controlledBy(uid), ...pods.orphansIn(namespace)].filter(isActive);
    const plan = planClaims(set, isSelected, candidates);
    const { client } = this.#context;
    return claim({ client, ownerKind: kind.owner, collection: podsPath(namespace) }, set, plan);
  }

  /** Why not all pods could be made or deleted; undefined where all could. */
  async #adjust(set: ReplicaSet, active: readonly Pod[]): Promise<string | undefined> {
    const { control, kind } = this.#parts;
    const { clock, dialect } = this.#context;
    const change = replicaChange(set, active, {
      related: () => this.#related(set),
      costAnnotation: partKey(dialect, 'controller', 'pod-deletion-cost'),
      now: clock.now(),
    });
    const pod = podFromTemplate(set.spec?.template ?? {}, kind.owner, set);
    try {
      await slowStart(change.missing, async () => {
        await control.create(set, pod);
      });
      await Promise.all(change.excess.map((one) => control.delete(set, one)));
      return undefined;
    } catch (error) {
      return isNamespaceTerminating(error) ? undefined : reasonOf(error);
    }
  }

  /** The pods of all replica sets with the controller of this one. */
  #related(set: ReplicaSet): readonly Pod[] {
    const { sets, pods } = this.#parts;
    const owner = controllerOf(set);
    const siblings = owner === undefined ? [set] : sets.controlledBy(owner.uid);
    return [...siblings].flatMap(({ metadata }) => [...pods.controlledBy(metadata.uid ?? '')]);
  }
}
