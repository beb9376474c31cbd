// Kinds become resources: a group-version gives its kinds a name to be served under.

import { type Dialect, groupName } from '../meta/dialect.ts';
import type { GroupVersionDefinition, KindDefinition, ResourceDefinition } from '../schema/resource.ts';

export interface GroupVersionSpec {
  /** Name of the group without the domain. */
  readonly group: string;
  readonly version: string;
  readonly priority: GroupVersionDefinition['priority'];
  readonly offByDefault?: true;
  /** Keys in the store begin with the group's name. */
  readonly keyedByGroup?: true;
  readonly kinds: readonly KindDefinition[];
}

export function defineGroupVersion(spec: GroupVersionSpec, dialect: Dialect): GroupVersionDefinition {
  const group = groupName(dialect, spec.group);
  const { version, priority } = spec;
  return {
    group,
    version,
    priority,
    ...(spec.offByDefault ? { offByDefault: true } : {}),
    resources: spec.kinds.map((kind) => serve(kind.inDialect?.(dialect) ?? kind, group, spec)),
  };
}

function serve(kind: KindDefinition, group: string, { version, keyedByGroup }: GroupVersionSpec): ResourceDefinition {
  const singular = kind.kind.toLowerCase();
  const prefix = keyedByGroup ? `${group}/${kind.plural}` : kind.plural;
  return { ...kind, group, version, singular, storagePrefix: kind.storagePrefix ?? prefix };
}
