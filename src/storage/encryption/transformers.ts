// Which transformer is for a key of the store: the configuration speaks of resources, keys begin with a prefix of each.

import { type EncryptionProvider, plainTransformer, Transformer } from './transformer.ts';

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** What one entry of a configuration says; `*` stands for every resource of a group, or for every group. */
export interface EncryptionRule {
  readonly resources: readonly GroupResource[];
  readonly providers: readonly EncryptionProvider[];
}

const anything = nameOf({ group: '*', resource: '*' });

export class Transformers {
  readonly #byResource = new Map<string, Transformer>();

  /** An entry for a resource that has one already adds its providers: they only read. */
  constructor(rules: readonly EncryptionRule[]) {
    const providers = new Map<string, EncryptionProvider[]>();
    for (const rule of rules)
      for (const resource of rule.resources) {
        const known = providers.get(nameOf(resource)) ?? [];
        providers.set(nameOf(resource), [...known, ...rule.providers]);
      }
    for (const [name, all] of providers) this.#byResource.set(name, new Transformer(all));
  }

  for({ group, resource }: GroupResource): Transformer {
    return (
      this.#byResource.get(nameOf({ group, resource })) ??
      this.#byResource.get(nameOf({ group, resource: '*' })) ??
      this.#byResource.get(anything) ??
      plainTransformer
    );
  }
}

function nameOf({ group, resource }: GroupResource): string {
  return `${resource}.${group}`;
}

/** Records beside the objects, which belong to the group without a name. */
const records: readonly (readonly [string, string])[] = [
  ['masterleases', 'apiServerIPInfo'],
  ['ranges/serviceips', 'serviceipallocations'],
  ['ranges/secondaryserviceips', 'serviceipallocations'],
  ['ranges/servicenodeports', 'servicenodeportallocations'],
];

/** The resource of a key, by where built-in resources are kept; what is kept elsewhere is custom. */
export class KeyedResources {
  readonly #byPrefix: ReadonlyMap<string, GroupResource>;

  /** Of several resources with one prefix the first counts: it is the one that kube-apiserver stores. */
  constructor(builtIn: readonly (GroupResource & { readonly prefix: string })[]) {
    const byPrefix = new Map<string, GroupResource>();
    for (const [prefix, resource] of records) byPrefix.set(prefix, { group: '', resource });
    for (const { prefix, group, resource } of builtIn)
      if (!byPrefix.has(prefix)) byPrefix.set(prefix, { group, resource });
    this.#byPrefix = byPrefix;
  }

  of(key: string): GroupResource {
    const [, first = '', second = ''] = key.split('/', 3);
    return this.#byPrefix.get(`${first}/${second}`) ?? this.#byPrefix.get(first) ?? { group: first, resource: second };
  }
}
