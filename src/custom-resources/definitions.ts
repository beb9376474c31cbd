// Resources that a CustomResourceDefinition defines, as every other resource is defined. Nothing is compiled here: schemas
// are read when the first object meets them.

import type { JsonValue } from '../base/json/json.ts';
import { asRuled } from '../groups/apiextensions/spelling.ts';
import type { CustomResourceDefinition } from '../groups/apiextensions/v1/custom-resource-definition-type.ts';
import { objectMeta } from '../groups/meta/v1/types.ts';
import type { Dialect } from '../meta/dialect.ts';
import { checkSubdomain } from '../meta/names.ts';
import type { ApiObject } from '../meta/object.ts';
import type { BatchConversion, Conversion, ResourceDefinition } from '../schema/resource.ts';
import type { Schema } from '../schema/structural/schema.ts';
import { withSoundDefaults } from '../schema/structural/sound-defaults.ts';
import type { StructuralType } from '../schema/structural/structural-type.ts';
import type { SubresourceDefinition } from '../schema/subresource.ts';
import { allVerbs } from '../schema/verbs.ts';
import { customColumns } from './columns.ts';
import { type CustomVersion, deprecationOf } from './deprecation.ts';
import { type JsonPath, parseJsonPath } from './json-path.ts';
import { customScale } from './scale.ts';
import { type CustomStrategy, customStrategy } from './strategy.ts';

interface CustomDefinitionOptions {
  readonly dialect: Dialect;
  /** Converts between versions; without it, objects of all versions have one shape. */
  readonly conversion?: BatchConversion;
}

/** One resource for each version, in the order of the definition; those that are not served are for reading what is stored. */
export function customDefinitions(
  crd: CustomResourceDefinition,
  options: CustomDefinitionOptions,
): readonly ResourceDefinition[] {
  const ruled = asRuled(crd, options.dialect);
  return (ruled.spec?.versions ?? []).map((version) => new CustomResource(ruled, version, options).definition);
}

type Names = NonNullable<NonNullable<CustomResourceDefinition['spec']>['names']>;

/** Names that were accepted; those that are asked for while nothing was decided. */
function namesOf({ spec, status }: CustomResourceDefinition): Names {
  const accepted = status?.acceptedNames;
  return accepted?.plural ? accepted : (spec?.names ?? {});
}

class CustomResource {
  readonly #crd: CustomResourceDefinition;
  readonly #version: CustomVersion;
  readonly #conversion: BatchConversion | undefined;
  readonly #dialect: Dialect;

  constructor(crd: CustomResourceDefinition, version: CustomVersion, options: CustomDefinitionOptions) {
    this.#crd = crd;
    this.#version = version;
    this.#conversion = options.conversion;
    this.#dialect = options.dialect;
  }

  get definition(): ResourceDefinition {
    const { group = '', scope } = this.#crd.spec ?? {};
    const { plural = '', singular = '', kind = '', listKind, shortNames, categories } = namesOf(this.#crd);
    const rules = customStrategy({ schema: this.#schema, scale: this.#version.subresources?.scale });
    const hasStatus = this.#version.subresources?.status !== undefined;
    const deprecated = deprecationOf(this.#version, this.#crd.spec ?? {});
    return {
      group,
      version: this.#version.name ?? '',
      kind,
      plural,
      singular: singular || kind.toLowerCase(),
      namespaced: scope === 'Namespaced',
      verbs: allVerbs,
      storagePrefix: `${group}/${this.#crd.spec?.names?.plural ?? plural}`,
      type: this.#type(kind, listKind || `${kind}List`),
      checkName: checkSubdomain,
      quirks: { conditionalUpdateOnly: true },
      strategicMergePatch: false,
      generationIgnores: hasStatus ? ['status'] : [],
      resetFields: hasStatus ? ['status'] : [],
      ...this.#selectable,
      columns: customColumns(this.#version.additionalPrinterColumns, this.#dialect),
      strategy: rules.strategy,
      subresources: this.#subresources(rules),
      ...(listKind ? { listKind } : {}),
      ...(shortNames ? { shortNames } : {}),
      ...(categories ? { categories } : {}),
      ...(deprecated ? { deprecated } : {}),
      ...this.#converting,
    };
  }

  get #schema(): Schema {
    return (this.#version.schema?.openAPIV3Schema ?? {}) as Schema;
  }

  #type(kind: string, listName: string): StructuralType {
    const { group = '', preserveUnknownFields } = this.#crd.spec ?? {};
    const isKnown = this.#version.schema?.openAPIV3Schema !== undefined && preserveUnknownFields !== true;
    const about = this.#schema['description'];
    const given = isKnown ? this.#schema : undefined;
    let schema: Schema | undefined;
    return {
      is: 'structural',
      home: `${group}/${this.#version.name ?? ''}`,
      name: kind,
      listName,
      about: typeof about === 'string' ? about : '',
      meta: objectMeta,
      // looked at when the first object meets it
      get schema() {
        schema ??= given && withSoundDefaults(given, objectMeta);
        return schema;
      },
    };
  }

  #subresources({ status }: CustomStrategy): readonly SubresourceDefinition[] {
    const { status: wanted, scale } = this.#version.subresources ?? {};
    return [...(wanted === undefined ? [] : [status]), ...(scale === undefined ? [] : [customScale(scale)])];
  }

  get #selectable(): Required<Pick<ResourceDefinition, 'selectableFields' | 'selectablePath'>> {
    const fields = this.#version.selectableFields ?? [];
    const paths = new Map(fields.map(({ jsonPath = '' }) => [jsonPath.replace(/^\./, ''), jsonPath]));
    return {
      selectableFields: Object.fromEntries([...paths].map(([name, path]) => [name, readerOf(path)])),
      selectablePath: (name) => parseJsonPath(paths.get(name) ?? '').fields,
    };
  }

  /** The version that is stored needs none. */
  get #converting(): Pick<ResourceDefinition, 'conversion' | 'batchConversion'> {
    if (this.#version.storage) return {};
    return this.#conversion === undefined ? { conversion: unchanged } : { batchConversion: this.#conversion };
  }
}

/** Only kind and apiVersion differ between the versions. */
const unchanged: Conversion = { toStorage: (object) => object, fromStorage: (object) => object };

function readerOf(jsonPath: string): (object: ApiObject) => string {
  let path: JsonPath | undefined;
  return (object) => {
    path ??= parseJsonPath(jsonPath);
    const value = path(object as unknown as JsonValue);
    return value === undefined || value === null ? '' : String(value);
  };
}
