// The storage group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { csiDriver } from './csi-driver.ts';
import { csiNode } from './csi-node.ts';
import { csiStorageCapacity } from './csi-storage-capacity.ts';
import { storageClass } from './storage-class.ts';
import { volumeAttachment } from './volume-attachment.ts';
import { volumeAttributesClass } from './volume-attributes-class.ts';

export const storageV1: GroupVersionSpec = {
  group: 'storage',
  version: 'v1',
  priority: { group: 16800, version: 15 },
  kinds: [csiDriver, csiNode, csiStorageCapacity, storageClass, volumeAttachment, volumeAttributesClass],
};
