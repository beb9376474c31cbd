// The declared type of a built-in kind, for tests that look into it.

import type { ObjectType } from '../schema/object-type.ts';
import type { StructType } from '../schema/types.ts';

export function declaredType({ type }: { readonly type: ObjectType }): StructType {
  if (type.is !== 'struct') throw new Error(`${type.name} has no declared type`);
  return type;
}
