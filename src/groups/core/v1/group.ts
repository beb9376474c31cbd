// The core group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { binding } from './binding.ts';
import { componentStatus } from './component-status.ts';
import { configMap } from './config-map.ts';
import { endpoints } from './endpoints.ts';
import { event } from './event.ts';
import { limitRange } from './limit-range.ts';
import { namespace } from './namespace.ts';
import { node } from './node.ts';
import { persistentVolume } from './persistent-volume.ts';
import { persistentVolumeClaim } from './persistent-volume-claim.ts';
import { pod } from './pod.ts';
import { podTemplate } from './pod-template.ts';
import { replicationController } from './replication-controller.ts';
import { resourceQuota } from './resource-quota.ts';
import { secret } from './secret.ts';
import { service } from './service.ts';
import { serviceAccount } from './service-account.ts';

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
