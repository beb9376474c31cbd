// A version whose types look like those of the version that is stored: only names differ.

import type { Deprecation, KindDefinition, Strategy } from '../schema/resource.ts';
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
export function defaultedFirst(kind: KindDefinition, before: NonNullable<Strategy['defaults']>): KindDefinition {
  const { defaults } = kind.strategy ?? {};
  return {
    ...kind,
    strategy: {
      ...kind.strategy,
      defaults(object, context) {
        const first = before(object, context);
        return defaults?.(first, context) ?? first;
      },
    },
  };
}

/** The same type, with everything that lives where it does moved to the new home. */
function rehome(type: StructType, home: string): StructType {
  const moved = new Map<StructType, StructType>();
  const move = (one: SchemaType): SchemaType => {
    if (one.is === 'list' || one.is === 'map') return { ...one, of: move(one.of) };
    if (one.is !== 'struct' || one.home !== type.home) return one;
    let made = moved.get(one);
    if (made === undefined) {
      made = lazyStruct(one, home, move);
      moved.set(one, made);
    }
    return made;
  };
  return move(type) as StructType;
}

/** Fields are moved when somebody looks at them: most versions are never asked for. */
function lazyStruct(type: StructType, home: string, move: (type: SchemaType) => SchemaType): StructType {
  let fields: StructType['fields'] | undefined;
  return {
    is: 'struct',
    home,
    name: type.name,
    about: type.about,
    ...(type.mapType ? { mapType: type.mapType } : {}),
    get fields() {
      fields ??= type.fields.map((field) => ({ ...field, type: move(field.type) }));
      return fields;
    },
  };
}
