// The decisions of the garbage collector, one key at a time: is an owner there, may a dependent stay, is an object
// that waits for the collector free to go.

import { mapBounded } from '../../base/maps/bounded.ts';
import { type ApiObject, foregroundFinalizer, orphanFinalizer } from '../../meta/object.ts';
import type { ControllerContext, KindLookup } from '../controller.ts';
import { EventRecorder, type Occurrence } from '../event-recorder.ts';
import { pathOf, type StoredResource } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';
import { changeOwners, deleteDependent, removeFinalizer, unblocked, withoutOwners } from './actions.ts';
import type { Dependent, Leaving, Owner, OwnerGraph } from './graph.ts';

export interface CollectorQueues {
  checkOwner(id: string): void;
  checkDependent(path: string): void;
  checkLeaving(path: string): void;
}

/** Dependents orphaned side by side. */
const atOnce = 16;

export class Collector {
  readonly #context: ControllerContext;
  readonly #graph: OwnerGraph;
  readonly #queues: CollectorQueues;
  readonly #remoteKind: KindLookup['byKind'];
  readonly #events: EventRecorder;

  /** `remoteKind` finds kinds of other servers. */
  constructor(
    context: ControllerContext,
    graph: OwnerGraph,
    queues: CollectorQueues,
    remoteKind: KindLookup['byKind'],
  ) {
    this.#context = context;
    this.#graph = graph;
    this.#queues = queues;
    this.#remoteKind = remoteKind;
    this.#events = new EventRecorder(context, 'garbage-collector-controller');
  }

  /** Finds out whether an owner exists, then has its dependents looked at. */
  async findOwner(id: string): Promise<WorkOutcome> {
    const owner = this.#graph.owner(id);
    if (owner === undefined) return 'done';
    const { apiVersion, kind } = owner;
    const resource = this.#remoteKind(apiVersion, kind) ?? this.#context.kinds.byKind(apiVersion, kind);
    // a kind may come later; nothing is deleted on suspicion
    if (resource === undefined) return 'again';
    if (owner.path === undefined) this.#graph.place(owner, pathOf(resource, owner));
    if (resource.namespaced && owner.namespace === '') return this.#refuseOwner(owner);
    const { changes } = owner;
    const state = owner.state === 'unknown' ? await this.#lookUp(owner, resource) : owner.state;
    // it went while it was looked for: it is in the queue again
    if (owner.changes !== changes) return 'done';
    owner.state = state;
    this.#queueDependents(owner);
    return 'done';
  }

  async #lookUp(owner: Owner, resource: StoredResource): Promise<'present' | 'absent'> {
    const { client } = this.#context;
    const found = await client.find(owner.path as string);
    if (found?.metadata.uid === owner.uid) return 'present';
    if (resource.namespaced && (await this.#isElsewhere(owner, resource))) await this.#report(owner);
    return 'absent';
  }

  /** Whether the owner lives, but in another namespace. */
  async #isElsewhere({ name, uid }: Owner, resource: StoredResource): Promise<boolean> {
    const everywhere = pathOf(resource, { namespace: '', name: '' });
    const selector = encodeURIComponent(`metadata.name=${name}`);
    const { items } = await this.#context.client.list(`${everywhere}?fieldSelector=${selector}`);
    return items.some(({ metadata }) => metadata.uid === uid);
  }

  /** compat: an object outside namespaces may not have an owner inside one; it is reported and stays. */
  async #refuseOwner(owner: Owner): Promise<WorkOutcome> {
    if (owner.state !== 'unknown') return 'done';
    owner.state = 'present';
    await this.#report(owner);
    this.#queueDependents(owner);
    return 'done';
  }

  /** Says on each dependent that the owner it names cannot be one. */
  async #report(owner: Owner): Promise<void> {
    for (const { path } of owner.dependents) {
      const dependent = await this.#context.client.find(path);
      if (dependent !== undefined) await this.#events.tell(dependent, invalidOwner(owner, dependent));
    }
  }

  #queueDependents(owner: Owner): void {
    if (owner.state === 'absent' || this.#graph.isWaiting(owner))
      for (const { path } of owner.dependents) this.#queues.checkDependent(path);
    else for (const path of owner.asking) this.#queues.checkDependent(path);
    owner.asking.clear();
  }

  /** Deletes an object without owners; takes lost owners from one that has others. */
  async collectDependent(path: string): Promise<WorkOutcome> {
    const dependent = this.#graph.dependent(path);
    if (dependent === undefined || dependent.isDeleting) return 'done';
    const unsettled = this.#graph.unsettledOwner(dependent);
    if (unsettled !== undefined) return this.#ask(dependent, unsettled);
    const owners = dependent.links.map(({ owner }) => owner);
    const isWaiting = owners.some((owner) => this.#graph.isWaiting(owner));
    const lost = owners.filter((owner) => owner.state === 'absent' || this.#graph.isWaiting(owner));
    if (lost.length === 0) return 'done';
    const { client } = this.#context;
    if (lost.length < owners.length)
      return changeOwners(client, dependent, withoutOwners(new Set(lost.map(({ uid }) => uid))));
    if (isWaiting && this.#graph.dependentsOf(dependent.uid).length > 0) return this.#deleteInForeground(dependent);
    return deleteDependent(client, dependent, dependent.policy);
  }

  /** One by one: the others are looked for anyway, and the dependent is looked at again when this one was found or not. */
  #ask({ path }: Dependent, owner: Owner): WorkOutcome {
    owner.asking.add(path);
    this.#queues.checkOwner(owner.id);
    return 'done';
  }

  async #deleteInForeground(dependent: Dependent): Promise<WorkOutcome> {
    const { client } = this.#context;
    const own = this.#graph.dependentsOf(dependent.uid);
    // in a circle every owner would wait for the others
    const isCircle = own.some(({ isDeleting, policy }) => isDeleting && policy === 'Foreground');
    const isBlocking = dependent.links.some(({ blocks }) => blocks);
    // the change is seen as an event, which brings the dependent back here
    if (isCircle && isBlocking) return changeOwners(client, dependent, unblocked);
    return deleteDependent(client, dependent, 'Foreground');
  }

  /** Lets an object go that was deleted in the foreground or without its dependents, once that is done. */
  async finishDeletion(path: string): Promise<WorkOutcome> {
    const leaving = this.#graph.leavingAt(path);
    if (leaving === undefined) return 'done';
    return leaving.policy === 'Orphan' ? this.#orphan(leaving) : this.#awaitDependents(leaving);
  }

  async #orphan({ path, uid }: Leaving): Promise<WorkOutcome> {
    const { client } = this.#context;
    const dependents = this.#graph.dependentsOf(uid);
    const without = withoutOwners(new Set([uid]));
    const outcomes = await mapBounded(dependents, atOnce, (dependent) => changeOwners(client, dependent, without));
    return outcomes.includes('again') ? 'again' : removeFinalizer(client, path, uid, orphanFinalizer);
  }

  async #awaitDependents({ path, uid }: Leaving): Promise<WorkOutcome> {
    for (const dependent of this.#graph.dependentsOf(uid)) this.#queues.checkDependent(dependent.path);
    if (this.#graph.isBlocked(uid)) return 'done';
    return removeFinalizer(this.#context.client, path, uid, foregroundFinalizer);
  }
}

function invalidOwner({ apiVersion, kind, name, uid }: Owner, { metadata }: ApiObject): Occurrence {
  const { namespace = '' } = metadata;
  const identity = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
  const message = `ownerRef ${identity} does not exist in namespace ${JSON.stringify(namespace)}`;
  return { type: 'Warning', reason: 'OwnerRefInvalidNamespace', message };
}
