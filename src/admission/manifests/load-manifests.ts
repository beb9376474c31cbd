// Webhooks and policies that stand in files: checked as if they were created, and by their own rules. Such files need no
// other object: no service to be called, no parameters, no policy that is stored.

import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import { strictErrors } from '../../codec/strict.ts';
import { groupName } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ApiError } from '../../meta/status.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import type { AdmissionEngines, ManifestPlugin } from '../engines.ts';
import { type ManifestFiles, namingPlace, parseManifests } from './manifest-files.ts';
import { checkReferences, manifestProblem, reservedSuffix } from './manifest-rules.ts';

type Engines = Pick<AdmissionEngines, 'dialect' | 'resourceOf' | 'complete' | 'create'>;

/** Objects by the plural of their kind, in the order of their names. */
export type ManifestObjects = ReadonlyMap<string, readonly ApiObject[]>;

const kindsOf: Readonly<Record<ManifestPlugin, readonly string[]>> = {
  MutatingAdmissionWebhook: ['MutatingWebhookConfiguration'],
  ValidatingAdmissionWebhook: ['ValidatingWebhookConfiguration'],
  MutatingAdmissionPolicy: ['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'],
  ValidatingAdmissionPolicy: ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
};

/** Throws an error in words for files that cannot be used, whatever else is in them. */
export async function loadManifests(
  engines: Engines,
  plugin: ManifestPlugin,
  files: ManifestFiles,
): Promise<ManifestObjects> {
  const loader = new Loader(engines, kindsOf[plugin]);
  for (const document of await parseManifests(files)) {
    const repeated = strictErrors(document, []);
    await namingPlace(document.place, async () => {
      if (repeated.length > 0) throw new Error(`strict decoding error: ${repeated.join(', ')}`);
      await loader.add(document.value, document.place);
    });
  }
  return loader.done();
}

interface Accepted {
  readonly object: ApiObject;
  readonly definition: ResourceDefinition;
}

class Loader {
  readonly #engines: Engines;
  readonly #definitions: readonly ResourceDefinition[];
  readonly #accepted: Accepted[] = [];
  /** The file in which a name was seen, by kind and name. */
  readonly #seen = new Map<string, string>();

  constructor(engines: Engines, kinds: readonly string[]) {
    const group = groupName(engines.dialect, 'admissionregistration');
    this.#engines = engines;
    this.#definitions = kinds.flatMap((kind) => engines.resourceOf(group, 'v1', kind) ?? []);
  }

  /** An object, or a list of some. */
  async add(value: JsonValue, file: string): Promise<void> {
    if (!isJsonObject(value)) throw new Error('it holds no object');
    const items = this.#listed(value);
    if (items !== undefined) {
      for (const item of items) await this.add(item, file);
      return;
    }
    const definition = this.#definitions.find((one) => isOf(value, one, one.kind));
    if (definition === undefined) {
      const what = `${value['apiVersion'] ?? ''} ${value['kind'] ?? ''}`.trim();
      throw new Error(`unsupported resource type ${JSON.stringify(what)}`);
    }
    await this.#accept(value, definition, file);
  }

  done(): ManifestObjects {
    const byPlural = new Map<string, readonly ApiObject[]>();
    for (const { plural } of this.#definitions) {
      const own = this.#accepted.filter(({ definition }) => definition.plural === plural);
      byPlural.set(
        plural,
        own.map(({ object }) => object).sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)),
      );
    }
    const [policies, bindings] = this.#definitions.map(({ plural }) => byPlural.get(plural) ?? []);
    if (bindings !== undefined) checkReferences(policies ?? [], bindings);
    return byPlural;
  }

  #listed(value: JsonObject): readonly JsonValue[] | undefined {
    const isPlain = value['apiVersion'] === 'v1' && value['kind'] === 'List';
    if (!isPlain && !this.#definitions.some((one) => isOf(value, one, `${one.kind}List`))) return undefined;
    const { items = [] } = value as { items?: JsonValue };
    if (!Array.isArray(items)) throw new Error('items: must be a list');
    return items;
  }

  async #accept(value: JsonObject, definition: ResourceDefinition, file: string): Promise<void> {
    const { object, unknownFields } = this.#engines.complete(definition, value, undefined);
    if (unknownFields.length > 0)
      throw new Error(
        `strict decoding error: ${unknownFields.map((one) => `unknown field ${JSON.stringify(one)}`).join(', ')}`,
      );
    const { name = '' } = object.metadata;
    this.#checkName(definition.kind, name, file);
    const problem = manifestProblem(object, definition.kind, reservedSuffix(this.#engines.dialect));
    if (problem !== undefined) throw new Error(problem);
    await this.#validate(object, definition);
    this.#accepted.push({ object, definition });
  }

  #checkName(kind: string, name: string, file: string): void {
    const suffix = reservedSuffix(this.#engines.dialect);
    if (name === '') throw new Error('the object must have a name');
    if (!name.endsWith(suffix))
      throw new Error(`${JSON.stringify(name)} must have a name ending with ${JSON.stringify(suffix)}`);
    const key = `${kind} ${name}`;
    const before = this.#seen.get(key);
    if (before !== undefined)
      throw new Error(`duplicate name ${JSON.stringify(name)} (previously seen in ${JSON.stringify(before)})`);
    this.#seen.set(key, file);
  }

  /** As a create that is not carried out. */
  async #validate(object: ApiObject, { group, version, plural, kind }: ResourceDefinition): Promise<void> {
    try {
      await this.#engines.create({ group, version, resource: plural }, object, { dryRun: true });
    } catch (error) {
      // a stored object of that name means nothing here, and is found after everything else was
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 409) return;
      throw new Error(`${kind} ${JSON.stringify(object.metadata.name)}: ${error.message}`);
    }
  }
}

const isOf = (value: JsonObject, { group, version }: ResourceDefinition, kind: string): boolean =>
  value['apiVersion'] === `${group}/${version}` && value['kind'] === kind;
