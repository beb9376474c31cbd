// NodeDeclaredFeatureValidator: a pod on a node is changed only in ways that the node says it can follow.

import { isSameJson } from '../../base/json/json.ts';
import { andThen } from '../../base/maybe-promise.ts';
import type { PodSpec } from '../../groups/core/v1/pod/pod-spec.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { resourceRequirements } from '../../groups/core/v1/pod/resources.ts';
import { meansSame } from '../../schema/same-meaning.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, objectsOf, refusal } from '../plugin.ts';
import { nodeOfPod } from './node-of-pod.ts';
import { isSameSpec } from './pod-resize-validator.ts';

type Engines = Pick<AdmissionEngines, 'objects' | 'gates'>;
type Needs = (next: PodSpec, old: PodSpec) => boolean;

/** What a change of a pod may need, in the order of names. */
const features: readonly (readonly [string, Needs])[] = [
  [
    'InPlacePodLevelResourcesVerticalScaling',
    (next, old) => !meansSame(resourceRequirements, next.resources, old.resources),
  ],
  ['InPlacePodVerticalScalingInitContainers', resizesInitContainer],
];

export function nodeDeclaredFeatureValidator({ objects, gates }: Engines): AdmissionPlugin {
  const isAboutPods = objectsOf('', 'pods', 'resize');
  return {
    name: 'NodeDeclaredFeatureValidator',
    operations: ['UPDATE'],
    covers: (definition, subresource) => gates.NodeDeclaredFeatures && isAboutPods(definition, subresource),
    validate(request) {
      const [pod, old] = [request.object as Pod, request.oldObject as Pod];
      if (!pod.spec?.nodeName || isSameSpec(request)) return;
      const needed = neededFor(pod.spec, old.spec ?? {});
      if (needed.length === 0) return;
      return andThen(nodeOfPod(objects, request, pod.spec.nodeName), ({ metadata, status }) => {
        const missing = needed.filter((name) => !status?.declaredFeatures?.includes(name));
        if (missing.length === 0) return;
        const node = JSON.stringify(metadata.name);
        throw refusal(
          request,
          `pod update requires features ${missing.join(', ')} which are not available on node ${node}`,
        );
      });
    },
  };
}

const neededFor = (next: PodSpec, old: PodSpec): readonly string[] =>
  features.filter(([, needs]) => needs(next, old)).map(([name]) => name);

function resizesInitContainer(next: PodSpec, old: PodSpec): boolean {
  return (old.initContainers ?? []).some(
    ({ restartPolicy, resources }, index) =>
      restartPolicy !== 'Always' && !isSameJson(resources, next.initContainers?.[index]?.resources),
  );
}
