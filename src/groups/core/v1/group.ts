// The core group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { componentStatus } from './component-status.ts';
import { configMap } from './config-map.ts';
import { event } from './event.ts';
import { namespace } from './namespace.ts';
import { node } from './node/node.ts';
import { binding } from './pod/binding.ts';
import { pod } from './pod/pod.ts';
import { podTemplate } from './pod/pod-template.ts';
import { limitRange } from './quota/limit-range.ts';
import { resourceQuota } from './quota/resource-quota.ts';
import { replicationController } from './replication-controller.ts';
import { secret } from './secret.ts';
import { endpoints } from './service/endpoints.ts';
import { service } from './service/service.ts';
import { serviceAccount } from './service-account.ts';
import { persistentVolume } from './volume/persistent-volume.ts';
import { persistentVolumeClaim } from './volume/persistent-volume-claim.ts';

export const coreV1: GroupVersionSpec = {
  group: '',
  version: 'v1',
  priority: { group: 18000, version: 1 },
  kinds: [
    binding,
    componentStatus,
    configMap,
    endpoints,
    event,
    limitRange,
    namespace,
    node,
    persistentVolumeClaim,
    persistentVolume,
    pod,
    podTemplate,
    replicationController,
    resourceQuota,
    secret,
    serviceAccount,
    service,
  ],
};
