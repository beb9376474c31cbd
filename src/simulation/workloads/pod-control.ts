// Makes and deletes pods for their owners, and writes the events that say so.

import { isNotFound, RequestError } from '../../client/client.ts';
import type { ControllerContext } from '../../controllers/controller.ts';
import type { EventRecorder } from '../../controllers/event-recorder.ts';
import type { PodTemplateSpec } from '../../groups/core/v1/pod/pod-spec.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { checkSubdomain } from '../../meta/names.ts';
import type { ApiObject, ObjectMeta } from '../../meta/object.ts';
import { formatTime } from '../../meta/time.ts';
import type { ObjectCache } from '../object-cache.ts';
import { controllerReference, type OwnerKind } from './ownership.ts';

/** A pod as an owner requests it. */
export interface NewPod {
  readonly metadata: ObjectMeta;
  readonly spec?: Pod['spec'];
}

/** The prefix of the names of an owner's pods. */
export function podPrefix({ metadata: { name = '' } }: ApiObject): string {
  // a prefix is valid where a name that begins with it is
  return checkSubdomain(`${name}-a`).length === 0 ? `${name}-` : name;
}

export function podFromTemplate(template: PodTemplateSpec, kind: OwnerKind, owner: ApiObject): NewPod {
  const { labels = {}, annotations = {}, finalizers } = (template.metadata ?? {}) as ObjectMeta;
  return {
    metadata: {
      generateName: podPrefix(owner),
      labels,
      annotations,
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(kind, owner)],
    },
    spec: template.spec,
  };
}

/** Whether a namespace that is being deleted refused an object. */
export function isNamespaceTerminating(error: unknown): boolean {
  const causes = error instanceof RequestError ? (error.details?.causes ?? []) : [];
  return causes.some(({ reason }) => reason === 'NamespaceTerminating');
}

/** The words of the server, without the request. */
export const reasonOf = (error: unknown): string =>
  error instanceof RequestError ? error.told : error instanceof Error ? error.message : String(error);

interface PodControlParts {
  readonly context: ControllerContext;
  readonly events: EventRecorder;
  readonly pods: ObjectCache<Pod>;
}

export class PodControl {
  readonly #parts: PodControlParts;

  constructor(parts: PodControlParts) {
    this.#parts = parts;
  }

  /** Creates a pod; fails with the error of the server, and an event reports it. */
  async create(owner: ApiObject, pod: NewPod): Promise<Pod> {
    const { context, events, pods } = this.#parts;
    const path = podsPath(owner.metadata.namespace);
    try {
      const created = await context.client.create(path, { kind: 'Pod', apiVersion: 'v1', ...pod });
      pods.put(created);
      const message = `Created pod: ${created.metadata.name}`;
      await events.tell(owner, { type: 'Normal', reason: 'SuccessfulCreate', message });
      return created as Pod;
    } catch (error) {
      if (!isNamespaceTerminating(error))
        await events.tell(owner, {
          type: 'Warning',
          reason: 'FailedCreate',
          message: `Error creating: ${reasonOf(error)}`,
        });
      throw error;
    }
  }

  /** Deletes a pod; a missing pod counts as deleted. */
  async delete(owner: ApiObject, pod: Pod): Promise<void> {
    const { context, events, pods } = this.#parts;
    const { name, namespace } = pod.metadata;
    try {
      await context.client.delete(`${podsPath(namespace)}/${name}`);
    } catch (error) {
      if (isNotFound(error)) return;
      const message = `Error deleting: ${reasonOf(error)}`;
      await events.tell(owner, { type: 'Warning', reason: 'FailedDelete', message });
      throw error;
    }
    if (pod.metadata.deletionTimestamp === undefined)
      pods.amend(pod, { deletionTimestamp: formatTime(context.clock.now()) });
    await events.tell(owner, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted pod: ${name}` });
  }
}

export const podsPath = (namespace = ''): string => `/api/v1/namespaces/${namespace}/pods`;

/**
 * Runs a number of equal tasks, one first and then twice as many at a time; after a failure no more are started. Many that
 * fail for one reason are so not all tried.
 */
export async function slowStart(count: number, task: (index: number) => Promise<void>): Promise<void> {
  let done = 0;
  for (let size = 1; done < count; size *= 2) {
    const batch = Array.from({ length: Math.min(size, count - done) }, (_, index) => task(done + index));
    const results = await Promise.allSettled(batch);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
    done += batch.length;
  }
}
