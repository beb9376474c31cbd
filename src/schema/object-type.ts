// What the objects of a kind look like: declared field by field, as built-in kinds are, or by a structural schema, as
// custom resources are. Interpreters answer for both; code that uses a type never asks which of them it has.
//
// The interpreters: `decoderOf` (src/schema/decode.ts), `unknownFields` (src/schema/unknown-fields.ts), `inOrder`
// (src/schema/order.ts), `SchemaCollector` (src/schema/json-schema.ts), `checkIntegers` and `joinRepeated` (src/codec),
// `encodeMessage` (src/codec/protobuf/message.ts), `objectTopology` (src/apply/typed/topology.ts), and the functions here.

import type { JsonObject } from '../base/json/json.ts';
import { zeroFields, zeroOf } from './decode.ts';
import { inDeclaredOrder } from './order.ts';
import { applyDefaults } from './structural/default.ts';
import { DefaultsBudget, DefaultsTooLargeError } from './structural/defaults-budget.ts';
import * as structural from './structural/settle.ts';
import type { StructuralType } from './structural/structural-type.ts';
import type { StructType } from './types.ts';

export type ObjectType = StructType | StructuralType;

/** Names of the fields that an object has besides kind and apiVersion, as far as its type names them. */
export function topLevelFields(type: ObjectType): readonly string[] {
  if (type.is === 'struct') return type.fields.map(({ name }) => name);
  return ['metadata', ...Object.keys(type.schema?.properties ?? {}).filter((name) => !typeAndMeta.has(name))];
}

const typeAndMeta: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The status of an object about which nothing was said; undefined where there is no such field then. */
export function emptyStatus(type: ObjectType): unknown {
  if (type.is === 'structural') return undefined;
  const field = type.fields.find(({ name }) => name === 'status');
  return field?.always ? zeroOf(field.type) : undefined;
}

/** What is written of an object in which nothing is set, besides its type and metadata. */
export function emptyObject({ type, quirks }: EmptyKind): JsonObject {
  if (type.is === 'structural') return {};
  const { metadata: _, ...fields } = zeroFields(type);
  for (const [name, members] of Object.entries(quirks?.emptyFields ?? {}))
    fields[name] = { ...members, ...(fields[name] as JsonObject) };
  return fields;
}

/** The annotations of such an object: what is a field elsewhere is there with the value of none. */
export function emptyAnnotations({ quirks }: EmptyKind): Readonly<Record<string, string>> {
  const name = quirks?.annotationOfField;
  return name === undefined ? {} : { [name]: '0' };
}

interface EmptyKind {
  readonly type: ObjectType;
  readonly quirks?: {
    readonly emptyFields?: Readonly<Record<string, JsonObject>>;
    readonly annotationOfField?: string;
  };
}

/** Whether objects have the field that is called status. */
export function hasStatusField(type: ObjectType): boolean {
  return type.is === 'structural' || type.fields.some(({ name }) => name === 'status');
}

/** How messages call objects of a kind. compat: messages name types as the reference implementation's language does */
export function goTypeName(type: ObjectType, kind: string): string {
  if (type.is === 'structural') return `unstructured.Unstructured${type.items === undefined ? '' : 'List'}`;
  return `${type.home.split('/', 1)[0]}.${kind}`;
}

/** Whether items of a list say what they are, and a list always whether there is more. */
export function hasTypedItems(type: ObjectType): boolean {
  return type.is === 'structural';
}

/** Whether documents say of a resource only what its author and every resource of that sort can do. */
export function isPlainlyDescribed(type: ObjectType): boolean {
  return type.is === 'structural';
}

/** Whether an object of another kind is refused as invalid, and not as a body that cannot be read. */
export function takesOtherKinds(type: ObjectType): boolean {
  return type.is === 'structural';
}

/** Whether the type is one that the server brings along, not one that a user wrote. */
export function isBuiltIn(type: ObjectType): boolean {
  return type.is === 'struct';
}

/** Whether an object that was stored in the canonical form can be shown as it is, without a look at its type. */
export function isShownAsStored(type: ObjectType): boolean {
  return type.is === 'struct';
}

interface Settled {
  readonly object: JsonObject;
  /** Set where the defaults exceed the limit: then the object lacks all of them, and clients do not get to see it. */
  readonly lacksDefaults: boolean;
}

/** An object that was read from the store, as its type has it now; the very object where nothing changes. */
export function settleStored(type: ObjectType, object: JsonObject): Settled {
  if (type.is === 'struct') return { object: inDeclaredOrder(type, object) as JsonObject, lacksDefaults: false };
  try {
    return { object: structural.settleStored(type, object), lacksDefaults: false };
  } catch (error) {
    if (!(error instanceof DefaultsTooLargeError)) throw error;
    return { object: structural.settleUnshown(type, object), lacksDefaults: true };
  }
}

/**
 * Whether an object on its way to the store comes back with more: what was converted may lack defaults, and so may a new
 * status. Throws a `DefaultsTooLargeError` where they exceed the limit.
 */
export function lacksDefaults(type: ObjectType, object: JsonObject): boolean {
  return type.is === 'structural' && applyDefaults(object, type.schema, new DefaultsBudget()) !== object;
}

/** An object that was converted from another version. */
export function settleConverted(type: ObjectType, object: JsonObject): JsonObject {
  if (type.is === 'struct') return inDeclaredOrder(type, object) as JsonObject;
  return structural.settleConverted(type, object);
}
