// The storage group, v1beta1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { volumeAttributesClass } from '../v1/volume-attributes-class.ts';

const home = 'storage/v1beta1';

export const storageV1beta1: GroupVersionSpec = {
  group: 'storage',
  version: 'v1beta1',
  priority: { group: 16800, version: 9 },
  offByDefault: true,
  kinds: [sameShape(volumeAttributesClass, home)],
};
