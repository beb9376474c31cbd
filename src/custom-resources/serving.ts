// Custom resources in the live table of everything that is served: each definition whose names were accepted is there, in the
// versions it serves, from the moment it is stored until it is gone.

import type { CustomResourceDefinition } from '../groups/apiextensions/v1/custom-resource-definition-type.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resources } from '../registry/resources.ts';
import type { GroupVersionDefinition, ResourceDefinition } from '../schema/resource.ts';
import type { Verb } from '../schema/verbs.ts';

interface ServingOptions {
  readonly resources: Resources;
  /** What the server has without any definition, served or not. */
  readonly builtIn: readonly GroupVersionDefinition[];
  /** Every version of a custom resource, one of which is stored. */
  build(definition: CustomResourceDefinition): readonly ResourceDefinition[];
  /** What is served of a definition has changed, and with it what is told of it. */
  onServed?(name: string, before: readonly ResourceDefinition[], after: readonly ResourceDefinition[]): void;
  /** A definition could not be served. */
  onError(name: string, error: unknown): void;
}

/** What is known of one definition. */
interface Known {
  /** Differs when what is served has to differ. */
  readonly mark: string;
  readonly served: readonly ResourceDefinition[];
  /** Versions in which objects may be stored although they are not served. */
  readonly readable: readonly ResourceDefinition[];
}

const nothing: Known = { mark: '', served: [], readable: [] };
const terminatingText = 'create not allowed while custom resource definition is terminating';

/** Custom resources come after what is built in, the newest stable version of a group first. */
const priority = { group: 1000, version: 100 };

export class CustomResourceServing {
  readonly #options: ServingOptions;
  readonly #known = new Map<string, Known>();
  /** What is served of each group-version, by the name of its definition. */
  readonly #tables = new Map<string, Map<string, ResourceDefinition>>();
  readonly #ownGroupVersions: ReadonlySet<string>;
  readonly #ownPrefixes: ReadonlySet<string>;
  readonly #ownPriorities: ReadonlyMap<string, number>;

  constructor(options: ServingOptions) {
    const { builtIn } = options;
    this.#options = options;
    this.#ownGroupVersions = new Set(builtIn.map(formatApiVersion));
    this.#ownPrefixes = new Set(builtIn.flatMap((gv) => gv.resources.map((definition) => definition.storagePrefix)));
    this.#ownPriorities = new Map(builtIn.map((gv) => [gv.group, gv.priority.group]));
  }

  /** Definitions that are new or have changed; all at once, so that a thousand cost little more than one. */
  put(definitions: readonly CustomResourceDefinition[]): void {
    const changes = definitions.flatMap((definition) => {
      const name = definition.metadata.name ?? '';
      const mark = markOf(definition);
      return this.#known.get(name)?.mark === mark ? [] : [{ name, next: this.#learn(definition, mark) }];
    });
    this.#change(changes);
  }

  remove(name: string): void {
    if (this.#known.has(name)) this.#change([{ name, next: nothing }]);
  }

  /** Everything that is not among `names` is gone. */
  keepOnly(names: ReadonlySet<string>): void {
    this.#change([...this.#known.keys()].filter((name) => !names.has(name)).map((name) => ({ name, next: nothing })));
  }

  /** Whether objects of a built-in resource are kept where those of a definition would be. */
  overlapsBuiltIn({ spec }: CustomResourceDefinition): boolean {
    return this.#ownPrefixes.has(`${spec?.group}/${spec?.names?.plural}`);
  }

  /** The objects of a definition, in the version they are stored in. */
  objectsOf({ metadata }: CustomResourceDefinition): Registry | undefined {
    const { served, readable } = this.#known.get(metadata.name ?? '') ?? nothing;
    const [any] = [...served, ...readable];
    return any && this.#options.resources.storedAt(any.storagePrefix);
  }

  #learn(definition: CustomResourceDefinition, mark: string): Known {
    if (!isNamed(definition) || this.overlapsBuiltIn(definition)) return { ...nothing, mark };
    try {
      return { mark, ...this.#versionsOf(definition) };
    } catch (error) {
      this.#options.onError(definition.metadata.name ?? '', error);
      return { ...nothing, mark };
    }
  }

  #versionsOf(definition: CustomResourceDefinition): Omit<Known, 'mark'> {
    const { spec = {}, status } = definition;
    const named = { ...definition, spec: { ...spec, names: { ...spec.names, ...status?.acceptedNames } } };
    const all = this.#options.build(named as CustomResourceDefinition);
    const shown = all.map((one) => withHabits(one, definition));
    const names = new Set((spec.versions ?? []).filter(({ served }) => served).map(({ name }) => name));
    // compat: what is built in answers for its group-versions alone
    const isServed = (one: ResourceDefinition) =>
      names.has(one.version) && !this.#ownGroupVersions.has(formatApiVersion(one));
    return { served: shown.filter(isServed), readable: shown.filter((one) => !isServed(one)) };
  }

  #change(changes: readonly { readonly name: string; readonly next: Known }[]): void {
    if (changes.length === 0) return;
    const { resources } = this.#options;
    const before = changes.map(({ name }) => this.#known.get(name) ?? nothing);
    const touched = new Set<string>();
    changes.forEach(({ name, next }, index) => {
      if (next === nothing) this.#known.delete(name);
      else this.#known.set(name, next);
      for (const old of before[index]?.served ?? []) this.#take(old, name, touched);
      for (const added of next.served) this.#give(added, name, touched);
    });
    // before what takes their place is gone: a kind without any version loses its cache
    resources.registerReadable(asGroupVersion(changes.flatMap(({ next }) => next.readable)));
    const after = [...touched].map((apiVersion) => this.#groupVersion(apiVersion));
    resources.update(
      after.filter((gv) => gv.resources.length > 0),
      after.filter((gv) => gv.resources.length === 0),
    );
    resources.forget(asGroupVersion(before.flatMap(({ readable }) => readable)));
    changes.forEach(({ name, next }, index) => {
      this.#options.onServed?.(name, before[index]?.served ?? [], next.served);
    });
  }

  #take(definition: ResourceDefinition, name: string, touched: Set<string>): void {
    const apiVersion = formatApiVersion(definition);
    this.#tables.get(apiVersion)?.delete(name);
    touched.add(apiVersion);
  }

  #give(definition: ResourceDefinition, name: string, touched: Set<string>): void {
    const apiVersion = formatApiVersion(definition);
    const table = this.#tables.get(apiVersion) ?? new Map<string, ResourceDefinition>();
    this.#tables.set(apiVersion, table.set(name, definition));
    touched.add(apiVersion);
  }

  #groupVersion(apiVersion: string): GroupVersionDefinition {
    const [group = '', version = ''] = apiVersion.split('/');
    const table = this.#tables.get(apiVersion) ?? new Map<string, ResourceDefinition>();
    if (table.size === 0) this.#tables.delete(apiVersion);
    const resources = [...table.values()].sort((a, b) => (a.plural < b.plural ? -1 : 1));
    return { group, version, resources, priority: { ...priority, group: this.#groupPriority(group) } };
  }

  /** A version that is added to a built-in group stands with the others of it. */
  #groupPriority(group: string): number {
    return this.#ownPriorities.get(group) ?? priority.group;
  }
}

/** compat: custom resources name their verbs in this order */
const verbs: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** What holds for all custom resources, whatever their schemas say. */
function withHabits(resource: ResourceDefinition, definition: CustomResourceDefinition): ResourceDefinition {
  return {
    ...resource,
    verbs,
    quirks: { ...resource.quirks, plainFinalizers: true, refusesByName: true },
    ...(isHeldUp(definition) ? { undiscovered: true } : {}),
    ...(isTerminating(definition) ? { refusesNew: terminatingText } : {}),
  };
}

/** The table asks of versions that are only read for nothing but their resources. */
const asGroupVersion = (resources: readonly ResourceDefinition[]): GroupVersionDefinition => ({
  group: '',
  version: '',
  priority,
  resources,
});

const holds = ({ status }: CustomResourceDefinition, wanted: string) =>
  (status?.conditions ?? []).some((condition) => condition.type === wanted && condition.status === 'True');

const isTerminating = (definition: CustomResourceDefinition) => holds(definition, 'Terminating');

/** Served as soon as the names are known: who sees that it is established finds it served. */
const isNamed = (definition: CustomResourceDefinition) =>
  holds(definition, 'NamesAccepted') || holds(definition, 'Established');

/** compat: a definition with a CA bundle that is none answers, but is not discovered */
const isHeldUp = ({ status }: CustomResourceDefinition) =>
  (status?.conditions ?? []).some(
    ({ type, status, reason }) => type === 'Established' && status === 'False' && reason === 'InvalidCABundle',
  );

function markOf(definition: CustomResourceDefinition): string {
  const { metadata, status } = definition;
  const names = JSON.stringify(status?.acceptedNames ?? {});
  const conditions = [isNamed, isHeldUp, isTerminating].map((holds) => holds(definition));
  return [metadata.uid, metadata.generation, ...conditions, names].join(' ');
}
