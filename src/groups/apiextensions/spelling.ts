// Schema keywords that plain JSON schema does not have begin with the word of a dialect. Every known word is understood; the
// one of the dialect is stored and shown; the rules look at the one of `schemaExtension`.

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../base/json/json.ts';
import { type Dialect, schemaExtension, vendors } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { FieldError } from '../../meta/status.ts';
import type { Conversion, KindDefinition } from '../../schema/resource.ts';
import type { Strategy } from '../../schema/strategy.ts';
import type { SchemaType, StructType } from '../../schema/types.ts';
import { convertedStrategy, convertedSubresource } from '../converted-kind.ts';
import { heading, withFields } from '../same-shape.ts';

/** How the keywords of a dialect begin. */
const spellingOf = (vendor: string): string => `x-${vendor}-`;
const ruled = schemaExtension('');

const single = new Set(['not', 'additionalItems', 'additionalProperties']);
const several = new Set(['allOf', 'anyOf', 'oneOf']);
const named = new Set(['properties', 'patternProperties', 'definitions', 'dependencies']);

/** A definition, of any version, with the keywords of its schemas spelled in one way; the very same one where they are. */
function respelled<T extends object>(definition: T, spelling: string, others: readonly string[]): T {
  const spec = (definition as unknown as JsonObject)['spec'];
  if (!isJsonObject(spec)) return definition;
  const speller = new Speller(spelling, others);
  const changed = speller.members(spec, (value, key) => {
    if (key === 'validation') return speller.validation(value);
    return key === 'versions' ? speller.each(value, (version) => speller.version(version)) : value;
  });
  return changed === spec ? definition : { ...definition, spec: changed };
}

class Speller {
  readonly #spelling: string;
  readonly #others: readonly string[];

  constructor(spelling: string, others: readonly string[]) {
    this.#spelling = spelling;
    this.#others = others.filter((other) => other !== spelling);
  }

  version(value: JsonValue): JsonValue {
    return this.members(value, (one, key) => (key === 'schema' ? this.validation(one) : one));
  }

  validation(value: JsonValue): JsonValue {
    return this.members(value, (one, key) => (key === 'openAPIV3Schema' ? this.schema(one) : one));
  }

  schema(value: JsonValue): JsonValue {
    const inner = this.members(value, (one, key) => {
      if (single.has(key)) return this.schema(one);
      if (key === 'items') return Array.isArray(one) ? this.each(one, (item) => this.schema(item)) : this.schema(one);
      if (several.has(key)) return this.each(one, (item) => this.schema(item));
      return named.has(key) ? this.members(one, (item) => this.schema(item)) : one;
    });
    return isJsonObject(inner) ? this.#keywords(inner) : inner;
  }

  each(value: JsonValue, change: (item: JsonValue) => JsonValue): JsonValue {
    if (!Array.isArray(value)) return value;
    const changed = value.map(change);
    return changed.every((item, index) => item === value[index]) ? value : changed;
  }

  members(value: JsonValue, change: (member: JsonValue, key: string) => JsonValue): JsonValue {
    if (!isJsonObject(value)) return value;
    let result: JsonObject | undefined;
    for (const key of Object.keys(value)) {
      const next = change(value[key] as JsonValue, key);
      if (next === value[key]) continue;
      result ??= { ...value };
      setOwn(result, key, next);
    }
    return result ?? value;
  }

  /** What another spelling says counts: it is what a patch has just added to what was there. */
  #keywords(schema: JsonObject): JsonObject {
    let result: JsonObject | undefined;
    for (const key of Object.keys(schema)) {
      const other = key.startsWith('x-') ? this.#others.find((one) => key.startsWith(one)) : undefined;
      if (other === undefined) continue;
      result ??= { ...schema };
      delete result[key];
      result[this.#spelling + key.slice(other.length)] = schema[key] as JsonValue;
    }
    return result ?? schema;
  }
}

/** The schema of a definition as the rules look at it. */
export function asRuled<T extends object>(definition: T, { vendor }: Pick<Dialect, 'vendor'>): T {
  const spelling = spellingOf(vendor);
  return spelling === ruled ? definition : respelled(definition, ruled, [spelling]);
}

/** A kind whose objects hold schemas. */
export const inEveryDialect = (kind: KindDefinition): KindDefinition => ({
  ...kind,
  inDialect: (dialect) => inDialect(kind, dialect),
});

function inDialect(kind: KindDefinition, { vendor }: Pick<Dialect, 'vendor'>): KindDefinition {
  const spelling = spellingOf(vendor);
  const others = vendors.map(spellingOf);
  const accepting = { ...kind, spelled: (value: JsonObject) => respelled(value, spelling, others) };
  return spelling === ruled ? accepting : withSpelling(accepting, spelling);
}

function withSpelling(kind: KindDefinition, spelling: string): KindDefinition {
  const conversion: Conversion = {
    toStorage: (object: ApiObject) => respelled(object, ruled, [spelling]),
    fromStorage: (object: ApiObject) => respelled(object, spelling, [ruled]),
  };
  const { strategy = {}, subresources = [] } = kind;
  return {
    ...kind,
    type: respelledType(kind.type, spelling),
    subresources: subresources.map((one) => convertedSubresource(one, conversion)),
    strategy: { ...told(convertedStrategy(strategy, conversion), spelling), ...defaultsOf(strategy) },
  };
}

/** Defaults have nothing to do with schemas. */
const defaultsOf = ({ defaults }: Strategy): Strategy => (defaults ? { defaults } : {});

/** What is wrong with a definition, in the words of its author. */
function told(strategy: Strategy, spelling: string): Strategy {
  const { validate, validateCreate, validateUpdate, validateExpressions } = strategy;
  const words = (text: string) => text.replaceAll(ruled, spelling);
  const all = (errors: readonly FieldError[]) =>
    errors.map((error) => ({ ...error, field: words(error.field), message: words(error.message) }));
  return {
    ...strategy,
    ...(validate ? { validate: (object, context) => all(validate(object, context)) } : {}),
    ...(validateCreate ? { validateCreate: (object, context) => all(validateCreate(object, context)) } : {}),
    ...(validateUpdate ? { validateUpdate: (next, old, context) => all(validateUpdate(next, old, context)) } : {}),
    ...(validateExpressions
      ? {
          validateExpressions: async (next, old, context, run) =>
            all(await validateExpressions(next, old, context, run)),
        }
      : {}),
  };
}

const types = new WeakMap<StructType, Map<string, StructType>>();

/** The type with other names for the keywords, and so has everything that it is made of. */
function respelledType(type: StructType, spelling: string): StructType {
  const made = types.get(type) ?? new Map<string, StructType>();
  types.set(type, made);
  const known = made.get(spelling) ?? (new TypeSpeller(spelling).of(type) as StructType);
  made.set(spelling, known);
  return known;
}

class TypeSpeller {
  readonly #spelling: string;
  readonly #made = new Map<SchemaType, SchemaType>();

  constructor(spelling: string) {
    this.#spelling = spelling;
  }

  of(type: SchemaType): SchemaType {
    if (type.is === 'scalar') return type;
    if (type.is === 'list' || type.is === 'map') return { ...type, of: this.of(type.of) };
    const made = this.#made.get(type) ?? this.#make(type);
    // remembered before anything inside of it is looked at: schemas contain schemas
    this.#made.set(type, made);
    return made;
  }

  #make(type: Extract<SchemaType, { is: 'struct' | 'union' }>): SchemaType {
    const speller = this;
    if (type.is === 'struct')
      return withFields(heading(type), type, (fields) =>
        fields.map((field) => ({ ...field, name: this.#name(field.name), type: this.of(field.type) })),
      );
    const { is, home, name, about } = type;
    let alternatives: typeof type.alternatives | undefined;
    return {
      ...{ is, home, name, about },
      get alternatives() {
        alternatives ??= type.alternatives.map((one) => ({ ...one, type: speller.of(one.type) }));
        return alternatives;
      },
    };
  }

  #name(name: string): string {
    return name.startsWith(ruled) ? this.#spelling + name.slice(ruled.length) : name;
  }
}
