// One look at a daemon set: one pod on each node that should have one, updates, and the status.

import type { ControllerContext } from '../../../controllers/controller.ts';
import type { EventRecorder } from '../../../controllers/event-recorder.ts';
import type { WorkOutcome } from '../../../controllers/work-queue.ts';
import type { ControllerRevision } from '../../../groups/apps/v1/controller-revision.ts';
import type { DaemonSet } from '../../../groups/apps/v1/daemon-set-type.ts';
import { templateHash } from '../../../groups/apps/v1/template-hash.ts';
import type { Node } from '../../../groups/core/v1/node/node-type.ts';
import { isReady } from '../../../groups/core/v1/pod/pod-status.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import type { ObjectCache } from '../../object-cache.ts';
import { amountOf } from '../amounts.ts';
import { type OwnerKind, pathOfOwner } from '../ownership.ts';
import { isNamespaceTerminating, type PodControl, podFromTemplate, slowStart } from '../pod-control.ts';
import { isAvailable, isFinished, untilAvailable } from '../pods.ts';
import { Revisions, revisionLabel } from '../revisions.ts';
import { unlessZero, writeStatus } from '../status.ts';
import { eligibility, nodeOf, specForNode } from './eligibility.ts';
import { type DaemonChanges, type DaemonNode, placement, rollingUpdate } from './reconcile.ts';

export const daemonSetKind: OwnerKind = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  group: 'apps',
  plural: 'daemonsets',
};

export interface DaemonSetParts {
  readonly context: ControllerContext;
  readonly events: EventRecorder;
  readonly sets: ObjectCache<DaemonSet>;
  readonly pods: ObjectCache<Pod>;
  readonly nodes: ObjectCache<Node>;
  readonly revisions: ObjectCache<ControllerRevision>;
  readonly control: PodControl;
  /** Pauses after pods that failed, by set and node. */
  readonly pauses: Map<string, { readonly ms: number; readonly since: number }>;
}

type Status = NonNullable<DaemonSet['status']>;

/** At most so many pods are made or deleted in one go. */
const burst = 250;
const firstPauseMs = 1000;
const longestPauseMs = 15 * 60_000;
const generationAnnotation = 'deprecated.daemonset.template.generation';
const generationLabel = 'pod-template-generation';

export class DaemonSetSync {
  readonly #parts: DaemonSetParts;
  readonly #set: DaemonSet;
  #pods: readonly Pod[];
  #hash = '';
  #nextMs: number | undefined;

  constructor(parts: DaemonSetParts, set: DaemonSet, pods: readonly Pod[]) {
    this.#parts = parts;
    this.#set = set;
    this.#pods = pods;
  }

  async run(): Promise<WorkOutcome> {
    const revisions = new Revisions({ ...this.#parts, ownerKind: daemonSetKind }, this.#set);
    const current = await this.#currentRevision(revisions);
    if (current === undefined) return 'again';
    this.#hash = current.metadata.labels?.[revisionLabel] ?? '';
    const isDone = await this.#adjust();
    await this.#writeStatus(this.#status());
    const inUse = new Set(this.#pods.map(({ metadata }) => metadata.labels?.[revisionLabel]));
    await revisions.truncate(
      this.#set.spec?.revisionHistoryLimit ?? 10,
      (one) => one === current || inUse.has(one.metadata.labels?.[revisionLabel]),
    );
    if (!isDone) return 'again';
    return this.#nextMs ?? untilAvailable(this.#pods, this.#minReadySeconds, this.#now) ?? 'done';
  }

  get #now(): number {
    return this.#parts.context.clock.now();
  }

  get #minReadySeconds(): number {
    return this.#set.spec?.minReadySeconds ?? 0;
  }

  async #currentRevision(revisions: Revisions): Promise<ControllerRevision | undefined> {
    const { spec, status = {} } = this.#set;
    const template = spec?.template ?? {};
    const hash = templateHash(template, status.collisionCount);
    return revisions.latest({ template, hash }, async () => {
      await this.#writeStatus({ ...status, collisionCount: (status.collisionCount ?? 0) + 1 });
    });
  }

  #isUpdated({ metadata }: Pod): boolean {
    const generation = this.#set.metadata.annotations?.[generationAnnotation];
    const isOfGeneration = generation !== undefined && metadata.labels?.[generationLabel] === generation;
    return isOfGeneration || metadata.labels?.[revisionLabel] === this.#hash;
  }

  #isAvailable(pod: Pod): boolean {
    return isAvailable(pod, this.#minReadySeconds, this.#now);
  }

  #nodes(): readonly DaemonNode[] {
    const { context, nodes } = this.#parts;
    const byNode = new Map<string, Pod[]>();
    const sorted = [...this.#pods].sort((a, b) => (createdAt(a) < createdAt(b) ? -1 : 1));
    for (const pod of sorted) {
      const name = nodeOf(pod);
      if (name !== undefined) byNode.set(name, [...(byNode.get(name) ?? []), pod]);
    }
    return [...nodes.all()].map((node) => {
      const { name = '' } = node.metadata;
      return { name, pods: byNode.get(name) ?? [], ...eligibility(this.#set, node, context.dialect) };
    });
  }

  #rules(nodes: readonly DaemonNode[]): Parameters<typeof placement>[1] {
    const { updateStrategy } = this.#set.spec ?? {};
    const { maxSurge: surge, maxUnavailable: unavailable } = updateStrategy?.rollingUpdate ?? {};
    const desiredNumber = nodes.filter(({ shouldRun }) => shouldRun).length;
    const maxSurge = amountOf(surge, desiredNumber, Math.ceil);
    const most = amountOf(unavailable, desiredNumber, Math.ceil);
    return {
      maxSurge,
      maxUnavailable: maxSurge === 0 && most === 0 ? 1 : most,
      isUpdated: (pod) => this.#isUpdated(pod),
      isAvailable: (pod) => this.#isAvailable(pod),
    };
  }

  /** Whether nothing failed. */
  async #adjust(): Promise<boolean> {
    const nodes = this.#nodes();
    const rules = this.#rules(nodes);
    const ended = await this.#endedPods(nodes);
    const changes = nodes.map((node) => placement(node, rules));
    const created = changes.flatMap((change) => change.created);
    const deleted = [...changes.flatMap((change) => change.deleted), ...ended, ...this.#podsWithoutNode()];
    try {
      await this.#apply({ created, deleted });
      const isSettled = created.length === 0 && deleted.length === 0;
      if (isSettled && this.#set.spec?.updateStrategy?.type === 'RollingUpdate')
        await this.#apply(rollingUpdate(nodes, rules));
      return true;
    } catch (error) {
      return isNamespaceTerminating(error);
    } finally {
      this.#pods = [...this.#parts.pods.controlledBy(this.#set.metadata.uid ?? '')];
    }
  }

  /** Pods that have ended are deleted, those that failed after a growing pause. */
  async #endedPods(nodes: readonly DaemonNode[]): Promise<readonly Pod[]> {
    const ended: Pod[] = [];
    for (const { name, pods, mayStay } of nodes) {
      for (const pod of mayStay ? pods : []) {
        if (!isFinished(pod) || pod.metadata.deletionTimestamp !== undefined) continue;
        const hasFailed = pod.status?.phase === 'Failed';
        if (hasFailed && this.#isPaused(name)) continue;
        const about = `daemon pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${name}, will try to`;
        await this.#parts.events.tell(
          this.#set,
          hasFailed
            ? { type: 'Warning', reason: 'FailedDaemonPod', message: `Found failed ${about} kill it` }
            : { type: 'Normal', reason: 'SucceededDaemonPod', message: `Found succeeded ${about} delete it` },
        );
        ended.push(pod);
      }
    }
    return ended;
  }

  /** Where the pause is over, the next one begins, twice as long. */
  #isPaused(node: string): boolean {
    const { pauses } = this.#parts;
    const key = `${this.#set.metadata.uid}/${node}`;
    const before = pauses.get(key);
    const left = before === undefined ? 0 : before.since + before.ms - this.#now;
    if (left > 0) {
      this.#nextMs = Math.min(this.#nextMs ?? left, left);
      return true;
    }
    const isRecent = before !== undefined && left > -longestPauseMs;
    pauses.set(key, { ms: isRecent ? Math.min(before.ms * 2, longestPauseMs) : firstPauseMs, since: this.#now });
    return false;
  }

  /** Pods for nodes that do not exist, and that no node runs. */
  #podsWithoutNode(): readonly Pod[] {
    return this.#pods.filter((pod) => {
      const name = nodeOf(pod);
      const isWaiting = !pod.spec?.nodeName && pod.metadata.deletionTimestamp === undefined;
      return isWaiting && name !== undefined && this.#parts.nodes.get(name) === undefined;
    });
  }

  async #apply({ created, deleted }: DaemonChanges): Promise<void> {
    const { control, context } = this.#parts;
    const template = this.#set.spec?.template ?? {};
    const { metadata, spec } = podFromTemplate(template, daemonSetKind, this.#set);
    const generation = this.#set.metadata.annotations?.[generationAnnotation];
    const labels = {
      ...metadata.labels,
      ...(generation === undefined ? {} : { [generationLabel]: generation }),
      [revisionLabel]: this.#hash,
    };
    const names = created.slice(0, burst);
    await slowStart(names.length, async (index) => {
      const forNode = specForNode(spec ?? {}, names[index] as string, context.dialect);
      await control.create(this.#set, { metadata: { ...metadata, labels }, spec: forNode });
    });
    await Promise.all(deleted.slice(0, burst).map((pod) => control.delete(this.#set, pod)));
  }

  #status(): Status {
    const nodes = this.#nodes();
    const desiredNodes = nodes.filter(({ shouldRun }) => shouldRun);
    const current = desiredNodes.filter(({ pods }) => pods.length > 0);
    const first = current.map(({ pods }) => pods[0] as Pod);
    const ready = first.filter(isReady);
    const available = ready.filter((pod) => this.#isAvailable(pod)).length;
    const { collisionCount, conditions } = this.#set.status ?? {};
    return {
      currentNumberScheduled: current.length,
      numberMisscheduled: nodes.filter(({ shouldRun, pods }) => !shouldRun && pods.length > 0).length,
      desiredNumberScheduled: desiredNodes.length,
      numberReady: ready.length,
      observedGeneration: this.#set.metadata.generation,
      updatedNumberScheduled: unlessZero(first.filter((pod) => this.#isUpdated(pod)).length),
      numberAvailable: unlessZero(available),
      numberUnavailable: unlessZero(desiredNodes.length - available),
      collisionCount,
      conditions,
    } as Status;
  }

  async #writeStatus(status: Status): Promise<void> {
    const { context, sets } = this.#parts;
    const path = pathOfOwner(daemonSetKind, this.#set);
    await writeStatus({ client: context.client, cache: sets, path }, this.#set, status);
  }
}

const createdAt = ({ metadata }: Pod): string => metadata.creationTimestamp ?? '';
