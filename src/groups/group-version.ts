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
  /** Kinds that only the specification's table of removed versions has here. */
  readonly listedKinds?: readonly KindDefinition[];
  /** The group is written without the domain that it has in other versions. */
  readonly withoutDomain?: true;
}

/** The kinds of a group-version, and the name of its group, as a dialect has them. */
const kindsIn = ({ kinds, listedKinds = [] }: GroupVersionSpec, { rules }: Dialect): readonly KindDefinition[] =>
  rules.removedVersions === 'asListed' ? [...kinds, ...listedKinds] : kinds;

export const groupOf = ({ group, withoutDomain }: GroupVersionSpec, dialect: Dialect): string =>
  withoutDomain ? group : groupName(dialect, group);

export function defineGroupVersion(spec: GroupVersionSpec, dialect: Dialect): GroupVersionDefinition {
  const { version, priority } = spec;
  const home: Home = { group: groupOf(spec, dialect), version, prefix: prefixOf(spec, dialect) };
  return {
    group: home.group,
    version,
    priority,
    ...(spec.offByDefault && !isBetaServed(version, dialect) ? { offByDefault: true } : {}),
    resources: kindsIn(spec, dialect).map((kind) => serve(kind.inDialect?.(dialect) ?? kind, home)),
  };
}

const isBetaServed = (version: string, { rules }: Dialect) => rules.betaVersions === 'on' && version.includes('beta');

interface Home {
  readonly group: string;
  readonly version: string;
  /** How keys in the store begin. */
  readonly prefix: string;
}

const prefixOf = ({ group, keyedByGroup }: GroupVersionSpec, dialect: Dialect): string =>
  keyedByGroup ? `${groupName(dialect, group)}/` : '';

function serve(kind: KindDefinition, { group, version, prefix }: Home): ResourceDefinition {
  const singular = kind.kind.toLowerCase();
  return { ...kind, group, version, singular, storagePrefix: kind.storagePrefix ?? prefix + kind.plural };
}
