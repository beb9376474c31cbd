// Every built-in group-version.

import type { Dialect } from '../meta/dialect.ts';
import type { GroupVersionDefinition } from '../schema/resource.ts';
import { coordinationV1 } from './coordination/v1/group.ts';
import { coreV1 } from './core/v1/group.ts';

export function builtInGroups(dialect: Dialect): readonly GroupVersionDefinition[] {
  return [coreV1, coordinationV1(dialect)];
}
