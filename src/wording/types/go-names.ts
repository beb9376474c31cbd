// What messages call types.
// compat: messages name types as the reference implementation's language does

import type { Field, ScalarName, SchemaType, StructType } from '../../schema/types.ts';

const scalarNames: Readonly<Record<ScalarName, string>> = {
  string: 'string',
  int32: 'int32',
  int64: 'int64',
  bool: 'bool',
  double: 'float64',
  bytes: '[]uint8',
  'date-time': 'v1.Time',
  'micro-time': 'v1.MicroTime',
  quantity: 'resource.Quantity',
  'int-or-string': 'intstr.IntOrString',
  'raw-extension': 'runtime.RawExtension',
  'any-json': 'v1.JSON',
  'fields-v1': 'v1.FieldsV1',
};

const packageOf = (home: string): string => home.slice(home.lastIndexOf('/') + 1);

export function goNameOf(type: SchemaType): string {
  switch (type.is) {
    case 'scalar':
      return scalarNames[type.name];
    case 'list':
      return `[]${goNameOf(type.of)}`;
    case 'map':
      return `map[string]${goNameOf(type.of)}`;
    case 'struct':
    case 'union':
      return `${packageOf(type.home)}.${type.name}`;
  }
}

/** A name that stands without a package is one of the struct's. */
const ownName = /(?<![\w.])[A-Z]\w*/g;

/** The type of a field; its own name is shown instead of what it stands for. */
export function goNameOfField({ home }: StructType, { goType, type }: Field): string {
  return goType === undefined ? goNameOf(type) : goType.replace(ownName, (name) => `${packageOf(home)}.${name}`);
}

const container = /^(?:\[\]|map\[[^\]]*\])\*?/;

/** The type of the items of a list or map that is called `name`. */
export function goNameOfItems(name: string, of: SchemaType): string {
  return container.test(name) ? name.replace(container, '') : goNameOf(of);
}
