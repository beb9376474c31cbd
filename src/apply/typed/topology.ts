// How values of a type merge: which parts have owners of their own. Compiled once per type, here from the
// definitions of built-in kinds, in structural-topology.ts from the schema of a custom resource.

import { KeyPlans } from '../../base/key-plans.ts';
import { memoized } from '../../base/memoized.ts';
import { givenEmpty } from '../../schema/given-empty.ts';
import type { Field, FieldAttributes, ListType, ScalarName, SchemaType, StructType } from '../../schema/types.ts';
import { fieldElement } from '../fields/element.ts';

export type Topology = ScalarTopology | StructTopology | MapTopology | AtomicList | SetTopology | KeyedList | Untyped;

/** What an applied value may be; `any` scalar for types that have several forms. */
export type Accepts = 'string' | 'number' | 'boolean' | 'any' | 'anything';

interface ScalarTopology {
  readonly is: 'scalar';
  readonly accepts: Accepts;
}
/** Named fields, each with its own topology. */
export interface StructTopology {
  readonly is: 'struct';
  readonly atomic: boolean;
  /** Every declared field. */
  readonly fields: ReadonlyMap<string, FieldTopology>;
  /** Fields that may have owners. */
  readonly tracked: TrackedFields;
  /** What undeclared fields are, where they may exist. */
  readonly rest?: Topology | undefined;
}
export interface FieldTopology {
  readonly name: string;
  /** The field as a path element. */
  readonly element: string;
  /** The element as a key of JSON, behind a comma and with its colon. */
  readonly label: string;
  /** The same with an empty object for a value. */
  readonly leaf: string;
  readonly type: Topology;
  /** The value of a field that no object lacks; undefined where a field may be absent. */
  readonly zero: unknown;
  /** What a missing field stands for where it is a key. */
  readonly default: unknown;
  /** Whether the name has to be looked up with care: objects inherit something by that name. */
  readonly inherited: boolean;
}

/** Those fields of one object. */
interface TrackedPlan {
  readonly fields: readonly FieldTopology[];
  /** The text of all of them, where each has one owner as a whole. */
  readonly leaves: string | undefined;
}

/** The fields of a struct that may have owners. */
export class TrackedFields {
  /** In alphabetical order. */
  readonly all: readonly FieldTopology[];
  readonly #byName: ReadonlyMap<string, FieldTopology>;
  readonly #plans = new KeyPlans((keys): TrackedPlan => {
    const fields = keys.flatMap((key) => this.#byName.get(key) ?? []);
    fields.sort((a, b) => (a.name < b.name ? -1 : 1));
    const areLeaves = fields.every(({ type }) => isAtomic(type));
    return { fields, leaves: areLeaves ? fields.map(({ leaf }) => leaf).join('') : undefined };
  });

  constructor(fields: ReadonlyMap<string, FieldTopology>, ignored: readonly string[]) {
    this.all = [...fields.values()]
      .filter(({ name }) => !ignored.includes(name))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    this.#byName = new Map(this.all.map((field) => [field.name, field]));
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** Those that an object has, in alphabetical order. Objects have few of the fields that their type declares. */
  in(object: Readonly<Record<string, unknown>>): readonly FieldTopology[] {
    return this.#plans.of(object).fields;
  }

  planOf(object: Readonly<Record<string, unknown>>): TrackedPlan {
    return this.#plans.of(object);
  }
}

/**
 * The value of a field; undefined where an object has none.
 * compat: a list that is given empty is stored as none, and its field belongs to who gave it
 */
export function fieldValue(object: Readonly<Record<string, unknown>>, { name, inherited }: FieldTopology): unknown {
  if (inherited && !Object.hasOwn(object, name)) return undefined;
  const value = object[name];
  return value === null ? (givenEmpty(object, name) ?? null) : value;
}
/** Keys of the client's choice. */
interface MapTopology {
  readonly is: 'map';
  readonly atomic: boolean;
  readonly of: Topology;
}
/** A list with one owner. */
interface AtomicList {
  readonly is: 'list';
  readonly of: Topology;
}
/** A list of distinct scalars, each with its owner. */
export interface SetTopology {
  readonly is: 'set';
  readonly of: Topology;
}
/** A list of items that are told apart by key fields. */
export interface KeyedList {
  readonly is: 'keyed';
  /** In alphabetical order. */
  readonly keys: readonly string[];
  /** The keys as JSON has them, each with its colon. */
  readonly labels: readonly string[];
  /** What stands for a key field that an item leaves out. */
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly of: Topology;
}
/** Without a schema: objects merge by key, everything else is replaced. */
interface Untyped {
  readonly is: 'untyped';
}

export const untyped: Untyped = { is: 'untyped' };

/** A value of any form with one owner. */
const anything: ScalarTopology = { is: 'scalar', accepts: 'anything' };

/** Whether a value has one owner as a whole. */
export function isAtomic(topology: Topology): boolean {
  switch (topology.is) {
    case 'scalar':
    case 'list':
      return true;
    case 'struct':
    case 'map':
      return topology.atomic;
    default:
      return false;
  }
}

/** The topology of a declared type. Fields in `ignored` (`status`, `metadata.labels`) and below them get no owners. */
export function declaredTopology(type: StructType, ignored: readonly string[]): StructTopology {
  return new DeclaredStruct(type, false, ignored);
}

/** Whether every object has something by this name that is no field of it. */
export const isInherited = (name: string): boolean => name in Object.prototype;

/** The topology of a type as it is by itself, without what a field says of it. */
const topologyOf = memoized((type: SchemaType): Topology => compile(type, {}));

function compile(type: SchemaType, attributes: FieldAttributes): Topology {
  switch (type.is) {
    case 'scalar':
      return scalarTopology(type.name);
    case 'list':
      return compileList(type, attributes);
    case 'map':
      return { is: 'map', atomic: attributes.mapType === 'atomic', of: topologyOf(type.of) };
    case 'struct':
      return new DeclaredStruct(type, (attributes.mapType ?? type.mapType) === 'atomic', []);
    case 'union':
      return anything;
  }
}

const acceptedBy: Readonly<Partial<Record<string, Accepts>>> = {
  string: 'string',
  int32: 'number',
  int64: 'number',
  double: 'number',
  bool: 'boolean',
  bytes: 'string',
  duration: 'string',
};
const schemaless: ReadonlySet<string> = new Set(['fields-v1', 'raw-extension', 'any-json']);

function scalarTopology(name: ScalarName): Topology {
  return schemaless.has(name) ? anything : { is: 'scalar', accepts: acceptedBy[name] ?? 'any' };
}

/** Where the list type is missing, a merge key of patches says the same. */
function compileList(type: ListType, attributes: FieldAttributes): Topology {
  const { patchStrategy = '', patchMergeKey, mapKeys } = attributes;
  const merges = patchStrategy.startsWith('merge');
  const of = topologyOf(type.of);
  const listType = attributes.listType ?? (merges ? (patchMergeKey === undefined ? 'set' : 'map') : 'atomic');
  switch (listType) {
    case 'atomic':
      return { is: 'list', of };
    case 'set':
      return { is: 'set', of };
    case 'map':
      return keyedList(of, mapKeys ?? (patchMergeKey === undefined ? [] : [patchMergeKey]));
  }
}

export function keyedList(of: Topology, keys: readonly string[]): KeyedList {
  return new DeclaredList(of, [...keys].sort());
}

/** Looks into the type of its items only when asked: types may contain themselves. */
class DeclaredList implements KeyedList {
  readonly is = 'keyed';
  readonly keys: readonly string[];
  readonly labels: readonly string[];
  readonly of: Topology;
  #defaults: Readonly<Record<string, unknown>> | undefined;

  constructor(of: Topology, keys: readonly string[]) {
    this.of = of;
    this.keys = keys;
    this.labels = keys.map((key) => `${JSON.stringify(key)}:`);
  }

  get defaults(): Readonly<Record<string, unknown>> {
    this.#defaults ??= Object.fromEntries(
      this.keys.map((key) => [key, this.of.is === 'struct' ? initialOf(this.of.fields.get(key)) : undefined]),
    );
    return this.#defaults;
  }
}

// compat: a key that is always written has a value even where nothing is said
const initialOf = (field: FieldTopology | undefined): unknown => field?.default ?? field?.zero;

/** Looks into the types of its fields only when asked: types may contain themselves. */
class DeclaredStruct implements StructTopology {
  readonly is = 'struct';
  readonly atomic: boolean;
  readonly #type: StructType;
  readonly #ignored: readonly string[];
  #fields: ReadonlyMap<string, FieldTopology> | undefined;
  #tracked: TrackedFields | undefined;

  constructor(type: StructType, atomic: boolean, ignored: readonly string[]) {
    this.#type = type;
    this.atomic = atomic;
    this.#ignored = ignored;
  }

  get fields(): ReadonlyMap<string, FieldTopology> {
    this.#fields ??= new Map(this.#type.fields.map((field) => [field.name, this.#field(field)]));
    return this.#fields;
  }

  get tracked(): TrackedFields {
    this.#tracked ??= new TrackedFields(this.fields, this.#ignored);
    return this.#tracked;
  }

  #field(field: Field): FieldTopology {
    const type = this.#topologyOf(field);
    const element = fieldElement(field.name);
    return {
      name: field.name,
      element,
      ...labelsOf(element),
      type,
      zero: field.always ? (field.pointer ? null : zeroOf(field.type, type)) : undefined,
      default: field.default,
      inherited: false,
    };
  }

  #topologyOf(field: Field): Topology {
    const prefix = `${field.name}.`;
    const below = this.#ignored.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
    if (below.length > 0 && field.type.is === 'struct') return new DeclaredStruct(field.type, false, below);
    const says = field.listType ?? field.mapType ?? field.patchStrategy;
    return says === undefined ? topologyOf(field.type) : compile(field.type, field);
  }
}

/** How a path element is written as a member of FieldsV1. */
export function labelsOf(element: string): Pick<FieldTopology, 'label' | 'leaf'> {
  const label = `,${JSON.stringify(element)}:`;
  return { label, leaf: `${label}{}` };
}

const zeroScalars: Readonly<Partial<Record<ScalarName, unknown>>> = {
  string: '',
  int32: 0,
  int64: 0,
  bool: false,
  double: 0,
};

/** What a field that no object lacks has when nothing was said, defaults left out. */
function zeroOf(type: SchemaType, topology: Topology): unknown {
  if (topology.is === 'struct') return zeroObject(topology);
  return type.is === 'scalar' ? (zeroScalars[type.name] ?? null) : null;
}

/** The object about which nothing was said. */
export function zeroObject({ fields }: StructTopology): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const { name, zero } of fields.values()) if (zero !== undefined) object[name] = zero;
  return object;
}
