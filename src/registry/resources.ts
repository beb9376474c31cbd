// Everything that is served: group-versions, their resources, and the registry behind each. A live table: resources come, change
// and go while requests are answered, and those who keep something about them are told.

import { Listeners } from '../base/listeners.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { Revision } from '../meta/revision.ts';
import { compareVersions } from '../meta/version-order.ts';
import { isBuiltIn } from '../schema/object-type.ts';
import type { GroupVersionDefinition, ResourceDefinition } from '../schema/resource.ts';
import type { SubresourceDefinition } from '../schema/subresource.ts';
import { HotTexts } from './hot-texts.ts';
import { Registry, type RegistryOptions } from './registry.ts';
import { StoredKind } from './stored-kind.ts';
import { KindVersions } from './versions.ts';

export interface ServedResource {
  readonly definition: ResourceDefinition;
  /** Made on first use. */
  readonly registry: Registry;
  subresource(name: string): SubresourceDefinition | undefined;
}

/** What one change of the table did. A definition that was replaced is in both lists. */
export interface ResourcesChange {
  readonly removed: readonly ResourceDefinition[];
  readonly added: readonly ResourceDefinition[];
}

const defaultHotTextBytes = 32 * 1024 * 1024;

export class Resources {
  readonly #options: RegistryOptions;
  /** Of all kinds together. */
  readonly #texts: HotTexts | undefined;
  readonly #groupVersions = new Map<string, GroupVersionDefinition>();
  readonly #served = new Map<string, ServedResource>();
  readonly #kinds = new Map<string, StoredKind>();
  readonly #registries = new Map<ResourceDefinition, Registry>();
  readonly #changes = new Listeners<ResourcesChange>();
  /** Made on first use after a change. */
  #sorted: readonly GroupVersionDefinition[] | undefined;
  #groups: ReadonlySet<string> | undefined;
  #builtIn: ReadonlySet<string> | undefined;

  constructor(options: RegistryOptions) {
    this.#options = options;
    const { mapped } = options.store;
    this.#texts = mapped && new HotTexts(mapped, options.hotTextBytes ?? defaultHotTextBytes);
  }

  /** Calls back after each change, when the table shows it already. */
  onChange(listener: (change: ResourcesChange) => void): { close(): void } {
    return this.#changes.add(listener);
  }

  /** Group-versions in discovery order. */
  get groupVersions(): readonly GroupVersionDefinition[] {
    this.#sorted ??= [...this.#groupVersions.values()].sort(inDiscoveryOrder);
    return this.#sorted;
  }

  findGroupVersion(group: string, version: string): GroupVersionDefinition | undefined {
    return this.#groupVersions.get(formatApiVersion({ group, version }));
  }

  /** Serves a group-version; one that was served before is replaced, and of its resources those that differ. */
  serve(groupVersion: GroupVersionDefinition): void {
    this.update([groupVersion], []);
  }

  /** Several at once, so that nothing half-changed is ever seen: a kind may move its stored version from one to another. */
  update(serve: readonly GroupVersionDefinition[], remove: readonly GroupVersionDefinition[]): void {
    const before = new Set(
      [...serve, ...remove].flatMap(({ group, version }) => this.findGroupVersion(group, version)?.resources ?? []),
    );
    const after = new Set(serve.flatMap(({ resources }) => resources));
    const removed = [...before].filter((definition) => !after.has(definition));
    const added = [...after].filter((definition) => !before.has(definition));
    for (const gone of remove) this.#groupVersions.delete(formatApiVersion(gone));
    for (const groupVersion of serve) this.#groupVersions.set(formatApiVersion(groupVersion), groupVersion);
    this.#sorted = undefined;
    this.#groups = undefined;
    this.#builtIn = undefined;
    this.#exchange(removed, added);
    this.#changes.call({ removed, added });
  }

  /** Makes stored objects of a group-version readable, whether it is served or not. */
  registerReadable({ resources }: GroupVersionDefinition): void {
    for (const definition of resources) this.#learn(definition);
    this.#lookAgain(resources);
  }

  /** The opposite: what is stored in these versions can no longer be read. */
  forget({ resources }: GroupVersionDefinition): void {
    for (const definition of resources) this.#unlearn(definition);
    this.#closeEmptyKinds();
    this.#lookAgain(resources);
  }

  /** All known versions of a kind. */
  versionsOf(definition: ResourceDefinition): KindVersions {
    return this.#kindOf(definition).versions;
  }

  hasGroup(group: string): boolean {
    this.#groups ??= new Set([...this.#groupVersions.values()].map((one) => one.group));
    return this.#groups.has(group);
  }

  /** Whether some version of the group is built in: what it lacks is told then as what the API does not have. */
  hasBuiltIn(group: string): boolean {
    this.#builtIn ??= new Set(
      [...this.#groupVersions.values()]
        .filter(({ resources }) => resources.some(({ type }) => isBuiltIn(type)))
        .map((one) => one.group),
    );
    return this.#builtIn.has(group);
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#served.get(resourceKey(group, version, plural));
  }

  /** The registry of each kind that is stored, of all its versions the one it is stored in. */
  *storedKinds(): Iterable<Registry> {
    const seen = new Set<StoredKind>();
    for (const { definition } of this.#served.values()) {
      const kind = this.#kindOf(definition);
      if (definition.action !== undefined || definition.computed !== undefined || seen.has(kind)) continue;
      seen.add(kind);
      yield this.#registry(kind.versions.stored);
    }
  }

  /** What is kept below a prefix, in the version it is stored in, whether that is served or not. */
  storedAt(storagePrefix: string): Registry | undefined {
    const kind = this.#kinds.get(storagePrefix);
    return kind && this.#registry(kind.versions.stored);
  }

  /** The store has compacted its history up to a revision: no watch gets what happened before. */
  trimHistory(compacted: Revision): void {
    for (const { cache } of this.#kinds.values()) cache.trimHistory(compacted);
  }

  /** Those that were used. */
  openRegistries(): Iterable<Registry> {
    return this.#registries.values();
  }

  all(): Iterable<ServedResource> {
    return this.#served.values();
  }

  close(): void {
    for (const kind of this.#kinds.values()) kind.close();
  }

  #exchange(removed: readonly ResourceDefinition[], added: readonly ResourceDefinition[]): void {
    const retired = removed.map((definition) => ({ definition, registry: this.#registries.get(definition) }));
    for (const definition of removed) {
      this.#served.delete(keyOf(definition));
      this.#unlearn(definition);
    }
    for (const definition of added) {
      this.#learn(definition);
      this.#served.set(keyOf(definition), this.#serve(definition));
    }
    for (const { definition, registry } of retired) registry?.retire(this.#successorOf(definition));
    this.#closeEmptyKinds();
    this.#lookAgain([...removed, ...added]);
  }

  #lookAgain(changed: readonly ResourceDefinition[]): void {
    for (const prefix of new Set(changed.map(({ storagePrefix }) => storagePrefix)))
      this.#kinds.get(prefix)?.lookAgain();
  }

  /** Watches go on with the definition that is served in place of the old one. */
  #successorOf(definition: ResourceDefinition): Registry | undefined {
    const served = this.#served.get(keyOf(definition));
    const isSameKind = served?.definition.storagePrefix === definition.storagePrefix;
    return isSameKind && served.definition.namespaced === definition.namespaced ? served.registry : undefined;
  }

  #learn(definition: ResourceDefinition): void {
    const { versions, cache } = this.#kindOf(definition);
    const before = versions.find(formatApiVersion(definition));
    versions.add(definition);
    cache.forgetIndexes();
    // one that is still served is retired when it goes: its watches end then
    const isServed = before !== undefined && this.#served.get(keyOf(before))?.definition === before;
    if (before !== undefined && before !== definition && !isServed) this.#registries.delete(before);
  }

  #unlearn(definition: ResourceDefinition): void {
    this.#kinds.get(definition.storagePrefix)?.versions.remove(definition);
    this.#registries.delete(definition);
  }

  #closeEmptyKinds(): void {
    for (const [prefix, kind] of this.#kinds) {
      if (!kind.versions.isEmpty) continue;
      this.#kinds.delete(prefix);
      kind.close();
    }
  }

  #serve(definition: ResourceDefinition): ServedResource {
    const subresources = new Map(definition.subresources?.map((sub) => [sub.name, sub]));
    const registryOf = (wanted: ResourceDefinition) => this.#registry(wanted);
    return {
      definition,
      get registry() {
        return registryOf(definition);
      },
      subresource: (name) => subresources.get(name),
    };
  }

  #kindOf({ storagePrefix }: ResourceDefinition): StoredKind {
    let kind = this.#kinds.get(storagePrefix);
    if (kind === undefined) {
      kind = new StoredKind(storagePrefix, new KindVersions(this.#options.dialect), this.#options, this.#texts);
      this.#kinds.set(storagePrefix, kind);
    }
    return kind;
  }

  #registry(definition: ResourceDefinition): Registry {
    let registry = this.#registries.get(definition);
    if (registry === undefined) {
      registry = new Registry(definition, this.#kindOf(definition), this.#options);
      this.#registries.set(definition, registry);
    }
    return registry;
  }
}

function inDiscoveryOrder(a: GroupVersionDefinition, b: GroupVersionDefinition): number {
  return (
    b.priority.group - a.priority.group ||
    (a.group < b.group ? -1 : a.group > b.group ? 1 : 0) ||
    b.priority.version - a.priority.version ||
    compareVersions(a.version, b.version)
  );
}

const resourceKey = (group: string, version: string, plural: string) => `${group}/${version}/${plural}`;
const keyOf = ({ group, version, plural }: ResourceDefinition) => resourceKey(group, version, plural);
