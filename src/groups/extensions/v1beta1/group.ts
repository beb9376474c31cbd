// The extensions group, v1beta1: where workloads and network policies began; served only to who asks for it.

import { replicaSet } from '../../apps/v1/replica-set.ts';
import { extensionsDaemonSet, extensionsDeployment, selectedByTemplate } from '../../apps/v1beta1/older-defaults.ts';
import type { GroupVersionSpec } from '../../group-version.ts';
import { networkPolicy } from '../../networking/v1/network-policy.ts';
import { ingressV1beta1 } from '../../networking/v1beta1/ingress.ts';
import { podSecurityPolicy } from '../../policy/v1beta1/pod-security-policy.ts';
import { sameShape } from '../../same-shape.ts';

const home = 'extensions/v1beta1';

export const extensionsV1beta1: GroupVersionSpec = {
  group: 'extensions',
  version: 'v1beta1',
  priority: { group: 17900, version: 1 },
  offByDefault: true,
  kinds: [
    extensionsDaemonSet,
    extensionsDeployment,
    ingressV1beta1({ since: 14, removed: 22, replacement: { group: 'networking', version: 'v1', kind: 'Ingress' } }),
    sameShape(networkPolicy, home, {
      since: 9,
      removed: 16,
      replacement: { group: 'networking', version: 'v1', kind: 'NetworkPolicy' },
    }),
    sameShape(podSecurityPolicy, home, {
      since: 11,
      removed: 16,
      replacement: { group: 'policy', version: 'v1beta1', kind: 'PodSecurityPolicy' },
    }),
    selectedByTemplate(
      sameShape(replicaSet, home, {
        since: 8,
        removed: 16,
        replacement: { group: 'apps', version: 'v1', kind: 'ReplicaSet' },
      }),
    ),
  ],
};
