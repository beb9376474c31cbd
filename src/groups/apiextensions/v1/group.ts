// The apiextensions group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { inEveryDialect } from '../spelling.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';

export const apiextensionsV1: GroupVersionSpec = {
  group: 'apiextensions',
  version: 'v1',
  priority: { group: 16700, version: 15 },
  keyedByGroup: true,
  kinds: [inEveryDialect(customResourceDefinition)],
};
