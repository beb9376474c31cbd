// PodResizeValidator: a pod on a node is resized only to what that node can ever give.

import { andThen } from '../../base/maybe-promise.ts';
import type { Node } from '../../groups/core/v1/node/node-type.ts';
import { podRequests } from '../../groups/core/v1/pod/pod-resources.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { labelKey } from '../../meta/dialect.ts';
import { atScale, compareQuantities, parseQuantity, type Quantity } from '../../meta/quantity.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, partsOf, refusal } from '../plugin.ts';
import { nodeOfPod } from './node-of-pod.ts';

type Engines = Pick<AdmissionEngines, 'dialect' | 'objects'>;

const nothing = parseQuantity('0') as Quantity;
/** What is compared, and the scale in which messages show it. */
const compared = [
  ['cpu', -3],
  ['memory', 0],
] as const;

export function podResizeValidator(engines: Engines): AdmissionPlugin {
  const osLabel = labelKey(engines.dialect, 'os');
  return {
    name: 'PodResizeValidator',
    operations: ['UPDATE'],
    covers: partsOf('', 'pods', 'resize'),
    validate(request) {
      const pod = request.object as Pod;
      if (!pod.spec?.nodeName || isSameSpec(request)) return;
      return andThen(nodeOfPod(engines.objects, request, pod.spec.nodeName), (node) => {
        const os = node.metadata.labels?.[osLabel] ?? 'linux';
        if (os !== 'linux') throw cannotResize(request, foreignSystem(node, os), 'UnsupportedPlatform');
        const lacking = lackingOn(node, pod);
        if (lacking.length > 0) throw cannotResize(request, tooLittle(lacking), 'NodeCapacity');
      });
    },
  };
}

/** The generation tells whether the spec changes. */
export const isSameSpec = ({ object, oldObject }: AdmissionRequest): boolean =>
  object?.metadata.generation === oldObject?.metadata.generation;

const foreignSystem = ({ metadata }: Node, os: string) =>
  `pod resize is only supported on linux nodes, node ${JSON.stringify(metadata.name)} is ${JSON.stringify(os)}`;

const tooLittle = (lacking: readonly string[]) =>
  `node didn't have enough allocatable resources: ${lacking.join('; ')}`;

function lackingOn({ status }: Node, { spec = {} }: Pod): readonly string[] {
  const requested = podRequests(spec);
  return compared.flatMap(([name, scale]) => {
    const wanted = requested.get(name) ?? nothing;
    const there = parseQuantity(status?.allocatable?.[name] ?? '0') ?? nothing;
    if (compareQuantities(wanted, there) <= 0) return [];
    return [`${name}, requested: ${atScale(wanted, scale)}, allocatable: ${atScale(there, scale)}`];
  });
}

const cannotResize = (request: AdmissionRequest, why: string, reason: string) => refusal(request, why, [{ reason }]);
