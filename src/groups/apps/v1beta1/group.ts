// The apps group, v1beta1: served only to who asks for it.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { controllerRevision } from '../v1/controller-revision.ts';
import { appsDeploymentV1beta1, appsReplicaSetV1beta1, appsStatefulSetV1beta1 } from './older-defaults.ts';

export const appsV1beta1: GroupVersionSpec = {
  group: 'apps',
  version: 'v1beta1',
  priority: { group: 17800, version: 1 },
  offByDefault: true,
  kinds: [
    sameShape(controllerRevision, 'apps/v1beta1', {
      since: 8,
      removed: 16,
      replacement: { group: 'apps', version: 'v1', kind: 'ControllerRevision' },
    }),
    appsDeploymentV1beta1,
    appsStatefulSetV1beta1,
  ],
  listedKinds: [appsReplicaSetV1beta1],
};
