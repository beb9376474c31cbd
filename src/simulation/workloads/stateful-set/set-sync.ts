// One look at a stateful set: makes, replaces and deletes pods in the order of their ordinals, or all at once.

import { isConflict, isNotFound } from '../../../client/client.ts';
import type { ControllerContext } from '../../../controllers/controller.ts';
import type { EventRecorder } from '../../../controllers/event-recorder.ts';
import type { WorkOutcome } from '../../../controllers/work-queue.ts';
import type { ControllerRevision } from '../../../groups/apps/v1/controller-revision.ts';
import type { StatefulSet } from '../../../groups/apps/v1/stateful-set-type.ts';
import { encodeHash, fnv32 } from '../../../groups/apps/v1/template-hash.ts';
import { isReady } from '../../../groups/core/v1/pod/pod-status.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import type { PersistentVolumeClaim } from '../../../groups/core/v1/volume/persistent-volume-claim-type.ts';
import { formatTime } from '../../../meta/time.ts';
import type { ObjectCache } from '../../object-cache.ts';
import { collectionPath, pathOfOwner } from '../ownership.ts';
import { isNamespaceTerminating, podsPath, reasonOf } from '../pod-control.ts';
import { isAvailable, isFinished, untilAvailable } from '../pods.ts';
import { dataText, Revisions, revisionLabel, templateIn } from '../revisions.ts';
import { isSemanticallyEqual } from '../semantic-equality.ts';
import { unlessZero, writeStatus } from '../status.ts';
import { claimOwners, claimsOf, ordinalOf, ordinalsOf, podOf, statefulSetKind } from './ordinals.ts';

export interface StatefulSetParts {
  readonly context: ControllerContext;
  readonly events: EventRecorder;
  readonly sets: ObjectCache<StatefulSet>;
  readonly pods: ObjectCache<Pod>;
  readonly claims: ObjectCache<PersistentVolumeClaim>;
  readonly revisions: ObjectCache<ControllerRevision>;
}

type Status = NonNullable<StatefulSet['status']>;

const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;
const revisionOf = ({ metadata }: Pod): string | undefined => metadata.labels?.[revisionLabel];

interface Versions {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
}

export class StatefulSetSync {
  readonly #parts: StatefulSetParts;
  readonly #set: StatefulSet;
  readonly #revisions: Revisions;
  #pods: readonly Pod[];

  constructor(parts: StatefulSetParts, set: StatefulSet, pods: readonly Pod[]) {
    this.#parts = parts;
    this.#set = set;
    this.#pods = pods;
    this.#revisions = new Revisions({ ...parts, ownerKind: statefulSetKind }, set);
  }

  async run(): Promise<WorkOutcome> {
    const versions = await this.#versions();
    if (versions === undefined) return 'again';
    const isFailed = !(await this.#adjust(versions));
    const { minReadySeconds = 0, revisionHistoryLimit = 10 } = this.#set.spec ?? {};
    await this.#writeStatus(this.#status(versions));
    const inUse = new Set([
      versions.current.metadata.name,
      versions.update.metadata.name,
      ...this.#pods.map(revisionOf),
    ]);
    await this.#revisions.truncate(revisionHistoryLimit, ({ metadata }) => inUse.has(metadata.name));
    if (isFailed) return 'again';
    return untilAvailable(this.#pods, minReadySeconds, this.#now) ?? 'done';
  }

  get #now(): number {
    return this.#parts.context.clock.now();
  }

  get #isOrdered(): boolean {
    return this.#set.spec?.podManagementPolicy !== 'Parallel';
  }

  #isAvailable(pod: Pod): boolean {
    return isAvailable(pod, this.#set.spec?.minReadySeconds ?? 0, this.#now);
  }

  async #versions(): Promise<Versions | undefined> {
    const { spec = {}, status = {} } = this.#set;
    const { collisionCount = 0 } = status;
    const template = spec.template ?? {};
    const hash = encodeHash(fnv32(`${dataText(template)}${collisionCount}`));
    const update = await this.#revisions.latest({ template, hash }, async () => {
      await this.#writeStatus({ ...status, collisionCount: collisionCount + 1 });
    });
    return update && { update, current: this.#revisions.named(status.currentRevision) ?? update };
  }

  /** Whether nothing failed. */
  async #adjust(versions: Versions): Promise<boolean> {
    if (this.#set.metadata.deletionTimestamp !== undefined) return true;
    try {
      if ((await this.#fill(versions)) && (await this.#shrink())) await this.#update(versions);
      return true;
    } catch (error) {
      if (isConflict(error)) throw error;
      return isNamespaceTerminating(error);
    } finally {
      this.#refresh();
    }
  }

  #refresh(): void {
    const { pods } = this.#parts;
    this.#pods = [...pods.controlledBy(this.#set.metadata.uid ?? '')].filter(
      (pod) => ordinalOf(this.#set, pod) !== undefined,
    );
  }

  #podAt(ordinal: number): Pod | undefined {
    return this.#pods.find((pod) => ordinalOf(this.#set, pod) === ordinal);
  }

  /** Makes the pods that are missing; whether all are there, and in order each ready before the next. */
  async #fill(versions: Versions): Promise<boolean> {
    const { start, end } = ordinalsOf(this.#set);
    const ordinals = Array.from({ length: end - start }, (_, index) => start + index);
    if (!this.#isOrdered) {
      await Promise.all(ordinals.map((ordinal) => this.#fillOne(ordinal, versions)));
      return true;
    }
    for (const ordinal of ordinals) if (!(await this.#fillOne(ordinal, versions))) return false;
    return true;
  }

  async #fillOne(ordinal: number, versions: Versions): Promise<boolean> {
    const pod = this.#podAt(ordinal);
    if (pod === undefined) {
      await this.#create(ordinal, versions);
      return false;
    }
    if (isFinished(pod)) {
      if (!isTerminating(pod)) await this.#delete(pod);
      return false;
    }
    if (pod.status?.phase === 'Pending') await this.#makeClaims(pod);
    const isRunning = !isTerminating(pod) && pod.status?.phase === 'Running' && this.#isAvailable(pod);
    if (isRunning) await this.#alignClaims(pod);
    return isRunning;
  }

  /** Until an update reaches its ordinal, a pod is made again as it was. */
  async #create(ordinal: number, { current, update }: Versions): Promise<void> {
    const { context, pods } = this.#parts;
    const { updateStrategy } = this.#set.spec ?? {};
    const { start } = ordinalsOf(this.#set);
    const { rollingUpdate } = updateStrategy ?? {};
    const keptReplicas =
      rollingUpdate === undefined ? (this.#set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
    const isOld = updateStrategy?.type === 'RollingUpdate' && ordinal < start + keptReplicas;
    const version = isOld ? current : update;
    const template = templateIn(version);
    const pod = podOf(this.#set, ordinal, {
      ...{ template, dialect: context.dialect },
      revision: version.metadata.name ?? '',
    });
    const object = { kind: 'Pod', apiVersion: 'v1', ...pod } as Pod;
    await this.#makeClaims(object);
    await this.#tellOf('create', object, async () => {
      pods.put(await context.client.create(podsPath(this.#set.metadata.namespace), object));
    });
  }

  async #delete(pod: Pod): Promise<void> {
    const { context, pods } = this.#parts;
    await this.#tellOf('delete', pod, async () => {
      try {
        await context.client.delete(`${podsPath(pod.metadata.namespace)}/${pod.metadata.name}`);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      pods.amend(pod, { deletionTimestamp: formatTime(this.#now) });
    });
  }

  async #tellOf(verb: 'create' | 'delete', { metadata }: Pod, action: () => Promise<void>): Promise<void> {
    const { events } = this.#parts;
    const title = verb === 'create' ? 'Create' : 'Delete';
    const about = `${verb} Pod ${metadata.name} in StatefulSet ${this.#set.metadata.name}`;
    try {
      await action();
    } catch (error) {
      const message = `${about} failed error: ${reasonOf(error)}`;
      if (!isConflict(error)) await events.tell(this.#set, { type: 'Warning', reason: `Failed${title}`, message });
      throw error;
    }
    await events.tell(this.#set, { type: 'Normal', reason: `Successful${title}`, message: `${about} successful` });
  }

  async #makeClaims(pod: Pod): Promise<void> {
    const { context, claims, events } = this.#parts;
    const { namespace = '', name } = this.#set.metadata;
    const collection = collectionPath('v1', namespace, 'persistentvolumeclaims');
    for (const claim of claimsOf(this.#set, ordinalOf(this.#set, pod) ?? 0)) {
      if (claims.get(`${namespace}/${claim.metadata.name}`) !== undefined) continue;
      const owners = pod.metadata.uid === undefined ? [] : claimOwners(this.#set, pod, claim);
      const metadata = { ...claim.metadata, ...(owners.length === 0 ? {} : { ownerReferences: owners }) };
      claims.put(await context.client.create(collection, { ...claim, metadata }));
      const message = `Create Claim ${claim.metadata.name} Pod ${pod.metadata.name} in StatefulSet ${name} success`;
      await events.tell(this.#set, { type: 'Normal', reason: 'SuccessfulCreate', message });
    }
  }

  /** Sets the owner of claims to the set or their pod, by the policy for claims. */
  async #alignClaims(pod: Pod): Promise<void> {
    const { context, claims } = this.#parts;
    const { namespace = '' } = this.#set.metadata;
    const collection = collectionPath('v1', namespace, 'persistentvolumeclaims');
    for (const { metadata } of claimsOf(this.#set, ordinalOf(this.#set, pod) ?? 0)) {
      const claim = claims.get(`${namespace}/${metadata.name}`);
      if (claim === undefined) continue;
      const ownerReferences = claimOwners(this.#set, pod, claim);
      if (isSemanticallyEqual(ownerReferences, claim.metadata.ownerReferences)) continue;
      const changed = { ...claim, metadata: { ...claim.metadata, ownerReferences } };
      claims.put(await context.client.replace(`${collection}/${metadata.name}`, changed));
    }
  }

  /** Deletes pods beyond the number of replicas, highest first; whether none is left. */
  async #shrink(): Promise<boolean> {
    this.#refresh();
    const { start, end } = ordinalsOf(this.#set);
    const ordinal = (pod: Pod) => ordinalOf(this.#set, pod) ?? 0;
    const excess = this.#pods
      .filter((pod) => ordinal(pod) < start || ordinal(pod) >= end)
      .sort((a, b) => ordinal(b) - ordinal(a));
    for (const pod of excess) await this.#alignClaims(pod);
    if (!this.#isOrdered) {
      await Promise.all(excess.filter((pod) => !isTerminating(pod)).map((pod) => this.#delete(pod)));
      return true;
    }
    const [first] = excess;
    if (first === undefined) return true;
    // the first pod of all that is not available may go although it is not
    const firstBad = [...excess].reverse().find((pod) => isTerminating(pod) || !this.#isAvailable(pod));
    if (!isTerminating(first) && (this.#isAvailable(first) || first === firstBad)) await this.#delete(first);
    return false;
  }

  /** Deletes one pod of an old revision, highest first, once all above it are available. */
  async #update({ update }: Versions): Promise<void> {
    this.#refresh();
    const { updateStrategy } = this.#set.spec ?? {};
    if (updateStrategy?.type === 'OnDelete') return;
    const { start, end } = ordinalsOf(this.#set);
    for (let ordinal = end - 1; ordinal >= start + (updateStrategy?.rollingUpdate?.partition ?? 0); ordinal--) {
      const pod = this.#podAt(ordinal);
      if (pod === undefined) return;
      if (revisionOf(pod) !== update.metadata.name && !isTerminating(pod)) {
        await this.#delete(pod);
        return;
      }
      if (isTerminating(pod) || !this.#isAvailable(pod)) return;
    }
  }

  #status({ current, update }: Versions): Status {
    const { metadata, spec = {}, status: before = {} } = this.#set;
    const living = this.#pods.filter((pod) => !isTerminating(pod));
    const count = (revision: ControllerRevision) =>
      living.filter((pod) => revisionOf(pod) === revision.metadata.name).length;
    const ready = this.#pods.filter((pod) => pod.status?.phase === 'Running' && isReady(pod));
    const [replicas, updated, desired] = [this.#pods.length, count(update), spec.replicas ?? 0];
    const isComplete =
      spec.updateStrategy?.type === 'RollingUpdate' &&
      [updated, ready.length, replicas].every((one) => one === desired);
    return {
      observedGeneration: metadata.generation,
      replicas,
      readyReplicas: unlessZero(ready.length),
      availableReplicas: ready.filter((pod) => this.#isAvailable(pod)).length,
      currentReplicas: unlessZero(isComplete ? updated : count(current)),
      updatedReplicas: unlessZero(updated),
      currentRevision: (isComplete ? update : current).metadata.name,
      updateRevision: update.metadata.name,
      collisionCount: before.collisionCount ?? 0,
      conditions: before.conditions,
    } as Status;
  }

  async #writeStatus(status: Status): Promise<void> {
    const { context, sets } = this.#parts;
    const path = pathOfOwner(statefulSetKind, this.#set);
    await writeStatus({ client: context.client, cache: sets, path }, this.#set, status);
  }
}
