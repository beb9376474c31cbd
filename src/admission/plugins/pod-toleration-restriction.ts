// PodTolerationRestriction: pods tolerate what their namespace, or else the cluster, adds, and nothing that is not allowed.

import { JsonSyntaxError, scanJson } from '../../base/json/json-scan.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { toleration } from '../../groups/core/v1/pod/affinity.ts';
import { qosClassOf } from '../../groups/core/v1/pod/pod-resources.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { nodeTaint } from '../../meta/dialect.ts';
import { plainError } from '../../meta/status.ts';
import { decoderOf } from '../../schema/decode.ts';
import { DecodeContext } from '../../schema/decode-context.ts';
import { listOf } from '../../schema/types.ts';
import { TypeMismatch } from '../../wording/type-mismatch.ts';
import type { AdmissionEngines, PluginSettings } from '../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, objectsOf, refusal, writes } from '../plugin.ts';
import { namespaceOf } from '../request-namespace.ts';
import { conflict, covers, mergedTolerations, type Toleration } from './tolerations.ts';

type Engines = Pick<AdmissionEngines, 'dialect' | 'objects'> & {
  readonly settings: Pick<PluginSettings, 'podTolerations'>;
};

export function podTolerationRestriction({ dialect, objects, settings }: Engines): AdmissionPlugin {
  const prefix = `scheduler.alpha.${dialect.labelDomain}/`;
  const { defaults, allowed } = settings.podTolerations;
  const refusesConflicts = dialect.rules.conflictingTolerations === 'refused';
  const pressure = { key: nodeTaint(dialect, 'memory-pressure'), operator: 'Exists', effect: 'NoSchedule' };
  const said = (request: AdmissionRequest, name: string): MaybePromise<readonly Toleration[] | undefined> =>
    andThen(namespaceOf(request, objects), (namespace) =>
      parsed(namespace?.metadata.annotations?.[`${prefix}${name}`]),
    );
  return {
    name: 'PodTolerationRestriction',
    operations: writes,
    covers: objectsOf('', 'pods'),
    mutate(request) {
      const pod = request.object as Pod;
      const { spec = {} } = pod;
      const given = request.operation === 'CREATE' ? said(request, 'defaultTolerations') : [];
      return andThen(given, (ofNamespace) => {
        const own = spec.tolerations ?? [];
        const added = request.operation === 'CREATE' ? (ofNamespace ?? defaults) : [];
        if (refusesConflicts && conflict(added, own))
          throw refusal(request, 'namespace tolerations and pod tolerations conflict');
        const extra = qosClassOf(spec) === 'BestEffort' ? added : [...added, pressure];
        const changed =
          extra.length === 0 ? pod : { ...pod, spec: { ...spec, tolerations: mergedTolerations(own, extra) } };
        return andThen(check(request, changed), () => changed);
      });
    },
    // plugins and webhooks after this one may have added others
    validate: (request) => check(request, request.object as Pod),
  };

  function check(request: AdmissionRequest, { spec }: Pod): MaybePromise<void> {
    const { tolerations = [] } = spec ?? {};
    if (tolerations.length === 0) return;
    return andThen(said(request, 'tolerationsWhitelist'), (ofNamespace) => {
      const list = ofNamespace ?? allowed;
      const isAllowed = (one: Toleration) => list.some((other) => covers(other, one));
      if (list.length === 0 || tolerations.every(isAllowed)) return;
      const scope = ofNamespace === undefined ? 'cluster' : 'namespace';
      const why = `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`;
      throw dialect.rules.disallowedTolerations === 403 ? refusal(request, why) : plainError(why);
    });
  }
}

/** A list as JSON; empty text is an empty list. */
function parsed(text: string | undefined): readonly Toleration[] | undefined {
  if (text === undefined) return undefined;
  if (text === '') return [];
  try {
    return decode(scanJson(text), new DecodeContext()) as readonly Toleration[];
  } catch (error) {
    if (error instanceof TypeMismatch) throw plainError(error.message);
    if (error instanceof JsonSyntaxError) throw plainError(error.message);
    throw error;
  }
}

const decode = decoderOf(listOf(toleration));
