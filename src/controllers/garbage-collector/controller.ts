// The garbage collector: dependents go when their last owner has gone, or before it, or stay, as the delete said.
// The feed keeps the graph; queues decide what to do about the parts of it that changed.

import type { ObjectMeta } from '../../meta/object.ts';
import type { ControllerFactory } from '../controller.ts';
import { beforeManagers, mentioning, metadataOf, pathOf, type StoredChange } from '../object-feed.ts';
import { Collector, type CollectorQueues } from './collector.ts';
import { type Owner, OwnerGraph, policyOf } from './graph.ts';
import { RemoteObjects } from './remote-objects.ts';

export const garbageCollector: ControllerFactory = (context) => {
  const graph = new OwnerGraph();
  let synced = false;
  const queues: CollectorQueues = {
    checkOwner: (id) => synced && owners.add(id),
    checkDependent: (path) => synced && dependents.add(path),
    checkLeaving: (path) => synced && leaving.add(path),
  };
  const onError = (err: unknown) => context.onError({ err }, 'a change could not be taken into the graph of owners');
  const intake = new Intake(graph, queues, onError);
  const remote = new RemoteObjects(context, (change) => intake.take(change));
  const collector = new Collector(context, graph, queues, (apiVersion, kind) => remote.byKind(apiVersion, kind));
  const owners = context.queue({
    name: 'garbage_collector_graph_changes',
    workers: 4,
    work: (id) => collector.findOwner(id),
  });
  const dependents = context.queue({
    name: 'garbage_collector_attempt_to_delete',
    workers: 64,
    work: (path) => collector.collectDependent(path),
  });
  const leaving = context.queue({
    name: 'garbage_collector_attempt_to_orphan',
    workers: 4,
    work: (path) => collector.finishDeletion(path),
  });
  context.feed.subscribe({
    onChange: (change) => intake.take(change),
    onSynced() {
      synced = true;
      for (const owner of graph.owners) owners.add(owner.id);
      for (const { path } of graph.leaving) leaving.add(path);
    },
    onRestart() {
      synced = false;
      graph.clear();
      remote.restart();
    },
  });
  return {
    async close() {
      await Promise.all([remote.close(), owners.close(), dependents.close(), leaving.close()]);
    },
  };
};

const hasOwners = mentioning('"ownerReferences":[');
const isLeaving = mentioning('"deletionTimestamp":"');

/** Turns changes into a graph that is true, and into keys to look at. Most objects are passed over unparsed. */
class Intake {
  readonly #graph: OwnerGraph;
  readonly #queues: CollectorQueues;
  readonly #onError: (error: unknown) => void;

  constructor(graph: OwnerGraph, queues: CollectorQueues, onError: (error: unknown) => void) {
    this.#graph = graph;
    this.#queues = queues;
    this.#onError = onError;
  }

  take(change: StoredChange): void {
    const path = pathOf(change.resource, change);
    try {
      if (change.json === undefined) this.#gone(path);
      else this.#changed(path, change, change.json);
    } catch (error) {
      this.#onError(error);
    }
  }

  #gone(path: string): void {
    this.#graph.clearLeaving(path);
    this.#noteLoss(this.#graph.remove(path));
    for (const owner of this.#graph.ownersAt(path)) {
      owner.state = 'absent';
      owner.changes++;
      this.#queues.checkOwner(owner.id);
    }
  }

  #changed(path: string, change: StoredChange, json: Uint8Array): void {
    const head = beforeManagers(json);
    if (hasOwners(head) || isLeaving(head)) this.#put(path, change, metadataOf(json) ?? {});
    else this.#noteLoss(this.#graph.remove(path));
  }

  #put(path: string, { namespace, revision }: StoredChange, metadata: ObjectMeta): void {
    this.#noteLoss(this.#graph.set(path, namespace, metadata, revision));
    this.#noteLeaving(path, metadata);
    for (const { owner } of this.#graph.dependent(path)?.links ?? []) this.#consider(path, owner);
  }

  #noteLeaving(path: string, metadata: ObjectMeta): void {
    const policy = policyOf(metadata);
    if (metadata.deletionTimestamp === undefined || policy === 'Background') {
      this.#graph.clearLeaving(path);
      return;
    }
    this.#graph.setLeaving({ path, uid: metadata.uid ?? '', policy });
    this.#queues.checkLeaving(path);
  }

  #consider(path: string, owner: Owner): void {
    if (owner.state === 'unknown') this.#queues.checkOwner(owner.id);
    else if (owner.state === 'absent' || this.#graph.isWaiting(owner)) this.#queues.checkDependent(path);
  }

  /** An owner that waits may have lost the last that kept it. */
  #noteLoss(owners: readonly Owner[]): void {
    for (const owner of owners)
      if (owner.blocking === 0 && owner.path !== undefined && this.#graph.isWaiting(owner))
        this.#queues.checkLeaving(owner.path);
  }
}
