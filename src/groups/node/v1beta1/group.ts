// The node group, v1beta1: no longer served unless an option asks for it.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { runtimeClass } from '../v1/runtime-class.ts';

const home = 'node/v1beta1';

export const nodeV1beta1: GroupVersionSpec = {
  group: 'node',
  version: 'v1beta1',
  priority: { group: 16300, version: 1 },
  offByDefault: true,
  kinds: [
    sameShape(runtimeClass, home, {
      since: 22,
      removed: 25,
      listedReplacement: { group: 'node', version: 'v1', kind: 'RuntimeClass' },
    }),
  ],
};
