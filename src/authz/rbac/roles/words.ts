// The words in which default roles are written: verbs, groups and resources, in the names of one dialect.

import type { PolicyRule, RoleSubject } from '../../../meta/access.ts';
import { componentName, type Dialect, groupName, labelKey } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';

export const read = 'get list watch';
export const write = 'create delete deletecollection patch update';
export const readWrite = `${read} ${write}`;

/** Groups that stand for themselves, whatever the domain. */
const plainGroups = new Set(['*', 'extensions']);

export interface RoleSpec {
  readonly name: string;
  readonly rules?: readonly PolicyRule[];
  /** Filled with the rules of roles that have this label. */
  readonly aggregates?: string;
  /** Labels that let others take in its rules. */
  readonly into?: string;
}

/** Writes rules and objects in the names of one dialect. */
export class Words {
  readonly dialect: Dialect;
  readonly group: string;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
    this.group = groupName(dialect, 'rbac.authorization');
  }

  /** Words are separated by spaces; `core` is the group without a name. */
  rule(verbs: string, groups: string, resources: string, names?: string): PolicyRule {
    return {
      verbs: sorted(verbs),
      apiGroups: groups
        .split(' ')
        .map((id) => this.#groupOf(id))
        .sort(),
      resources: sorted(resources),
      ...(names === undefined ? {} : { resourceNames: sorted(names) }),
    };
  }

  urls(verbs: string, ...paths: readonly string[]): PolicyRule {
    return { verbs: sorted(verbs), nonResourceURLs: [...paths].sort() };
  }

  get events(): PolicyRule {
    return this.rule('create update patch', 'core events', 'events');
  }

  component(part: string): string {
    return componentName(this.dialect, part);
  }

  signer(name: string): string {
    return labelKey(this.dialect, name);
  }

  account(name: string, namespace = this.dialect.systemNamespace): RoleSubject {
    return { kind: 'ServiceAccount', name, namespace };
  }

  user(name: string): RoleSubject {
    return { kind: 'User', apiGroup: this.group, name };
  }

  groupSubject(name: string): RoleSubject {
    return { kind: 'Group', apiGroup: this.group, name };
  }

  clusterRole({ name, rules, aggregates, into }: RoleSpec): ApiObject {
    const label = (target: string) => `${this.group}/aggregate-to-${target}`;
    const selectors = [{ matchLabels: { [label(aggregates ?? '')]: 'true' } }];
    return {
      ...this.#object('ClusterRole', name, into === undefined ? {} : { [label(into)]: 'true' }),
      rules: rules ?? null,
      ...(aggregates === undefined ? {} : { aggregationRule: { clusterRoleSelectors: selectors } }),
    };
  }

  role(namespace: string, name: string, rules: readonly PolicyRule[]): ApiObject {
    const object = this.#object('Role', name);
    return { ...object, metadata: { ...object.metadata, namespace }, rules };
  }

  binding(role: string, subjects: readonly RoleSubject[], name = role): ApiObject {
    return {
      ...this.#object('ClusterRoleBinding', name),
      ...(subjects.length === 0 ? {} : { subjects }),
      roleRef: { apiGroup: this.group, kind: 'ClusterRole', name: role },
    };
  }

  roleBinding(namespace: string, role: string, subjects: readonly RoleSubject[], name = role): ApiObject {
    const object = this.#object('RoleBinding', name);
    const roleRef = { apiGroup: this.group, kind: 'Role', name: role };
    return { ...object, metadata: { ...object.metadata, namespace }, subjects, roleRef };
  }

  #object(kind: string, name: string, labels: Readonly<Record<string, string>> = {}): ApiObject {
    const metadata = {
      name,
      labels: { [labelKey(this.dialect, 'bootstrapping')]: 'rbac-defaults', ...labels },
      annotations: { [autoUpdateAnnotation(this.dialect)]: 'true' },
    };
    return { kind, apiVersion: `${this.group}/v1`, metadata };
  }

  #groupOf(id: string): string {
    if (plainGroups.has(id)) return id;
    return id === 'core' ? '' : groupName(this.dialect, id);
  }
}

const sorted = (words: string) => words.split(' ').sort();

/** An administrator who sets this to `false` keeps an object as it is. */
export const autoUpdateAnnotation = (dialect: Dialect) => `rbac.authorization.${dialect.labelDomain}/autoupdate`;

/** Rules by the names of controllers. */
export type ControllerRules = Readonly<Record<string, readonly PolicyRule[]>>;

/** How the names of the roles of controllers begin. */
export const controllerPrefix = 'system:controller:';
