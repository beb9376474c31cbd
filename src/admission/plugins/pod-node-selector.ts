// PodNodeSelector: pods run on nodes that their namespace, or else the cluster, selects, and on no others than are allowed.

import { getOwn } from '../../base/json/json.ts';
import { andThen } from '../../base/maybe-promise.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { checkLabelValue, checkQualifiedName } from '../../meta/names.ts';
import type { Labels } from '../../meta/object.ts';
import { forbidden, plainError } from '../../meta/status.ts';
import type { AdmissionEngines, PluginSettings } from '../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, creates, objectsOf } from '../plugin.ts';
import { namespaceOf } from '../request-namespace.ts';

type Engines = Pick<AdmissionEngines, 'dialect' | 'objects'> & {
  readonly settings: Pick<PluginSettings, 'podNodeSelector'>;
};

export function podNodeSelector({ dialect, objects, settings }: Engines): AdmissionPlugin {
  const key = `scheduler.alpha.${dialect.labelDomain}/node-selector`;
  const { clusterDefault, allowed } = settings.podNodeSelector;
  const check = (request: AdmissionRequest, selector: Labels, wanted: Labels) => {
    refuseClash(request, selector, wanted);
    const most = parseSelector(allowed.get(request.namespace) ?? '');
    const isWithin = Object.entries(selector).every(([name, value]) => getOwn(most, name) === value);
    if (Object.keys(most).length > 0 && !isWithin)
      throw refusalOf(request, 'pod node label selector labels conflict with its namespace whitelist');
  };
  const wantedIn = (request: AdmissionRequest) =>
    andThen(namespaceOf(request, objects), (namespace) =>
      parseSelector(namespace?.metadata.annotations?.[key] ?? clusterDefault),
    );
  return {
    name: 'PodNodeSelector',
    operations: creates,
    covers: objectsOf('', 'pods'),
    mutate(request) {
      const pod = request.object as Pod;
      return andThen(wantedIn(request), (wanted) => {
        const own = pod.spec?.nodeSelector ?? {};
        refuseClash(request, own, wanted);
        const nodeSelector = { ...wanted, ...own };
        check(request, nodeSelector, wanted);
        return Object.keys(nodeSelector).length === 0 ? pod : { ...pod, spec: { ...pod.spec, nodeSelector } };
      });
    },
    // plugins and webhooks after this one may have chosen other nodes
    validate: (request) =>
      andThen(wantedIn(request), (wanted) => check(request, (request.object as Pod).spec?.nodeSelector ?? {}, wanted)),
  };
}

/** compat: a pod whose name is made up later is refused without a name */
const refusalOf = ({ object }: AdmissionRequest, why: string) =>
  forbidden({ group: '', resource: 'pods', name: object?.metadata.name ?? '' }, why);

function refuseClash(request: AdmissionRequest, selector: Labels, wanted: Labels): void {
  const clash = Object.keys(wanted).some((name) => (getOwn(selector, name) ?? wanted[name]) !== wanted[name]);
  if (clash) throw refusalOf(request, 'pod node label selector conflicts with its namespace node label selector');
}

/** `a=b,c=d`. */
function parseSelector(text: string): Labels {
  if (text === '') return {};
  return Object.fromEntries(
    text.split(',').map((part) => {
      const words = part.split('=');
      if (words.length !== 2) throw plainError(`invalid selector: [${words.join(' ')}]`);
      const [name = '', value = ''] = words.map((word) => word.trim());
      refuseOdd('<nil>', name, checkQualifiedName(name));
      refuseOdd(`[${name}]`, value, checkLabelValue(value));
      return [name, value];
    }),
  );
}

/** compat: what is wrong with a selector in an annotation is reported at no field */
function refuseOdd(at: string, text: string, problems: readonly string[]): void {
  if (problems.length > 0) throw plainError(`${at}: Invalid value: ${JSON.stringify(text)}: ${problems.join('; ')}`);
}
