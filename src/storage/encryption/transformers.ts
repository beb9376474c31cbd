// Which transformer is for a key of the store: the configuration speaks of resources, keys begin with a prefix of each.

import type { EncryptionObserver } from './encryption-observer.ts';
import type { Form } from './form.ts';
import { type CipherName, type EncryptionKey, KeyedForm } from './keyed-form.ts';
import type { PluginSettings } from './kms/plugin-settings.ts';
import { identityForm, plainTransformer, Transformer } from './transformer.ts';

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** One provider of a configuration. */
export type EncryptionProvider =
  | { readonly name: 'identity' }
  | { readonly name: CipherName; readonly keys: readonly EncryptionKey[] }
  | { readonly name: 'kms'; readonly plugin: PluginSettings };

/** One entry of a configuration; `*` stands for every resource of a group, or for every group. */
export interface EncryptionRule {
  readonly resources: readonly GroupResource[];
  readonly providers: readonly EncryptionProvider[];
}

interface TransformerParts {
  readonly observer?: EncryptionObserver;
  /** The form of a plugin's keys; not needed where no rule has a plugin. */
  readonly pluginForm?: (plugin: PluginSettings) => Form;
}

const anything = nameOf({ group: '*', resource: '*' });

export class Transformers {
  readonly #byResource = new Map<string, Transformer>();

  /** An entry for a resource that has one already adds its providers: they only read. */
  constructor(rules: readonly EncryptionRule[], parts: TransformerParts = {}) {
    const forms = new Map<string, Form[]>();
    for (const rule of rules) {
      const own = rule.providers.map((provider) => formOf(provider, parts));
      for (const resource of rule.resources) {
        const previous = forms.get(nameOf(resource)) ?? [];
        forms.set(nameOf(resource), [...previous, ...own]);
      }
    }
    for (const [name, all] of forms) this.#byResource.set(name, new Transformer(all, parts.observer));
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

function formOf(provider: EncryptionProvider, { observer, pluginForm }: TransformerParts): Form {
  if (provider.name === 'identity') return identityForm;
  if (provider.name !== 'kms') return new KeyedForm(provider.name, provider.keys, observer);
  if (pluginForm === undefined) throw new Error('there are no plugins');
  return pluginForm(provider.plugin);
}

function nameOf({ group, resource }: GroupResource): string {
  return `${resource}.${group}`;
}

/** `secrets`, `deployments.apps`. */
export const fullName = ({ group, resource }: GroupResource): string =>
  group === '' ? resource : `${resource}.${group}`;

/** Records next to the objects, which belong to the core group. */
const records: readonly (readonly [string, string])[] = [
  ['masterleases', 'apiServerIPInfo'],
  ['ranges/serviceips', 'serviceipallocations'],
  ['ranges/secondaryserviceips', 'serviceipallocations'],
  ['ranges/servicenodeports', 'servicenodeportallocations'],
];

/** The resource of a key, by the prefixes of built-in resources; other keys are of custom resources. */
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
