// What the scheduler writes: bindings, the reason for which a pod has no node, claims that wait for one, and preemption.

import { isNotFound } from '../../client/client.ts';
import type { ControllerContext } from '../../controllers/controller.ts';
import { withCondition } from '../../groups/core/v1/pod/pod-status.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { formatTime } from '../../meta/time.ts';
import type { BackgroundEvents } from '../background-events.ts';
import type { SimulationKeys } from '../keys.ts';
import { shortened } from './failure-message.ts';
import type { ClaimPlan } from './volumes.ts';

const schedulerName = 'default-scheduler';

type PodStatus = NonNullable<Pod['status']>;

const podPath = ({ metadata }: Pod): string => `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;

export class SchedulerWrites {
  readonly #context: ControllerContext;
  readonly #events: BackgroundEvents;
  readonly #keys: SimulationKeys;

  constructor(context: ControllerContext, events: BackgroundEvents, keys: SimulationKeys) {
    this.#context = context;
    this.#events = events;
    this.#keys = keys;
  }

  async bind(pod: Pod, node: string): Promise<void> {
    const { namespace, name, uid } = pod.metadata;
    await this.#context.client.create(`${podPath(pod)}/binding`, {
      kind: 'Binding',
      apiVersion: 'v1',
      metadata: { namespace, name, uid },
      target: { kind: 'Node', name: node },
    });
    this.#events.tell(pod, {
      ...{ type: 'Normal', reason: 'Scheduled', action: 'Binding' },
      message: `Successfully assigned ${namespace}/${name} to ${node}`,
    });
  }

  /** The condition is written where it changes, the event each time. */
  async reportFailure(pod: Pod, message: string, nominatedNode: string | undefined): Promise<void> {
    this.#events.tell(pod, {
      ...{ type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling' },
      message: shortened(message),
    });
    const { generation } = pod.metadata;
    const condition = {
      type: 'PodScheduled',
      ...(generation ? { observedGeneration: generation } : {}),
      ...{ status: 'False', reason: 'Unschedulable', message },
    };
    const { status = {} } = pod;
    const before = status.conditions?.find(({ type }) => type === 'PodScheduled');
    const isKnown = before?.reason === 'Unschedulable' && before.message === message;
    if (isKnown && (nominatedNode === undefined || status.nominatedNodeName === nominatedNode)) return;
    const next = withCondition(status, condition, formatTime(this.#context.clock.now()));
    await this.#patchStatus(pod, {
      conditions: next.conditions ?? [],
      ...(nominatedNode === undefined ? {} : { nominatedNodeName: nominatedNode }),
    });
  }

  async #patchStatus(pod: Pod, status: Partial<PodStatus>): Promise<void> {
    const { uid, resourceVersion } = pod.metadata;
    const path = `${podPath(pod)}/status?fieldManager=kube-scheduler`;
    await this.#context.client.merge(path, { metadata: { uid, resourceVersion }, status });
  }

  /** A pod of lower priority leaves its node. */
  async preempt(victim: Pod, preemptor: Pod, node: string): Promise<void> {
    if (victim.metadata.deletionTimestamp !== undefined) return;
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: `${schedulerName}: preempting to accommodate a higher priority pod`,
    };
    const now = formatTime(this.#context.clock.now());
    const { conditions = [] } = withCondition(victim.status ?? {}, condition, now);
    try {
      await this.#patchStatus(victim, { conditions });
      await this.#context.client.delete(podPath(victim), { preconditions: { uid: victim.metadata.uid } });
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    this.#events.tell(victim, {
      ...{ type: 'Normal', reason: 'Preempted', action: 'Preempting' },
      message: `Preempted by pod ${preemptor.metadata.uid} on node ${node}`,
    });
  }

  /** Claims that waited for their pod get a volume, or a node to be provisioned for. */
  async bindClaims(plans: readonly ClaimPlan[], node: string): Promise<void> {
    const { client } = this.#context;
    for (const { claim, volume } of plans) {
      const { namespace, name, uid, resourceVersion, annotations = {} } = claim.metadata;
      if (volume !== undefined) {
        const claimRef = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion };
        const isReserved = volume.spec?.claimRef?.uid === uid;
        if (!isReserved)
          await client.merge(`/api/v1/persistentvolumes/${volume.metadata.name}`, { spec: { claimRef } });
      } else if (annotations[this.#keys.selectedNode] !== node) {
        const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims/${name}`;
        await client.merge(path, { metadata: { annotations: { [this.#keys.selectedNode]: node } } });
      }
    }
  }
}
