// The apps group, v1beta2: no longer served unless an option asks for it.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { controllerRevision } from '../v1/controller-revision.ts';
import { daemonSet } from '../v1/daemon-set.ts';
import { deployment } from '../v1/deployment.ts';
import { replicaSet } from '../v1/replica-set.ts';
import { statefulSet } from '../v1/stateful-set.ts';

const home = 'apps/v1beta2';

export const appsV1beta2: GroupVersionSpec = {
  group: 'apps',
  version: 'v1beta2',
  priority: { group: 17800, version: 2 },
  offByDefault: true,
  kinds: [
    sameShape(controllerRevision, home, {
      since: 9,
      removed: 16,
      replacement: { group: 'apps', version: 'v1', kind: 'ControllerRevision' },
    }),
    sameShape(daemonSet, home, {
      since: 9,
      removed: 16,
      replacement: { group: 'apps', version: 'v1', kind: 'DaemonSet' },
    }),
    sameShape(deployment, home, {
      since: 9,
      removed: 16,
      replacement: { group: 'apps', version: 'v1', kind: 'Deployment' },
    }),
    sameShape(replicaSet, home, {
      since: 9,
      removed: 16,
      replacement: { group: 'apps', version: 'v1', kind: 'ReplicaSet' },
    }),
    sameShape(statefulSet, home, {
      since: 9,
      removed: 16,
      replacement: { group: 'apps', version: 'v1', kind: 'StatefulSet' },
    }),
  ],
};
