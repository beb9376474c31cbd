// The apps group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { controllerRevision } from './controller-revision.ts';
import { daemonSet } from './daemon-set.ts';
import { deployment } from './deployment.ts';
import { replicaSet } from './replica-set.ts';
import { statefulSet } from './stateful-set.ts';

export const appsV1: GroupVersionSpec = {
  group: 'apps',
  version: 'v1',
  priority: { group: 17800, version: 15 },
  kinds: [controllerRevision, daemonSet, deployment, replicaSet, statefulSet],
};
