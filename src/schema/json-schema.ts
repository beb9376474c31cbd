// Types as JSON schemas, in the two flavours that OpenAPI 2 and 3 use.

import { type DialectNames, inOwnWords } from '../meta/dialect.ts';
import type { ObjectType } from './object-type.ts';
import { publishObject } from './structural/open-api.ts';
import type { StructuralType } from './structural/structural-type.ts';
import type { Field, ScalarName, SchemaType, StructType } from './types.ts';

interface SchemaFlavour {
  readonly version: 2 | 3;
  readonly dialect: DialectNames;
}

export type JsonSchema = Record<string, unknown>;

const scalars: Readonly<Record<ScalarName, JsonSchema>> = {
  string: { type: 'string' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  bool: { type: 'boolean' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  'date-time': { type: 'string', format: 'date-time' },
  'micro-time': { type: 'string', format: 'date-time' },
  quantity: { type: 'string' },
  'int-or-string': { type: 'string', format: 'int-or-string' },
  'raw-extension': { type: 'object' },
  'any-json': {},
  'fields-v1': { type: 'object' },
};

/** Scalars that documents describe once and refer to by name. */
const namedScalars: Partial<Readonly<Record<ScalarName, { home: string; name: string; about: string }>>> = {
  'date-time': { home: 'meta/v1', name: 'Time', about: 'A moment in RFC 3339 form, to the second.' },
  'micro-time': { home: 'meta/v1', name: 'MicroTime', about: 'A moment in RFC 3339 form, to the microsecond.' },
  quantity: {
    home: 'resource',
    name: 'Quantity',
    about: 'An amount: a decimal number with an optional unit such as m, k, M, G, Ki, Mi or Gi.',
  },
  'int-or-string': { home: 'intstr', name: 'IntOrString', about: 'A whole number or a text.' },
  'raw-extension': { home: 'runtime', name: 'RawExtension', about: 'An object of any kind.' },
  'any-json': { home: 'apiextensions/v1', name: 'JSON', about: 'Any JSON value.' },
  'fields-v1': { home: 'meta/v1', name: 'FieldsV1', about: 'A set of fields, as a tree of their names.' },
};

/** Where the types of a home are found below the reversed domain. */
const packages: Readonly<Record<string, string>> = {
  meta: 'apimachinery.pkg.apis.meta',
  resource: 'apimachinery.pkg.api.resource',
  intstr: 'apimachinery.pkg.util.intstr',
  runtime: 'apimachinery.pkg.runtime',
  version: 'apimachinery.pkg.version',
  apiextensions: 'apiextensions-apiserver.pkg.apis.apiextensions',
  apiregistration: 'kube-aggregator.pkg.apis.apiregistration',
};

/** `io.k8s.api.core.v1.ConfigMap`: the domain reversed, then where the type is at home. */
export function schemaName(type: Pick<ObjectType, 'is' | 'home' | 'name'>, dialect: DialectNames): string {
  if (type.is === 'structural') return structuralName(type);
  return declaredName(type, dialect);
}

/** `com.example.v1.CronTab`: the group reversed, then the version. */
function structuralName({ home, name }: Pick<ObjectType, 'home' | 'name'>): string {
  const [group = '', version = ''] = home.split('/');
  return [...group.split('.').reverse(), version, name].join('.');
}

function declaredName({ home, name }: Pick<ObjectType, 'home' | 'name'>, dialect: DialectNames): string {
  const root = dialect.apiDomain.split('.').reverse();
  const [group = '', ...version] = home.split('/');
  // the group of the same name has versions, the package of quantities has none
  const place = group === 'resource' && version.length > 0 ? undefined : packages[group];
  return [...root, inOwnWords(dialect, place ?? `api.${group}`), ...version, name].join('.');
}

const zeros: Partial<Readonly<Record<ScalarName, unknown>>> = { string: '', int32: 0, int64: 0, bool: false };

/** Collects the schemas of types, and of every type they mention. */
export class SchemaCollector {
  readonly schemas: Record<string, JsonSchema> = {};
  readonly #flavour: SchemaFlavour;

  constructor(flavour: SchemaFlavour) {
    this.#flavour = flavour;
  }

  /** A reference to the type's schema. `extra` is added to the schema itself. */
  refer(type: ObjectType, extra: JsonSchema = {}, topLevel = false): JsonSchema {
    const name = schemaName(type, this.#flavour.dialect);
    const known = Object.hasOwn(this.schemas, name) ? this.schemas[name] : undefined;
    // entered before its fields are described: types may contain themselves
    const schema: JsonSchema = known ?? {};
    this.schemas[name] = schema;
    if (known === undefined) Object.assign(schema, this.#describeObject(type, topLevel));
    // what was met inside of something else may be its own kind too
    else if (topLevel && type.is === 'struct')
      schema['properties'] = { ...typeMeta, ...(schema['properties'] as object | undefined) };
    Object.assign(schema, extra);
    return this.#reference(name);
  }

  #describeObject(type: ObjectType, topLevel: boolean): JsonSchema {
    if (type.is === 'struct') return this.#describe(type, topLevel);
    return type.items === undefined ? this.#describeCustom(type) : this.#describeCustomList(type, type.items);
  }

  #describeCustom({ schema, meta }: StructuralType): JsonSchema {
    const metadata = {
      ...this.#wrap(this.refer(meta)),
      description: "Standard object's metadata: its name, labels and whatever else every object has.",
    };
    return publishObject(schema, { ...this.#flavour, typeMeta, metadata });
  }

  #describeCustomList({ about, meta }: StructuralType, items: StructuralType): JsonSchema {
    const metadata = { ...this.#wrap(this.refer(meta)), description: 'Standard list metadata.' };
    const list = { description: 'The objects.', type: 'array', items: this.refer(items) };
    const properties = { ...typeMeta, items: list, metadata };
    return { description: about, type: 'object', required: ['items'], properties };
  }

  #describe(type: StructType, topLevel: boolean): JsonSchema {
    const properties: Record<string, JsonSchema> = topLevel || type.embedded ? { ...typeMeta } : {};
    for (const field of type.fields) properties[field.name] = this.#property(field);
    const required = type.fields.filter((field) => field.required).map((field) => field.name);
    return {
      description: type.about,
      type: 'object',
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required }),
      ...(type.mapType ? this.#extension('map-type', type.mapType) : {}),
    };
  }

  #property(field: Field): JsonSchema {
    return {
      ...(field.about ? { description: field.about } : {}),
      ...this.#typeOf(field.type, field.enum),
      ...this.#default(field),
      ...(field.listType ? this.#extension('list-type', field.listType) : {}),
      ...(field.mapKeys ? this.#extension('list-map-keys', field.mapKeys) : {}),
      ...(field.mapType ? this.#extension('map-type', field.mapType) : {}),
      ...(field.patchStrategy ? this.#extension('patch-strategy', field.patchStrategy) : {}),
      ...(field.patchMergeKey ? this.#extension('patch-merge-key', field.patchMergeKey) : {}),
    };
  }

  /** What is written anyway when nothing is given is the default; documents of version 2 keep the real ones only. */
  #default(field: Field): JsonSchema {
    if (field.default !== undefined) return { default: field.default };
    if (this.#flavour.version === 2 || field.pointer) return {};
    if (field.type.is === 'struct') return { default: {} };
    const zero = field.type.is === 'scalar' && field.always ? zeros[field.type.name] : undefined;
    return zero === undefined ? {} : { default: zero };
  }

  /** The values that are allowed are those of the elements, where there are some. */
  #typeOf(type: SchemaType, allowed?: Field['enum']): JsonSchema {
    const limit = allowed ? { enum: allowed } : {};
    switch (type.is) {
      case 'scalar':
        return { ...this.#scalar(type.name), ...limit };
      case 'list':
        return { type: 'array', items: alone({ ...this.#element(type.of), ...limit }) };
      case 'map':
        return { type: 'object', additionalProperties: alone({ ...this.#element(type.of), ...limit }) };
      case 'struct':
        return this.#wrap(this.refer(type));
      case 'union':
        return this.#wrap(this.#named(type, {}));
    }
  }

  /** Elements of lists and maps have their zero as default. */
  #element(type: SchemaType): JsonSchema {
    return { ...this.#typeOf(type), ...this.#default({ name: '', number: 0, type, always: true }) };
  }

  #scalar(name: ScalarName): JsonSchema {
    const known = namedScalars[name];
    return known === undefined ? scalars[name] : this.#wrap(this.#named(known, this.#scalarSchema(name)));
  }

  #scalarSchema(name: ScalarName): JsonSchema {
    if (this.#flavour.version === 2) return scalars[name];
    if (name === 'int-or-string') return { oneOf: [{ type: 'integer' }, { type: 'string' }], format: name };
    return name === 'quantity' ? { oneOf: [{ type: 'string' }, { type: 'number' }] } : scalars[name];
  }

  /** OpenAPI 3 lets nothing stand next to a reference. */
  #wrap(reference: JsonSchema): JsonSchema {
    return this.#flavour.version === 2 ? reference : { allOf: [reference] };
  }

  #named(type: { home: string; name: string; about: string }, schema: JsonSchema): JsonSchema {
    const name = schemaName({ ...type, is: 'struct' }, this.#flavour.dialect);
    this.schemas[name] ??= { description: type.about, ...schema };
    return this.#reference(name);
  }

  #reference(name: string): JsonSchema {
    return { $ref: `#/${this.#flavour.version === 2 ? 'definitions' : 'components/schemas'}/${name}` };
  }

  #extension(name: string, value: unknown): JsonSchema {
    return { [extensionName(this.#flavour.dialect, name)]: value };
  }
}

/** A reference without anything next to it needs no wrapping. */
function alone(schema: JsonSchema): JsonSchema {
  const { allOf } = schema as { readonly allOf?: readonly JsonSchema[] };
  return allOf !== undefined && Object.keys(schema).length === 1 ? (allOf[0] as JsonSchema) : schema;
}

export function extensionName(dialect: DialectNames, name: string): string {
  return `x-${dialect.vendor}-${name}`;
}

const typeMeta: Readonly<Record<string, JsonSchema>> = {
  apiVersion: {
    description: 'APIVersion defines the group and version that this object is written in.',
    type: 'string',
  },
  kind: { description: 'What this object is. Cannot be changed.', type: 'string' },
};
