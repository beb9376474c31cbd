// How custom resources merge: what the marks of a structural schema say about lists and maps, and what is deduced from
// the values where the schema says nothing.

import {
  additionalOf,
  isEmbedded,
  itemsOf,
  keysOf,
  listTypeOf,
  mapTypeOf,
  preserves,
  type Schema,
} from '../../schema/structural/schema.ts';
import type { StructuralType } from '../../schema/structural/structural-type.ts';
import type { StructType } from '../../schema/types.ts';
import { fieldElement } from '../fields/element.ts';
import {
  type Accepts,
  declaredTopology,
  type FieldTopology,
  isInherited,
  keyedList,
  labelsOf,
  type StructTopology,
  type Topology,
  TrackedFields,
  untyped,
} from './topology.ts';

/** Fields in `ignored` get no owners. */
export function structuralTopology({ schema, meta }: StructuralType, ignored: readonly string[]): StructTopology {
  const root = schema ?? { properties: {} };
  const preserved = schema === undefined || preserves(schema);
  return new StructuralObject(root, { meta, ignored: [...typeMeta, ...ignored], preserved });
}

const typeMeta = ['apiVersion', 'kind'];

interface ObjectOptions {
  /** The type of metadata, where the value is a whole object. */
  readonly meta: StructType;
  readonly ignored?: readonly string[];
  /** Whether members that the schema does not name are kept. */
  readonly preserved: boolean;
}

/** Looks into its schema when asked: most parts of most schemas are never written. */
class StructuralObject implements StructTopology {
  readonly is = 'struct';
  readonly atomic: boolean;
  readonly #schema: Schema;
  readonly #options: ObjectOptions;
  #fields: ReadonlyMap<string, FieldTopology> | undefined;
  #tracked: TrackedFields | undefined;
  #rest: Topology | undefined | null = null;

  constructor(schema: Schema, options: ObjectOptions) {
    this.#schema = schema;
    this.#options = options;
    this.atomic = mapTypeOf(schema) === 'atomic';
  }

  get fields(): ReadonlyMap<string, FieldTopology> {
    this.#fields ??= new Map(this.#makeFields().map((field) => [field.name, field]));
    return this.#fields;
  }

  get tracked(): TrackedFields {
    this.#tracked ??= new TrackedFields(this.fields, this.#options.ignored ?? []);
    return this.#tracked;
  }

  /** What members are that the schema does not name; undefined where there are none. */
  get rest(): Topology | undefined {
    if (this.#rest === null) this.#rest = this.#makeRest();
    return this.#rest;
  }

  #makeRest(): Topology | undefined {
    const { additionalProperties, properties = {} } = this.#schema;
    const { meta, preserved } = this.#options;
    const additional = additionalOf(this.#schema);
    if (additional !== undefined) return topologyOf(additional, meta, preserved);
    const isOpen = preserved || Object.keys(properties).length === 0;
    return (additionalProperties ?? isOpen) ? untyped : undefined;
  }

  #makeFields(): readonly FieldTopology[] {
    const { meta, preserved, ignored } = this.#options;
    const isWhole = ignored !== undefined || isEmbedded(this.#schema);
    const { properties = {} } = this.#schema;
    const own = Object.entries(properties)
      .filter(([name]) => !(isWhole && wholeFields.has(name)))
      .map(([name, schema]) => fieldOf(name, topologyOf(schema, meta, preserved), schema.default));
    return isWhole ? [...this.#metaFields(), ...own] : own;
  }

  #metaFields(): readonly FieldTopology[] {
    const { meta, ignored } = this.#options;
    const prefix = 'metadata.';
    const below = (ignored ?? []).filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
    const metadata = fieldOf('metadata', declaredTopology(meta, below));
    // every object has metadata: no manager owns that there is some
    const own = ignored === undefined ? metadata : { ...metadata, zero: {} };
    return [...typeMeta.map((name) => fieldOf(name, text)), own];
  }
}

const wholeFields: ReadonlySet<string> = new Set([...typeMeta, 'metadata']);
const text: Topology = { is: 'scalar', accepts: 'string' };

function fieldOf(name: string, type: Topology, initial?: unknown): FieldTopology {
  const element = fieldElement(name);
  return { name, element, ...labelsOf(element), type, zero: undefined, default: initial, inherited: isInherited(name) };
}

const accepted: Readonly<Record<string, Accepts>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
};

function topologyOf(schema: Schema, meta: StructType, outer: boolean): Topology {
  const preserved = outer || preserves(schema);
  const { type = '', properties, additionalProperties } = schema;
  if (type === 'object') return objectTopologyOf(schema, meta, preserved);
  if (type === 'array') return listTopology(schema, meta, preserved);
  const accepts = Object.hasOwn(accepted, type) ? accepted[type] : undefined;
  if (accepts !== undefined) return { is: 'scalar', accepts };
  // without a type the value decides: objects merge by key, everything else is replaced
  return (properties ?? additionalProperties) === undefined ? untyped : objectTopologyOf(schema, meta, preserved);
}

function objectTopologyOf(schema: Schema, meta: StructType, preserved: boolean): Topology {
  const values = additionalOf(schema);
  if (values === undefined || schema.properties !== undefined || isEmbedded(schema))
    return new StructuralObject(schema, { meta, preserved });
  return { is: 'map', atomic: mapTypeOf(schema) === 'atomic', of: topologyOf(values, meta, preserved) };
}

function listTopology(schema: Schema, meta: StructType, preserved: boolean): Topology {
  const items = itemsOf(schema);
  const of = items === undefined ? untyped : topologyOf(items, meta, preserved);
  switch (listTypeOf(schema)) {
    case 'set':
      return { is: 'set', of };
    case 'map':
      return keyedList(of, keysOf(schema));
    default:
      return { is: 'list', of };
  }
}
