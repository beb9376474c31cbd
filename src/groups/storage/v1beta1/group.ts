// The storage group, v1beta1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { csiDriver } from '../v1/csi-driver.ts';
import { csiNode } from '../v1/csi-node.ts';
import { csiStorageCapacity } from '../v1/csi-storage-capacity.ts';
import { storageClass } from '../v1/storage-class.ts';
import { volumeAttachment } from '../v1/volume-attachment.ts';
import { volumeAttributesClass } from '../v1/volume-attributes-class.ts';

const home = 'storage/v1beta1';

export const storageV1beta1: GroupVersionSpec = {
  group: 'storage',
  version: 'v1beta1',
  priority: { group: 16800, version: 9 },
  offByDefault: true,
  kinds: [
    sameShape(csiDriver, home, {
      since: 19,
      removed: 22,
      replacement: { group: 'storage', version: 'v1', kind: 'CSIDriver' },
    }),
    sameShape(csiNode, home, {
      since: 17,
      removed: 22,
      replacement: { group: 'storage', version: 'v1', kind: 'CSINode' },
    }),
    sameShape(csiStorageCapacity, home, {
      since: 24,
      removed: 27,
      replacement: { group: 'storage', version: 'v1', kind: 'CSIStorageCapacity' },
    }),
    sameShape(storageClass, home, {
      since: 19,
      removed: 22,
      replacement: { group: 'storage', version: 'v1', kind: 'StorageClass' },
    }),
    sameShape(volumeAttachment, home, {
      since: 19,
      removed: 22,
      replacement: { group: 'storage', version: 'v1', kind: 'VolumeAttachment' },
    }),
    sameShape(volumeAttributesClass, home, {
      since: 34,
      removed: 37,
      replacement: { group: 'storage', version: 'v1', kind: 'VolumeAttributesClass' },
    }),
  ],
};
