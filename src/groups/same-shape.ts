// A version whose types look like those of the version that is stored: only names differ.

import type { KindDefinition } from '../schema/resource.ts';
import type { SchemaType, StructType } from '../schema/types.ts';

/** The kind as another version serves it; `home` is where that version's types belong. */
export function sameShape(kind: KindDefinition, home: string): KindDefinition {
  const { hashedVersion: _, ...shared } = kind;
  const unchanged = <T>(value: T) => value;
  return {
    ...shared,
    type: rehome(kind.type, home) as StructType,
    conversion: { toStorage: unchanged, fromStorage: unchanged },
  };
}

/** The same type, with everything of its group moved to the new home. */
function rehome(type: SchemaType, home: string): SchemaType {
  const group = `${home.split('/')[0]}/`;
  const moved = new Map<StructType, StructType>();
  const move = (one: SchemaType): SchemaType => {
    if (one.is === 'list' || one.is === 'map') return { ...one, of: move(one.of) };
    if (one.is !== 'struct' || !one.home.startsWith(group)) return one;
    let made = moved.get(one);
    if (made === undefined) {
      made = lazyStruct(one, home, move);
      moved.set(one, made);
    }
    return made;
  };
  return move(type);
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
