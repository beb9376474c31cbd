// One look at a deployment: makes its new replica set, moves pods from old ones to the new one, and writes the status.

import { isConflict } from '../../../client/client.ts';
import type { ControllerContext } from '../../../controllers/controller.ts';
import type { EventRecorder } from '../../../controllers/event-recorder.ts';
import type { WorkOutcome } from '../../../controllers/work-queue.ts';
import type { Deployment } from '../../../groups/apps/v1/deployment-type.ts';
import type { ReplicaSet } from '../../../groups/apps/v1/replica-set-type.ts';
import { templateHash } from '../../../groups/apps/v1/template-hash.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import type { LabelSelector } from '../../../groups/meta/v1/label-selector.ts';
import type { ObjectCache } from '../../object-cache.ts';
import { collectionPath, controllerReference, isControlledBy, type OwnerKind, pathOfOwner } from '../ownership.ts';
import { isNamespaceTerminating, reasonOf } from '../pod-control.ts';
import { isFinished } from '../pods.ts';
import { replicaSetKind } from '../replica-set/controller.ts';
import { isSemanticallyEqual } from '../semantic-equality.ts';
import { conditionOf, isEqualStatus, writeStatus } from '../status.ts';
import { maxSurge, newSetReplicas, proportions, replicasOf, scaleDownOld, sumOf } from './amounts.ts';
import {
  annotationKeys,
  byAge,
  byRevision,
  bySize,
  countIn,
  hashLabel,
  isEqualAnnotations,
  maxRevision,
  newSetAnnotations,
  replicaAnnotations,
  splitSets,
  withoutHash,
} from './replica-sets.ts';
import {
  condition,
  countedStatus,
  type DeploymentStatus,
  isComplete,
  pausedConditions,
  progressDeadline,
  rolloutStatus,
  untilDeadline,
  withCondition,
} from './status.ts';

export const deploymentKind: OwnerKind = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  group: 'apps',
  plural: 'deployments',
};

export interface RolloutParts {
  readonly context: ControllerContext;
  readonly events: EventRecorder;
  readonly deployments: ObjectCache<Deployment>;
  readonly sets: ObjectCache<ReplicaSet>;
  readonly pods: ObjectCache<Pod>;
}

/** Names of objects are no longer. */
const maxNameLength = 253;

export class Rollout {
  readonly #parts: RolloutParts;
  #deployment: Deployment;
  #current: ReplicaSet | undefined;
  #old: readonly ReplicaSet[];

  constructor(parts: RolloutParts, deployment: Deployment, sets: readonly ReplicaSet[]) {
    this.#parts = parts;
    this.#deployment = deployment;
    const { current, old } = splitSets(deployment, sets);
    this.#current = current;
    this.#old = old;
  }

  async run(): Promise<WorkOutcome> {
    const { metadata, spec = {} } = this.#deployment;
    if (metadata.deletionTimestamp !== undefined) {
      await this.#syncRevision();
      return this.#writeStatus(this.#counted());
    }
    const conditions = pausedConditions(this.#deployment, this.#now);
    if (conditions !== undefined) await this.#writeStatus({ ...this.#deployment.status, conditions });
    await this.#syncRevision();
    if (spec.paused === true || this.#isScaled()) return this.#scaleOnly();
    return spec.strategy?.type === 'Recreate' ? this.#recreate() : this.#roll();
  }

  get #now(): number {
    return this.#parts.context.clock.now();
  }

  get #all(): readonly ReplicaSet[] {
    return this.#current === undefined ? this.#old : [...this.#old, this.#current];
  }

  /** The replica sets that have pods, or should have. */
  get #active(): readonly ReplicaSet[] {
    return this.#all.filter((set) => replicasOf(set) > 0);
  }

  /** Whether the number of replicas changed since a replica set was scaled the last time. */
  #isScaled(): boolean {
    const { desired } = annotationKeys(this.#parts.context.dialect);
    return this.#active.some(
      (set) => (countIn(set, desired) ?? replicasOf(this.#deployment)) !== replicasOf(this.#deployment),
    );
  }

  async #scaleOnly(): Promise<WorkOutcome> {
    await this.#scale();
    if (this.#deployment.spec?.paused === true) await this.#cleanUp();
    return this.#writeStatus(this.#counted());
  }

  async #roll(): Promise<WorkOutcome> {
    const current = await this.#makeCurrent();
    if (current === undefined) return 'again';
    if (await this.#growCurrent(current)) return this.#writeProgress();
    const steps = scaleDownOld(this.#deployment, { current, old: this.#old.filter((set) => replicasOf(set) > 0) });
    for (const { set, replicas } of steps) await this.#scaleSet(set, replicas);
    if (steps.length > 0) return this.#writeProgress();
    return this.#finish();
  }

  async #growCurrent(current: ReplicaSet): Promise<boolean> {
    const desired = replicasOf(this.#deployment);
    const size = replicasOf(current);
    if (size === desired) return false;
    const next = size > desired ? desired : newSetReplicas(this.#deployment, this.#all, size);
    return this.#scaleSet(current, next);
  }

  async #recreate(): Promise<WorkOutcome> {
    const running = this.#old.filter((set) => replicasOf(set) > 0);
    for (const set of running) await this.#scaleSet(set, 0);
    if (running.length > 0 || this.#hasOldPods()) return this.#writeProgress();
    const current = await this.#makeCurrent();
    if (current === undefined) return 'again';
    await this.#scaleSet(current, replicasOf(this.#deployment));
    return this.#finish();
  }

  #hasOldPods(): boolean {
    if (sumOf(this.#old, ({ status }) => status?.replicas) > 0) return true;
    return this.#old.some((set) =>
      [...this.#parts.pods.controlledBy(set.metadata.uid ?? '')].some((pod) => !isFinished(pod)),
    );
  }

  async #finish(): Promise<WorkOutcome> {
    if (isComplete(this.#deployment, this.#deployment.status ?? {})) await this.#cleanUp();
    return this.#writeProgress();
  }

  /** Scales in proportion, so that scaling does not speed a rollout up. */
  async #scale(): Promise<void> {
    const desired = replicasOf(this.#deployment);
    const active = this.#active;
    const only = active.length > 1 ? undefined : (active[0] ?? this.#current ?? [...this.#old].sort(byAge).at(-1));
    if (only !== undefined) {
      await this.#scaleSet(only, desired);
      return;
    }
    if (this.#isSaturated())
      for (const set of active.filter((one) => one !== this.#current)) await this.#scaleSet(set, 0);
    else if (this.#deployment.spec?.strategy?.type === 'RollingUpdate') await this.#scaleAll(active);
  }

  #isSaturated(): boolean {
    const set = this.#current;
    if (set === undefined) return false;
    const { desired } = annotationKeys(this.#parts.context.dialect);
    const counts = [replicasOf(set), countIn(set, desired), set.status?.availableReplicas ?? 0];
    return counts.every((count) => count === replicasOf(this.#deployment));
  }

  async #scaleAll(active: readonly ReplicaSet[]): Promise<void> {
    const deployment = this.#deployment;
    const desired = replicasOf(deployment);
    const allowed = desired > 0 ? desired + maxSurge(deployment) : 0;
    const added = allowed - sumOf(active, replicasOf);
    const ordered = added === 0 ? active : [...active].sort(bySize(added > 0 ? 'newer' : 'older'));
    const { max } = annotationKeys(this.#parts.context.dialect);
    const maxBefore = (set: ReplicaSet) => countIn(set, max) || (deployment.status?.replicas ?? 0);
    const sizes = proportions(deployment, ordered, { added, maxBefore });
    for (const [index, set] of ordered.entries()) await this.#scaleSet(set, sizes[index] as number, true);
  }

  /** Whether the number of replicas changed. With `always` the annotations are brought up to date in any case. */
  async #scaleSet(set: ReplicaSet, replicas: number, always = false): Promise<boolean> {
    const { context, events } = this.#parts;
    const before = replicasOf(set);
    const annotations = { ...set.metadata.annotations, ...replicaAnnotations(this.#deployment, context.dialect) };
    const isEqual = isEqualAnnotations(set.metadata.annotations, annotations);
    if (before === replicas && (!always || isEqual)) return false;
    await this.#replaceSet({ ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas } });
    if (before === replicas) return false;
    const message = `Scaled ${before < replicas ? 'up' : 'down'} replica set ${set.metadata.name} from ${before} to ${replicas}`;
    await events.tell(this.#deployment, { type: 'Normal', reason: 'ScalingReplicaSet', message });
    return true;
  }

  async #replaceSet(set: ReplicaSet): Promise<void> {
    const { context, sets } = this.#parts;
    const stored = (await context.client.replace(pathOfOwner(replicaSetKind, set), set)) as ReplicaSet;
    sets.put(stored);
    const swap = (one: ReplicaSet) => (one.metadata.uid === stored.metadata.uid ? stored : one);
    this.#current = this.#current && swap(this.#current);
    this.#old = this.#old.map(swap);
  }

  /** Old replica sets without pods are kept for rollbacks, up to a number. */
  async #cleanUp(): Promise<void> {
    const { context } = this.#parts;
    const { revisionHistoryLimit: limit = 2 ** 31 - 1 } = this.#deployment.spec ?? {};
    const alive = this.#old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const excess = [...alive].sort(byRevision(context.dialect)).slice(0, Math.max(alive.length - limit, 0));
    for (const set of excess) {
      const { status = {}, metadata } = set;
      const isSeen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
      if ((status.replicas ?? 0) === 0 && replicasOf(set) === 0 && isSeen)
        await context.client.delete(pathOfOwner(replicaSetKind, set));
    }
  }

  /** Brings the annotations of the new replica set up to date, and the revision of the deployment. */
  async #syncRevision(): Promise<void> {
    const { dialect } = this.#parts.context;
    if (this.#current === undefined) return;
    const set = this.#current;
    const deployment = this.#deployment;
    const revision = maxRevision(this.#old, dialect) + 1;
    const annotations = newSetAnnotations(deployment, set.metadata.annotations ?? {}, { revision, dialect });
    const { minReadySeconds = 0 } = deployment.spec ?? {};
    if (
      !isEqualAnnotations(set.metadata.annotations, annotations) ||
      (set.spec?.minReadySeconds ?? 0) !== minReadySeconds
    )
      await this.#replaceSet({
        ...set,
        metadata: { ...set.metadata, annotations },
        spec: { ...set.spec, minReadySeconds },
      });
    await this.#writeRevision(annotations[annotationKeys(dialect).revision] ?? '', [
      'FoundNewReplicaSet',
      `Found new replica set "${set.metadata.name}"`,
    ]);
  }

  /** Writes the revision, and the condition Progressing if it is missing or a rollout begins. */
  async #writeRevision(revision: string, reasonAndMessage: readonly [string, string], begins = false): Promise<void> {
    const { dialect } = this.#parts.context;
    const { status = {}, metadata } = this.#deployment;
    const key = annotationKeys(dialect).revision;
    const isDue = begins || conditionOf(status.conditions, 'Progressing') === undefined;
    const isReported = progressDeadline(this.#deployment) !== undefined && isDue;
    if (!isReported && metadata.annotations?.[key] === revision) return;
    const conditions = isReported
      ? withCondition(status.conditions, condition('Progressing', 'True', reasonAndMessage, this.#now))
      : status.conditions;
    const annotations = { ...metadata.annotations, [key]: revision };
    await this.#replaceStatus({ ...this.#deployment, metadata: { ...metadata, annotations } }, {
      ...status,
      conditions,
    } as DeploymentStatus);
  }

  async #replaceStatus(deployment: Deployment, status: DeploymentStatus): Promise<void> {
    const { context, deployments } = this.#parts;
    const path = `${pathOfOwner(deploymentKind, deployment)}/status`;
    const stored = await context.client.replace(path, { ...deployment, status });
    deployments.put(stored);
    this.#deployment = stored as Deployment;
  }

  /** The replica set with the template of the deployment; undefined where its name is taken. */
  async #makeCurrent(): Promise<ReplicaSet | undefined> {
    const { context, events, sets } = this.#parts;
    if (this.#current !== undefined) return this.#current;
    const deployment = this.#deployment;
    const revision = maxRevision(this.#old, context.dialect) + 1;
    const set = this.#newSet(revision);
    let isNew = true;
    try {
      const { namespace = '' } = deployment.metadata;
      const stored = await context.client.create(collectionPath('apps/v1', namespace, 'replicasets'), set);
      sets.put(stored);
      this.#current = stored as ReplicaSet;
    } catch (error) {
      if (!isConflict(error)) {
        await this.#reportFailedCreation(set, error);
        throw error;
      }
      this.#current = await this.#takeExisting(set);
      isNew = false;
      if (this.#current === undefined) return undefined;
    }
    const { name } = set.metadata;
    const size = replicasOf(set);
    if (isNew && size > 0)
      await events.tell(deployment, {
        type: 'Normal',
        reason: 'ScalingReplicaSet',
        message: `Scaled up replica set ${name} from 0 to ${size}`,
      });
    await this.#writeRevision(String(revision), ['NewReplicaSetCreated', `Created new replica set "${name}"`], isNew);
    return this.#current;
  }

  #newSet(revision: number): ReplicaSet {
    const { dialect } = this.#parts.context;
    const deployment = this.#deployment;
    const { name = '', namespace = '' } = deployment.metadata;
    const { template = {}, selector = {}, minReadySeconds } = deployment.spec ?? {};
    const hash = templateHash(template, deployment.status?.collisionCount);
    const labels = { ...template.metadata?.labels, [hashLabel]: hash };
    const { matchLabels, ...expressions } = selector as LabelSelector;
    return {
      kind: replicaSetKind.kind,
      apiVersion: replicaSetKind.apiVersion,
      metadata: {
        name: `${name.slice(0, maxNameLength - hash.length - 1)}-${hash}`,
        namespace,
        labels,
        annotations: {
          ...newSetAnnotations(deployment, {}, { revision, dialect }),
          ...replicaAnnotations(deployment, dialect),
        },
        ownerReferences: [controllerReference(deploymentKind, deployment)],
      },
      spec: {
        replicas: newSetReplicas(deployment, this.#old, 0),
        ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
        selector: { ...expressions, matchLabels: { ...matchLabels, [hashLabel]: hash } },
        template: { ...template, metadata: { ...template.metadata, labels } },
      },
    } as ReplicaSet;
  }

  /** A replica set of another deployment, or with another template, has the name: the next hash differs. */
  async #takeExisting(set: ReplicaSet): Promise<ReplicaSet | undefined> {
    const { client } = this.#parts.context;
    const existing = await client.find<ReplicaSet>(pathOfOwner(replicaSetKind, set));
    if (existing === undefined) return undefined;
    const isEqual = isSemanticallyEqual(
      withoutHash(existing.spec?.template ?? {}),
      withoutHash(set.spec?.template ?? {}),
    );
    if (isControlledBy(existing, this.#deployment) && isEqual) return existing;
    const { status = {} } = this.#deployment;
    await this.#replaceStatus(this.#deployment, { ...status, collisionCount: (status.collisionCount ?? 0) + 1 });
    return undefined;
  }

  async #reportFailedCreation({ metadata }: ReplicaSet, error: unknown): Promise<void> {
    if (isNamespaceTerminating(error)) return;
    const message = `Failed to create new replica set "${metadata.name}": ${reasonOf(error)}`;
    const { status = {} } = this.#deployment;
    if (progressDeadline(this.#deployment) !== undefined) {
      const failed = condition('Progressing', 'False', ['ReplicaSetCreateError', message], this.#now);
      await this.#writeStatus({ ...status, conditions: withCondition(status.conditions, failed) });
    }
    await this.#parts.events.tell(this.#deployment, { type: 'Warning', reason: 'ReplicaSetCreateError', message });
  }

  #counted(): DeploymentStatus {
    return countedStatus(this.#deployment, { all: this.#all, current: this.#current }, this.#now);
  }

  async #writeProgress(): Promise<WorkOutcome> {
    const status = rolloutStatus(this.#deployment, { all: this.#all, current: this.#current }, this.#now);
    if (!isEqualStatus(this.#deployment.status, status)) return this.#writeStatus(status);
    const left = untilDeadline(this.#deployment, this.#now);
    if (left === undefined) return 'done';
    return left < 1000 ? 'again' : left + 1000;
  }

  async #writeStatus(status: DeploymentStatus): Promise<WorkOutcome> {
    const { context, deployments } = this.#parts;
    const path = pathOfOwner(deploymentKind, this.#deployment);
    this.#deployment = await writeStatus(
      { client: context.client, cache: deployments, path },
      this.#deployment,
      status,
    );
    return 'done';
  }
}
