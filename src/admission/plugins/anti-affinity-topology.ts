// LimitPodHardAntiAffinityTopology: pods may keep others off their node, and not off more than that.

import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { labelKey } from '../../meta/dialect.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, objectsOf, refusal, writes } from '../plugin.ts';

export function limitPodHardAntiAffinityTopology({ dialect }: Pick<AdmissionEngines, 'dialect'>): AdmissionPlugin {
  const hostname = labelKey(dialect, 'hostname');
  return {
    name: 'LimitPodHardAntiAffinityTopology',
    operations: writes,
    covers: objectsOf('', 'pods'),
    validate(request) {
      const { affinity } = (request.object as Pod).spec ?? {};
      const terms = affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      const other = terms.find(({ topologyKey }) => topologyKey !== hostname);
      if (other === undefined) return;
      throw refusal(
        request,
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${other.topologyKey} but only key ${hostname} is allowed`,
      );
    },
  };
}
