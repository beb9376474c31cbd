// The storagemigration group, v1beta1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { storageVersionMigration } from './storage-version-migration.ts';

export const storagemigrationV1beta1: GroupVersionSpec = {
  group: 'storagemigration',
  version: 'v1beta1',
  priority: { group: 15800, version: 9 },
  offByDefault: true,
  kinds: [storageVersionMigration],
};
