// All roles and bindings, arranged so that a decision looks only at what concerns one user.

import type { PolicyRule, RoleReference, RoleSubject } from '../../meta/access.ts';
import type { ApiObject, ObjectRef } from '../../meta/object.ts';
import { serviceAccountName, type UserInfo } from '../../meta/user.ts';
import { RuleSet } from './rule-set.ts';

interface Role extends ApiObject {
  readonly rules?: readonly PolicyRule[] | null;
}

export interface Binding extends ApiObject {
  readonly roleRef?: RoleReference;
  readonly subjects?: readonly RoleSubject[];
}

/** One binding as it applies to one of its subjects. */
export interface Grant {
  readonly binding: Binding;
  readonly subject: RoleSubject;
}

/** What the index is about; each is followed on its own. */
export type RbacPart = 'clusterRoles' | 'roles' | 'clusterRoleBindings' | 'roleBindings';

export class RoleIndex {
  readonly #clusterRoles = new Map<string, RuleSet>();
  readonly #roles = new Map<string, RuleSet>();
  /** By namespace; the empty one holds the bindings of the cluster. */
  readonly #bindings = new Map<string, BindingsOfScope>();

  /** The rules of the role that a binding in a namespace means. */
  role({ kind = '', name = '' }: RoleReference, namespace: string): RuleSet | undefined {
    return kind === 'ClusterRole' ? this.#clusterRoles.get(name) : this.#roles.get(keyOf({ namespace, name }));
  }

  /** The first rule that bindings of one scope give a user and the caller accepts; the empty namespace is the cluster. */
  find(user: UserInfo, namespace: string, isWanted: (grant: Grant) => boolean): Grant | undefined {
    return this.#bindings.get(namespace)?.find(user, isWanted);
  }

  /** Namespaces with bindings; the empty one stands for the cluster. */
  get scopes(): Iterable<string> {
    return this.#bindings.keys();
  }

  /** The bindings of one scope; the empty namespace is the cluster. */
  bindingsIn(namespace: string): Iterable<Binding> {
    return this.#bindings.get(namespace)?.all ?? [];
  }

  /** All roles that a binding in the namespace may name. */
  *rolesIn(namespace: string): Iterable<{ readonly ref: Required<Omit<RoleReference, 'apiGroup'>>; role: RuleSet }> {
    for (const [name, role] of this.#clusterRoles) yield { ref: { kind: 'ClusterRole', name }, role };
    if (namespace === '') return;
    const prefix = keyOf({ namespace, name: '' });
    for (const [key, role] of this.#roles)
      if (key.startsWith(prefix)) yield { ref: { kind: 'Role', name: key.slice(prefix.length) }, role };
  }

  put(part: RbacPart, object: ApiObject): void {
    const ref = refOf(object);
    if (part === 'clusterRoles') this.#clusterRoles.set(ref.name, rulesOf(object));
    else if (part === 'roles') this.#roles.set(keyOf(ref), rulesOf(object));
    else this.#scope(ref.namespace).put(object);
  }

  remove(part: RbacPart, object: ApiObject): void {
    const ref = refOf(object);
    if (part === 'clusterRoles') this.#clusterRoles.delete(ref.name);
    else if (part === 'roles') this.#roles.delete(keyOf(ref));
    else {
      const scope = this.#scope(ref.namespace);
      scope.remove(ref.name);
      if (scope.isEmpty) this.#bindings.delete(ref.namespace);
    }
  }

  /** Removes a part, before it is filled again. */
  clear(part: RbacPart): void {
    if (part === 'clusterRoles') this.#clusterRoles.clear();
    else if (part === 'roles') this.#roles.clear();
    else
      for (const namespace of this.#bindings.keys()) {
        if ((namespace === '') === (part === 'clusterRoleBindings')) this.#bindings.delete(namespace);
      }
  }

  #scope(namespace: string): BindingsOfScope {
    let scope = this.#bindings.get(namespace);
    if (scope === undefined) {
      scope = new BindingsOfScope(namespace);
      this.#bindings.set(namespace, scope);
    }
    return scope;
  }
}

const refOf = ({ metadata }: ApiObject): ObjectRef => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
});
const rulesOf = ({ rules }: Role): RuleSet => new RuleSet(rules ?? []);
const keyOf = ({ namespace, name }: ObjectRef) => `${namespace}/${name}`;

/** The bindings of the cluster or of one namespace, by the users they name. */
class BindingsOfScope {
  readonly #namespace: string;
  readonly #byName = new Map<string, Binding>();
  readonly #byUser = new Map<string, Grant[]>();
  readonly #byGroup = new Map<string, Grant[]>();

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  get all(): Iterable<Binding> {
    return this.#byName.values();
  }

  find({ name, groups }: UserInfo, isWanted: (grant: Grant) => boolean): Grant | undefined {
    let grant = this.#byUser.get(name)?.find(isWanted);
    for (let i = 0; grant === undefined && i < groups.length; i++)
      grant = this.#byGroup.get(groups[i] as string)?.find(isWanted);
    return grant;
  }

  put(binding: Binding): void {
    const name = binding.metadata.name ?? '';
    this.remove(name);
    this.#byName.set(name, binding);
    for (const subject of binding.subjects ?? []) {
      const place = this.#place(subject);
      if (place === undefined) continue;
      const grants = place.map.get(place.key);
      if (grants === undefined) place.map.set(place.key, [{ binding, subject }]);
      else grants.push({ binding, subject });
    }
  }

  remove(name: string): void {
    const binding = this.#byName.get(name);
    if (binding === undefined) return;
    this.#byName.delete(name);
    for (const subject of binding.subjects ?? []) {
      const place = this.#place(subject);
      if (place === undefined) continue;
      const rest = (place.map.get(place.key) ?? []).filter((grant) => grant.binding !== binding);
      if (rest.length === 0) place.map.delete(place.key);
      else place.map.set(place.key, rest);
    }
  }

  /** Where a subject is looked up; an account without a namespace lives in that of the binding. */
  #place({ kind, name = '', namespace = '' }: RoleSubject): { map: Map<string, Grant[]>; key: string } | undefined {
    if (kind === 'User') return { map: this.#byUser, key: name };
    if (kind === 'Group') return { map: this.#byGroup, key: name };
    const home = namespace === '' ? this.#namespace : namespace;
    if (kind !== 'ServiceAccount' || home === '') return undefined;
    return { map: this.#byUser, key: serviceAccountName(home, name) };
  }
}
