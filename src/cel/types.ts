// The types of expressions, and how messages write them.

type PlainTypeName =
  | 'dyn'
  | 'any'
  | 'error'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'duration';

export interface PlainType {
  readonly is: PlainTypeName;
  /** Null is a value of the type too, as of the messages that wrap one. */
  readonly nullable?: true;
}
export interface ListType {
  readonly is: 'list';
  readonly of: CelType;
  /** For lists whose order means nothing: the key fields of the items, empty for a set. */
  readonly keys?: readonly string[];
}
export interface MapType {
  readonly is: 'map';
  readonly key: CelType;
  readonly of: CelType;
}
/** A type with named fields. */
export interface ObjectType {
  readonly is: 'object';
  readonly fields: ObjectFields;
}
/** A type that only its functions can look into; `optional_type` has a parameter. */
export interface OpaqueType {
  readonly is: 'opaque';
  readonly name: string;
  readonly params: readonly CelType[];
}
/** The type of a type. */
interface TypeType {
  readonly is: 'type';
  readonly of?: CelType;
}
/** Stands for any type in a declaration. */
export interface ParamType {
  readonly is: 'param';
  readonly name: string;
}
export type CelType = PlainType | ListType | MapType | ObjectType | OpaqueType | TypeType | ParamType;

/**
 * What an object type is made of. Definitions of built-in kinds, schemas of custom resources and hand-made tables
 * are adapted to this; fields are looked up by name, so a type may contain itself.
 */
interface ObjectFields {
  readonly name: string;
  field(name: string): ObjectField | undefined;
}

export interface ObjectField {
  readonly type: CelType;
  /** The key in the JSON object, where it is not the name that expressions use. */
  readonly key?: string;
  /** What reading an absent field gives. Without it that is an error. */
  readonly zero?: unknown;
}

const plain = (is: PlainTypeName): PlainType => ({ is });

export const dyn = plain('dyn');
/** A value of any type, which is not known to be a list or map: unlike a `dyn` it cannot be walked. */
export const anyValue = plain('any');
export const errorType = plain('error');
export const nullType = plain('null');
export const bool = plain('bool');
export const int = plain('int');
export const uint = plain('uint');
export const double = plain('double');
export const string = plain('string');
export const bytes = plain('bytes');
export const timestamp = plain('timestamp');
export const duration = plain('duration');
export const anyType: TypeType = { is: 'type' };

export const list = (of: CelType): ListType => ({ is: 'list', of });
export const map = (key: CelType, of: CelType): MapType => ({ is: 'map', key, of });
export const objectOf = (fields: ObjectFields): ObjectType => ({ is: 'object', fields });
export const opaque = (name: string, ...params: readonly CelType[]): OpaqueType => ({ is: 'opaque', name, params });
export const typeOfType = (of: CelType): TypeType => ({ is: 'type', of });
export const param = (name: string): ParamType => ({ is: 'param', name });

export const optionalName = 'optional_type';
export const optional = (of: CelType): OpaqueType => opaque(optionalName, of);

/** An object type whose fields are listed. */
export function record(name: string, fields: Readonly<Record<string, CelType>>): ObjectType {
  const fieldTypes = new Map(Object.entries(fields).map(([field, type]) => [field, { type }]));
  return objectOf({ name, field: (field) => fieldTypes.get(field) });
}

/** Names of the types as expressions and errors of evaluation know them. */
const runtimeNames: Partial<Readonly<Record<CelType['is'], string>>> = {
  any: 'google.protobuf.Any',
  null: 'null_type',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
};

export function runtimeName(type: CelType): string {
  if (type.is === 'object') return type.fields.name;
  if (type.is === 'opaque' || type.is === 'param') return type.name;
  return runtimeNames[type.is] ?? type.is;
}

/** The type as messages of the checker write it. */
export function formatType(type: CelType): string {
  switch (type.is) {
    case 'list':
      return `list(${formatType(type.of)})`;
    case 'map':
      return `map(${formatType(type.key)}, ${formatType(type.of)})`;
    case 'object':
      return type.fields.name;
    case 'opaque':
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(', ')})`;
    case 'type':
      return type.of === undefined ? 'type' : `type(${formatType(type.of)})`;
    case 'param':
      return type.name;
    case 'error':
      return '!error!';
    default:
      return type.nullable ? `wrapper(${type.is})` : type.is;
  }
}

/** The type as messages about the result of an expression write it. */
export function declaredName(type: CelType): string {
  const params = paramsOf(type);
  const name = runtimeName(type);
  return params.length === 0 ? name : `${name}(${params.map(declaredName).join(', ')})`;
}

function paramsOf(type: CelType): readonly CelType[] {
  switch (type.is) {
    case 'list':
      return [type.of];
    case 'map':
      return [type.key, type.of];
    case 'type':
      return type.of === undefined ? [] : [type.of];
    default:
      return type.is === 'opaque' ? type.params : [];
  }
}

/** What stands for values of every type. */
export const isDynamic = ({ is }: CelType): boolean => is === 'dyn' || is === 'any';

/** `string.(int)` for a call on something, `(int, int)` for a plain one. */
export function formatSignature(args: readonly CelType[], isMember: boolean): string {
  const names = args.map(formatType);
  if (!isMember) return `(${names.join(', ')})`;
  const [target = '', ...rest] = names;
  return `${target}.(${rest.join(', ')})`;
}

/** What may be null and what may not are one type. */
const unwrapped = (name: string): string => name.replace(/wrapper\((\w+)\)/g, '$1');

/** Whether two types have the same form; object types by name. */
export function sameType(a: CelType, b: CelType): boolean {
  return a === b || (a.is === b.is && unwrapped(formatType(a)) === unwrapped(formatType(b)));
}
