// PodNodeSelector: pods run on nodes that their namespace, or else the cluster, selects, and on no others than are allowed.

import { getOwn } from '../../base/json.ts';
import { andThen } from '../../base/maybe-promise.ts';
import type { Pod } from '../../groups/core/v1/pod.ts';
import type { Labels } from '../../meta/object.ts';
import { plainError } from '../../meta/status.ts';
import type { AdmissionEngines, PluginSettings } from '../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, creates, objectsOf, refusal } from '../plugin.ts';
import { namespaces } from './namespace-lifecycle.ts';

type Engines = Pick<AdmissionEngines, 'dialect' | 'objects'> & {
  readonly settings: Pick<PluginSettings, 'podNodeSelector'>;
};

export function podNodeSelector({ dialect, objects, settings }: Engines): AdmissionPlugin {
  const key = `scheduler.alpha.${dialect.labelDomain}/node-selector`;
  const { clusterDefault, allowed } = settings.podNodeSelector;
  const check = (request: AdmissionRequest, selector: Labels, wanted: Labels) => {
    const clash = Object.keys(wanted).some((name) => (getOwn(selector, name) ?? wanted[name]) !== wanted[name]);
    if (clash) throw refusal(request, 'pod node label selector conflicts with its namespace node label selector');
    const most = parseSelector(allowed.get(request.namespace) ?? '');
    const isWithin = Object.entries({ ...wanted, ...selector }).every(([name, value]) => getOwn(most, name) === value);
    if (Object.keys(most).length > 0 && !isWithin)
      throw refusal(request, 'pod node label selector labels conflict with its namespace whitelist');
  };
  return {
    name: 'PodNodeSelector',
    operations: creates,
    covers: objectsOf('', 'pods'),
    mutate(request) {
      const pod = request.object as Pod;
      return andThen(objects.get(namespaces, { namespace: '', name: request.namespace }), (namespace) => {
        const wanted = parseSelector(namespace?.metadata.annotations?.[key] ?? clusterDefault);
        const own = pod.spec?.nodeSelector ?? {};
        check(request, own, wanted);
        const nodeSelector = { ...wanted, ...own };
        return Object.keys(nodeSelector).length === 0 ? pod : { ...pod, spec: { ...pod.spec, nodeSelector } };
      });
    },
  };
}

/** `a=b,c=d`. */
function parseSelector(text: string): Labels {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return Object.fromEntries(
    parts.map((part) => {
      const [name = '', value, ...rest] = part.split('=').map((word) => word.trim());
      if (name === '' || value === undefined || rest.length > 0) throw plainError(`invalid selector: [${part}]`);
      return [name, value];
    }),
  );
}
