// A version whose types look like those of the version that is stored: only names differ.

import type { ApiObject } from '../meta/object.ts';
import { forAnyObject } from '../schema/define-kind.ts';
import type { Deprecation, KindDefinition } from '../schema/resource.ts';
import type { Strategy } from '../schema/strategy.ts';
import type { SchemaType, StructType } from '../schema/types.ts';

/** The kind as another version serves it; `home` is where that version's types belong. */
export function sameShape(kind: KindDefinition, home: string, deprecated?: Deprecation): KindDefinition {
  const { hashedVersion: _, deprecated: __, ...shared } = kind;
  const unchanged = <T>(value: T) => value;
  const { conversion = { toStorage: unchanged, fromStorage: unchanged } } = kind;
  return {
    ...shared,
    ...(deprecated ? { deprecated } : {}),
    type: rehome(kind.type, home),
    conversion,
  };
}

/** The same kind with defaults that come before its own, as an older version had them. */
export function defaultedFirst<T extends ApiObject>(
  kind: KindDefinition,
  before: NonNullable<Strategy<T>['defaults']>,
): KindDefinition {
  const { defaults } = kind.strategy ?? {};
  return withHooks<T>(kind, {
    defaults(object, context) {
      const first = before(object, context);
      return defaults?.(first, context) ?? first;
    },
  });
}

/** The same kind with some hooks in place of those that it has. */
export function withHooks<T extends ApiObject>(kind: KindDefinition, strategy: Strategy<T>): KindDefinition {
  return { ...kind, strategy: { ...kind.strategy, ...forAnyObject<T>({ strategy }).strategy } };
}

/** The same type, with everything that lives where it does moved to the new home, which may have its own types. */
export function rehome<T>(type: StructType<T>, home: string, own: readonly StructType[] = []): StructType<T> {
  const moved = new Map<StructType, StructType>();
  const move = (one: SchemaType): SchemaType => {
    if (one.is === 'list' || one.is === 'map') return { ...one, of: move(one.of) };
    if (one.is !== 'struct' || one.home !== type.home) return one;
    let made = moved.get(one) ?? own.find(({ name }) => name === one.name);
    if (made === undefined) {
      made = withFields({ ...heading(one), home }, one, (fields) =>
        fields.map((field) => ({ ...field, type: move(field.type) })),
      );
      moved.set(one, made);
    }
    return made;
  };
  return move(type) as StructType<T>;
}

type Heading = Omit<StructType, 'fields'>;
type Fields = StructType['fields'];

/** A type without its fields, which need not be compared. */
export function heading({ is, home, name, about, mapType }: StructType): Heading {
  return { is, home, name, about, ...(mapType ? { mapType } : {}) };
}

/** A type with other fields than the one it is made from; they are made on first use: most versions are never asked for. */
export function withFields(head: Heading, from: StructType, change: (fields: Fields) => Fields): StructType {
  let made: Fields | undefined;
  const { is, home, name, about, mapType } = head;
  return {
    is,
    home,
    name,
    about,
    ...(mapType ? { mapType } : {}),
    get fields() {
      made ??= change(from.fields);
      return made;
    },
  };
}
