// SecurityContextDeny: pods choose neither the user they run as nor their SELinux labels.

import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { type AdmissionPlugin, objectsOf, refusal, writes } from '../plugin.ts';

/** Fields that may not be set, and how they are spoken of. */
const ofPod = {
  supplementalGroups: 'SupplementalGroups',
  seLinuxOptions: 'SELinuxOptions',
  runAsUser: 'RunAsUser',
  fsGroup: 'FSGroup',
} as const;
const ofContainer = { seLinuxOptions: 'SELinuxOptions', runAsUser: 'RunAsUser' } as const;

export function securityContextDeny(): AdmissionPlugin {
  return {
    name: 'SecurityContextDeny',
    operations: writes,
    covers: objectsOf('', 'pods', 'ephemeralcontainers'),
    validate(request) {
      const { spec = {} } = request.object as Pod;
      const field = firstOf(spec.securityContext, ofPod);
      if (field !== undefined) throw refusal(request, `pod.Spec.SecurityContext.${field} is forbidden`);
      const { initContainers = [], containers = [], ephemeralContainers = [] } = spec;
      for (const { securityContext } of [...initContainers, ...containers, ...ephemeralContainers]) {
        const own = firstOf(securityContext, ofContainer);
        if (own !== undefined) throw refusal(request, `SecurityContext.${own} is forbidden`);
      }
    },
  };
}

function firstOf(context: object | undefined, fields: Readonly<Record<string, string>>): string | undefined {
  const given = (context ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(fields).find(([name]) => given[name] !== undefined)?.[1];
}
