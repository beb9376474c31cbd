// The core group: resources below /api/v1.

import type { GroupVersionDefinition } from '../../../schema/resource.ts';
import { configMap } from './config-map.ts';
import { event } from './event.ts';
import { namespace } from './namespace.ts';
import { secret } from './secret.ts';
import { serviceAccount } from './service-account.ts';

export const coreV1: GroupVersionDefinition = {
  group: '',
  version: 'v1',
  priority: { group: 18000, version: 1 },
  resources: [configMap, event, namespace, secret, serviceAccount],
};
