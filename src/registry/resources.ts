// Everything that is served: group-versions, their resources, and the registry behind each.

import { formatApiVersion } from '../meta/group-version.ts';
import type { GroupVersionDefinition, ResourceDefinition, SubresourceDefinition } from '../schema/resource.ts';
import { Registry, type RegistryOptions } from './registry.ts';
import { KindVersions } from './versions.ts';

export interface ServedResource {
  readonly definition: ResourceDefinition;
  /** Made on first use. */
  readonly registry: Registry;
  subresource(name: string): SubresourceDefinition | undefined;
}

export class Resources {
  readonly #options: RegistryOptions;
  readonly #groups = new Set<string>();
  readonly #groupVersions = new Map<string, GroupVersionDefinition>();
  readonly #served = new Map<string, ServedResource>();
  readonly #versions = new Map<string, KindVersions>();
  readonly #registries = new Map<ResourceDefinition, Registry>();
  /** Grows with every change, so that documents built from this know when they are stale. */
  #generation = 0;

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Group-versions in discovery order. */
  get groupVersions(): readonly GroupVersionDefinition[] {
    return [...this.#groupVersions.values()].sort(
      (a, b) =>
        b.priority.group - a.priority.group ||
        (a.group < b.group ? -1 : a.group > b.group ? 1 : b.priority.version - a.priority.version),
    );
  }

  /** Serves a group-version. */
  install(groupVersion: GroupVersionDefinition): void {
    this.#generation++;
    this.#groups.add(groupVersion.group);
    this.#groupVersions.set(formatApiVersion(groupVersion), groupVersion);
    this.know(groupVersion);
    for (const definition of groupVersion.resources) {
      this.#served.set(resourceKey(definition.group, definition.version, definition.plural), this.#serve(definition));
    }
  }

  /** Makes stored objects of a group-version readable, whether it is served or not. */
  know(groupVersion: GroupVersionDefinition): void {
    for (const definition of groupVersion.resources) this.versionsOf(definition).add(definition);
  }

  /** All known versions of a kind. */
  versionsOf({ storagePrefix }: ResourceDefinition): KindVersions {
    let versions = this.#versions.get(storagePrefix);
    if (versions === undefined) {
      versions = new KindVersions(this.#options.dialect);
      this.#versions.set(storagePrefix, versions);
    }
    return versions;
  }

  hasGroup(group: string): boolean {
    return this.#groups.has(group);
  }

  hasGroupVersion(group: string, version: string): boolean {
    return this.#groupVersions.has(formatApiVersion({ group, version }));
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#served.get(resourceKey(group, version, plural));
  }

  /** The registry of each kind that is stored, of all its versions the one it is stored in. */
  *storedKinds(): Iterable<Registry> {
    const seen = new Set<KindVersions>();
    for (const { definition } of this.#served.values()) {
      const versions = this.versionsOf(definition);
      if (definition.action !== undefined || definition.computed !== undefined || seen.has(versions)) continue;
      seen.add(versions);
      yield this.#registry(versions.stored);
    }
  }

  /** Those that somebody has used. */
  openRegistries(): Iterable<Registry> {
    return this.#registries.values();
  }

  all(): Iterable<ServedResource> {
    return this.#served.values();
  }

  close(): void {
    for (const registry of this.#registries.values()) registry.cache.close();
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

  #registry(definition: ResourceDefinition): Registry {
    let registry = this.#registries.get(definition);
    if (registry === undefined) {
      registry = new Registry(definition, this.versionsOf(definition), this.#options);
      this.#registries.set(definition, registry);
    }
    return registry;
  }
}

const resourceKey = (group: string, version: string, plural: string) => `${group}/${version}/${plural}`;
