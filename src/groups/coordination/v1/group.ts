// The coordination group: leases.

import { apiGroup, type Dialect } from '../../../meta/dialect.ts';
import type { GroupVersionDefinition } from '../../../schema/resource.ts';
import { lease } from './lease.ts';

export function coordinationV1(dialect: Dialect): GroupVersionDefinition {
  const group = apiGroup(dialect, 'coordination');
  return { group, version: 'v1', priority: { group: 16500, version: 15 }, resources: [lease(group)] };
}
