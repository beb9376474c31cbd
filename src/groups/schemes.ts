// Which kinds the server has types for, in the three parts that the reference server keeps them in.

import { type Dialect, groupName } from '../meta/dialect.ts';
import type { GroupVersion } from '../meta/group-version.ts';
import type { GroupVersionDefinition, ResourceDefinition } from '../schema/resource.ts';
import { Scheme } from '../schema/scheme.ts';
import type { SubresourceDefinition } from '../schema/subresource.ts';

// compat: messages name a scheme by where the reference server declares it
const names: Readonly<Record<string, string>> = {
  apiextensions: 'pkg/apiserver/apiserver.go:55',
  apiregistration: 'pkg/apiserver/scheme/scheme.go:28',
};
const usualName = 'pkg/api/legacyscheme/scheme.go:30';

/** Kinds that are of every group-version. */
const everywhere = [
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
];

/** Kinds of the core group that are no resources. */
const coreKinds = ['List', 'PodStatusResult', 'RangeAllocation', 'SerializedReference'];
const metaKinds = ['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'Status'];

/** The definitions, each of which knows the other kinds that an object may say it is of. */
export function withSchemes(
  groups: readonly GroupVersionDefinition[],
  dialect: Dialect,
): readonly GroupVersionDefinition[] {
  const schemes = new SchemeBuilder(dialect);
  for (const { removed, definition } of inOrder(groups)) schemes.add(definition, removed);
  return groups.map((group) => {
    const scheme = schemes.of(group);
    return { ...group, resources: group.resources.map((definition) => ({ ...definition, scheme })) };
  });
}

/** Those that are still served come first: they say what a kind is worked on as. */
function inOrder(groups: readonly GroupVersionDefinition[]) {
  const all = groups
    .flatMap(({ resources }) => resources)
    .map((definition) => ({ definition, removed: definition.deprecated?.removed !== undefined }));
  return [...all.filter(({ removed }) => !removed), ...all.filter(({ removed }) => removed)];
}

class SchemeBuilder {
  readonly #dialect: Dialect;
  readonly #schemes = new Map<string, Scheme>();
  /** The package of a kind's types, by where its objects are stored: several groups may have the same. */
  readonly #homes = new Map<string, string>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  of({ group }: Pick<GroupVersion, 'group'>): Scheme {
    const name = names[this.#packageOf(group)] ?? usualName;
    const found = this.#schemes.get(name) ?? new Scheme(name);
    this.#schemes.set(name, found);
    return found;
  }

  add(definition: ResourceDefinition, removed: boolean): void {
    const { group, version, kind, listKind = `${kind}List`, storagePrefix } = definition;
    const stored = `${storagePrefix} ${kind}`;
    const home = this.#homes.get(stored) ?? this.#packageOf(group);
    if (!removed || !this.#homes.has(stored)) this.#homes.set(stored, home);
    const scheme = this.of(definition);
    for (const one of [kind, listKind]) scheme.register({ group, version, kind: one }, { of: version, home });
    for (const subresource of definition.subresources ?? []) this.#addShown(scheme, subresource);
    this.#addCommon(scheme, { group, version });
  }

  #addShown(scheme: Scheme, subresource: SubresourceDefinition): void {
    if (subresource.is === 'part') return;
    const { group, version, kind } = subresource.shows;
    const names = { of: version, home: this.#packageOf(group) };
    scheme.register({ group: groupName(this.#dialect, group), version, kind }, names);
    if (subresource.is !== 'action') return;
    for (const older of subresource.olderVersions ?? [])
      scheme.register({ group: groupName(this.#dialect, group), version: older, kind }, { ...names, of: older });
  }

  #addCommon(scheme: Scheme, { group, version }: GroupVersion): void {
    const home = this.#packageOf(group);
    for (const kind of everywhere) scheme.register({ group, version, kind }, { of: 'v1', home: '' });
    for (const kind of metaKinds) scheme.registerInAnyVersion(kind, { of: 'v1', home: '' });
    if (group !== '') return;
    for (const kind of coreKinds) scheme.register({ group, version, kind }, { of: version, home });
  }

  /** compat: types are named by a package, which is the first part of a group's name but for two */
  #packageOf(group: string): string {
    const { apiDomain } = this.#dialect;
    const bare = group.endsWith(`.${apiDomain}`) ? group.slice(0, -apiDomain.length - 1) : group;
    return packages[bare] ?? bare.split('.')[0] ?? '';
  }
}

const packages: Readonly<Record<string, string>> = { '': 'core', 'internal.apiserver': 'apiserverinternal' };
