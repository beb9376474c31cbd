// Which object depends on which. Only objects that have owners are kept, and of them only what the collector needs: path, uid,
// revision and owners. Owners are kept as their dependents name them, whether they exist or not.

import { foregroundFinalizer, type ObjectMeta, type OwnerReference, orphanFinalizer } from '../../meta/object.ts';

export interface Owner {
  readonly id: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** Of the dependents; a namespaced owner has to be in the same one. */
  readonly namespace: string;
  readonly dependents: Set<Dependent>;
  /** How many dependents keep it from going while it waits for them. */
  blocking: number;
  /** Where it is, once its kind is known. */
  path: string | undefined;
  state: 'unknown' | 'present' | 'absent';
  /** Grows whenever something happens to the owner, so that a stale answer is noticed. */
  changes: number;
  /** Dependents that wait for the state to be known. */
  readonly asking: Set<string>;
}

interface Link {
  readonly owner: Owner;
  readonly blocks: boolean;
}

export interface Dependent {
  readonly path: string;
  readonly namespace: string;
  readonly uid: string;
  readonly revision: number;
  readonly links: readonly Link[];
  /** So many owners, from the first, were found to be there or not, or to wait: an owner that is known stays known. */
  settled: number;
  readonly isDeleting: boolean;
  /** What it says itself about its own dependents. */
  readonly policy: 'Background' | 'Foreground' | 'Orphan';
}

/** An object that is being deleted and waits for the collector. */
export interface Leaving {
  readonly path: string;
  readonly uid: string;
  readonly policy: 'Foreground' | 'Orphan';
}

export function policyOf({ finalizers = [] }: ObjectMeta): Dependent['policy'] {
  if (finalizers.includes(orphanFinalizer)) return 'Orphan';
  return finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background';
}

export class OwnerGraph {
  readonly #dependents = new Map<string, Dependent>();
  readonly #owners = new Map<string, Owner>();
  readonly #ownersByUid = new Map<string, Set<Owner>>();
  readonly #ownersByPath = new Map<string, Set<Owner>>();
  readonly #leaving = new Map<string, Leaving>();

  get owners(): Iterable<Owner> {
    return this.#owners.values();
  }

  get leaving(): Iterable<Leaving> {
    return this.#leaving.values();
  }

  get size(): number {
    return this.#dependents.size;
  }

  dependent(path: string): Dependent | undefined {
    return this.#dependents.get(path);
  }

  owner(id: string): Owner | undefined {
    return this.#owners.get(id);
  }

  ownersAt(path: string): Iterable<Owner> {
    return this.#ownersByPath.get(path) ?? [];
  }

  leavingAt(path: string): Leaving | undefined {
    return this.#leaving.get(path);
  }

  /** Whether an owner waits for its dependents to go. */
  isWaiting({ path, uid }: Owner): boolean {
    const leaving = path === undefined ? undefined : this.#leaving.get(path);
    return leaving?.uid === uid && leaving.policy === 'Foreground';
  }

  /** The first owner of which it is not known whether it exists. However often it is asked for, each owner is looked at once. */
  unsettledOwner(dependent: Dependent): Owner | undefined {
    for (; dependent.settled < dependent.links.length; dependent.settled++) {
      const { owner } = dependent.links[dependent.settled] as Link;
      if (owner.state === 'unknown' && !this.isWaiting(owner)) return owner;
    }
    return undefined;
  }

  /** Everything that names an object as its owner. */
  dependentsOf(uid: string): Dependent[] {
    return [...(this.#ownersByUid.get(uid) ?? [])].flatMap((owner) => [...owner.dependents]);
  }

  /** Whether something still keeps an object that waits for its dependents. */
  isBlocked(uid: string): boolean {
    return [...(this.#ownersByUid.get(uid) ?? [])].some((owner) => owner.blocking > 0);
  }

  /** The object as it is now, instead of what was known of it. Returns the owners that lost a dependent by this. */
  set(path: string, namespace: string, metadata: ObjectMeta, revision: number): readonly Owner[] {
    const references = metadata.ownerReferences ?? [];
    if (references.length === 0) return this.remove(path);
    const links: Link[] = [];
    const isDeleting = metadata.deletionTimestamp !== undefined;
    const uid = metadata.uid ?? '';
    const dependent = { path, namespace, uid, revision, links, settled: 0, isDeleting, policy: policyOf(metadata) };
    for (const reference of references) {
      const link = { owner: this.#ownerFor(reference, namespace), blocks: reference.blockOwnerDeletion === true };
      links.push(link);
      join(link, dependent);
    }
    const old = this.#dependents.get(path);
    this.#dependents.set(path, dependent);
    return old === undefined ? [] : this.#part(old);
  }

  /** The owners that lost a dependent by this. */
  remove(path: string): readonly Owner[] {
    const dependent = this.#dependents.get(path);
    if (dependent === undefined) return [];
    this.#dependents.delete(path);
    return this.#part(dependent);
  }

  setLeaving(leaving: Leaving): void {
    this.#leaving.set(leaving.path, leaving);
  }

  clearLeaving(path: string): void {
    this.#leaving.delete(path);
  }

  /** The kind of an owner has become known. */
  place(owner: Owner, path: string): void {
    owner.path = path;
    addTo(this.#ownersByPath, path, owner);
  }

  clear(): void {
    for (const map of [this.#dependents, this.#owners, this.#ownersByUid, this.#ownersByPath, this.#leaving])
      map.clear();
  }

  #ownerFor({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): Owner {
    const id = [apiVersion, kind, namespace, name, uid].join(' ');
    let owner = this.#owners.get(id);
    if (owner === undefined) {
      owner = {
        ...{ id, apiVersion, kind, name, uid, namespace, path: undefined, state: 'unknown', changes: 0, blocking: 0 },
        dependents: new Set(),
        asking: new Set(),
      };
      this.#owners.set(id, owner);
      addTo(this.#ownersByUid, uid, owner);
    }
    return owner;
  }

  /** Takes a dependent from its owners. */
  #part(dependent: Dependent): readonly Owner[] {
    const owners: Owner[] = [];
    for (const { owner, blocks } of dependent.links) {
      if (blocks) owner.blocking--;
      owner.dependents.delete(dependent);
      if (owner.dependents.size === 0) this.#forget(owner);
      owners.push(owner);
    }
    return owners;
  }

  #forget(owner: Owner): void {
    this.#owners.delete(owner.id);
    removeFrom(this.#ownersByUid, owner.uid, owner);
    if (owner.path !== undefined) removeFrom(this.#ownersByPath, owner.path, owner);
  }
}

function join({ owner, blocks }: Link, dependent: Dependent): void {
  owner.dependents.add(dependent);
  if (blocks) owner.blocking++;
}

function addTo<T>(map: Map<string, Set<T>>, key: string, value: T): void {
  const found = map.get(key);
  if (found === undefined) map.set(key, new Set([value]));
  else found.add(value);
}

function removeFrom<T>(map: Map<string, Set<T>>, key: string, value: T): void {
  const found = map.get(key);
  found?.delete(value);
  if (found?.size === 0) map.delete(key);
}
