// RuntimeClass: pods of a class cost what the class costs, and go to nodes that have it.

import { getOwn } from '../../base/json/json.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { PodSpec } from '../../groups/core/v1/pod/pod-spec.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import type { RuntimeClass } from '../../groups/node/v1/runtime-class.ts';
import { groupName } from '../../meta/dialect.ts';
import { plainError } from '../../meta/status.ts';
import { givenEmpty } from '../../schema/given-empty.ts';
import { meansSame } from '../../schema/same-meaning.ts';
import { mapOf, quantity } from '../../schema/types.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, creates, objectsOf, refusal } from '../plugin.ts';
import { mergedTolerations, type Toleration } from './tolerations.ts';

type Engines = Pick<AdmissionEngines, 'dialect' | 'objects'>;
type Amounts = Readonly<Record<string, string>>;

const mismatch = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

export function runtimeClass(engines: Engines): AdmissionPlugin {
  const refusesGiven = engines.dialect.rules.givenOverhead === 'refused';
  return {
    name: 'RuntimeClass',
    operations: creates,
    covers: objectsOf('', 'pods'),
    mutate(request) {
      const pod = request.object as Pod;
      if (refusesGiven && pod.spec?.overhead !== undefined)
        throw refusal(request, 'pod rejected: Overhead is set by its RuntimeClass and must not be given');
      return andThen(classOf(engines, request), (found) => {
        if (found === undefined) return pod;
        return { ...pod, spec: withScheduling(request, withOverhead(request, pod.spec ?? {}, found), found) };
      });
    },
    validate: (request) =>
      andThen(classOf(engines, request), (found) => {
        const given = givenOverhead(request.object as Pod);
        const defined = found?.overhead;
        if (defined !== undefined && !isSame(given, defined.podFixed)) throw refusal(request, mismatch);
        if (defined === undefined && given !== undefined)
          throw refusal(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
      }),
  };
}

function classOf({ dialect, objects }: Engines, request: AdmissionRequest): MaybePromise<RuntimeClass | undefined> {
  const name = (request.object as Pod).spec?.runtimeClassName;
  if (name === undefined) return undefined;
  if (name === '') throw plainError('resource name may not be empty');
  const resource = { group: groupName(dialect, 'node'), version: 'v1', resource: 'runtimeclasses' };
  return andThen(objects.get(resource, { namespace: '', name }), (found) => {
    if (found !== undefined) return found as RuntimeClass;
    throw refusal(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  });
}

function withOverhead(request: AdmissionRequest, spec: PodSpec, { overhead }: RuntimeClass): PodSpec {
  if (overhead === undefined) return spec;
  if (spec.overhead !== undefined && !isSame(spec.overhead, overhead.podFixed)) throw refusal(request, mismatch);
  return overhead.podFixed === undefined ? spec : { ...spec, overhead: overhead.podFixed };
}

/** Also one that is given empty, which is stored as none. */
const givenOverhead = ({ spec = {} }: Pod): Amounts | undefined =>
  spec.overhead ?? (givenEmpty(spec, 'overhead') as Amounts | undefined);

const amounts = mapOf(quantity);

const isSame = (one: Amounts | undefined, other: Amounts | undefined) => meansSame(amounts, one, other);

function withScheduling(request: AdmissionRequest, spec: PodSpec, { scheduling }: RuntimeClass): PodSpec {
  if (scheduling === undefined) return spec;
  const { nodeSelector = {} } = scheduling;
  for (const [key, value] of Object.entries(nodeSelector)) {
    const own = getOwn(spec.nodeSelector ?? {}, key);
    if (own === undefined || own === value) continue;
    const both = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`;
    throw refusal(request, `conflict: ${both}`);
  }
  const selector = { ...spec.nodeSelector, ...nodeSelector };
  const tolerations = mergedTolerations(
    spec.tolerations ?? [],
    (scheduling.tolerations ?? []) as readonly Toleration[],
  );
  return {
    ...spec,
    ...(Object.keys(selector).length > 0 ? { nodeSelector: selector } : {}),
    ...(tolerations.length > 0 ? { tolerations } : {}),
  };
}
