// DefaultTolerationSeconds: pods that say nothing about it leave a node some time after it stopped being well.

import type { PodSpec } from '../../groups/core/v1/pod/pod-spec.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { nodeTaint } from '../../meta/dialect.ts';
import type { AdmissionEngines, PluginSettings } from '../engines.ts';
import { type AdmissionPlugin, objectsOf, writes } from '../plugin.ts';

type Toleration = NonNullable<PodSpec['tolerations']>[number];

export function defaultTolerationSeconds({
  dialect,
  settings,
}: Pick<AdmissionEngines, 'dialect'> & {
  readonly settings: Pick<PluginSettings, 'notReadyTolerationSeconds' | 'unreachableTolerationSeconds'>;
}): AdmissionPlugin {
  const defaults: readonly Toleration[] = [
    ['not-ready', settings.notReadyTolerationSeconds] as const,
    ['unreachable', settings.unreachableTolerationSeconds] as const,
  ].map(([condition, tolerationSeconds]) => ({
    key: nodeTaint(dialect, condition),
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds,
  }));
  return {
    name: 'DefaultTolerationSeconds',
    operations: writes,
    covers: objectsOf('', 'pods'),
    mutate({ object }) {
      const { spec = {} } = object as Pod;
      const { tolerations = [] } = spec;
      const missing = defaults.filter(({ key }) => !tolerations.some((one) => tolerates(one, key)));
      return missing.length === 0
        ? object
        : ({ ...object, spec: { ...spec, tolerations: [...tolerations, ...missing] } } as Pod);
    },
  };
}

const tolerates = ({ key, effect }: Toleration, taint: string | undefined) =>
  (!key || key === taint) && (!effect || effect === 'NoExecute');
