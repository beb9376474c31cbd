// The internal group, v1alpha1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { storageVersion } from './storage-version.ts';

export const apiserverinternalV1alpha1: GroupVersionSpec = {
  group: 'internal.apiserver',
  version: 'v1alpha1',
  priority: { group: 16000, version: 9 },
  offByDefault: true,
  kinds: [storageVersion],
};
