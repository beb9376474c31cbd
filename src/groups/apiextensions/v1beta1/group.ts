// The apiextensions group, v1beta1: served only to who asks for it.

import type { GroupVersionSpec } from '../../group-version.ts';
import { inEveryDialect } from '../spelling.ts';
import { customResourceDefinitionV1beta1 } from './custom-resource-definition.ts';

export const apiextensionsV1beta1: GroupVersionSpec = {
  group: 'apiextensions',
  version: 'v1beta1',
  priority: { group: 16700, version: 9 },
  offByDefault: true,
  keyedByGroup: true,
  kinds: [inEveryDialect(customResourceDefinitionV1beta1)],
};
