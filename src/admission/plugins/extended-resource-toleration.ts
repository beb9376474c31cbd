// ExtendedResourceToleration: who asks for a special resource may run on the nodes that are kept for it.

import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { isExtended } from '../../groups/core/v1/pod/resource-names.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, objectsOf, writes } from '../plugin.ts';
import { withToleration } from './tolerations.ts';

export function extendedResourceToleration({ dialect }: Pick<AdmissionEngines, 'dialect'>): AdmissionPlugin {
  return {
    name: 'ExtendedResourceToleration',
    operations: writes,
    covers: objectsOf('', 'pods'),
    mutate({ object }) {
      const { spec = {} } = object as Pod;
      const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
      const asked = containers.flatMap(({ resources }) => Object.keys(resources?.requests ?? {}));
      const special = [...new Set(asked)].filter((name) => isExtended(name, dialect)).sort();
      if (special.length === 0) return object;
      const tolerations = special
        .map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' }))
        .reduce(withToleration, spec.tolerations ?? []);
      return { ...object, spec: { ...spec, tolerations } } as Pod;
    },
  };
}
