// AlwaysPullImages: no pod uses an image that only another pod had the right to pull.

import type { PodSpec } from '../../groups/core/v1/pod/pod-spec.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { notSupported } from '../../meta/field-errors.ts';
import { plainError } from '../../meta/status.ts';
import { type AdmissionPlugin, type AdmissionRequest, objectsOf, refusal, writes } from '../plugin.ts';

const always = 'Always';
const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export function alwaysPullImages(): AdmissionPlugin {
  return {
    name: 'AlwaysPullImages',
    operations: writes,
    covers: objectsOf('', 'pods'),
    mutate(request) {
      if (usesKnownImages(request)) return request.object;
      const pod = request.object as Pod;
      return { ...pod, spec: pulling(pod.spec ?? {}) };
    },
    validate(request) {
      if (usesKnownImages(request)) return;
      const wrong = unpulled(request.object as Pod).map(({ at, policy }) => {
        const { field, message } = notSupported(at, policy, [always]);
        return refusal(request, `${field}: ${message}`).message;
      });
      if (wrong.length > 0) throw plainError(wrong.length === 1 ? (wrong[0] as string) : `[${wrong.join(', ')}]`);
    },
  };
}

/** What a later plugin has changed back. */
function unpulled({ spec = {} }: Pod): readonly { readonly at: string; readonly policy: string }[] {
  const containers = lists.flatMap((list) =>
    (spec[list] ?? []).map(({ imagePullPolicy: policy = '' }, index) => ({
      ...{ at: `spec.${list}[${index}].imagePullPolicy`, policy },
    })),
  );
  const volumes = (spec.volumes ?? []).flatMap(({ image }, index) =>
    image === undefined ? [] : [{ at: `spec.volumes[${index}].image.pullPolicy`, policy: image.pullPolicy ?? '' }],
  );
  return [...containers, ...volumes].filter(({ policy }) => policy !== always);
}

function pulling(spec: PodSpec): PodSpec {
  const pulled: Record<string, unknown> = {};
  // null where the client sent no containers, which is refused later
  for (const list of lists)
    if (spec[list]) pulled[list] = spec[list].map((one) => ({ ...one, imagePullPolicy: always }));
  if (spec.volumes?.some(({ image }) => image !== undefined))
    pulled['volumes'] = spec.volumes.map((one) =>
      one.image === undefined ? one : { ...one, image: { ...one.image, pullPolicy: always } },
    );
  return { ...spec, ...pulled };
}

/** Pods from before the plugin was turned on can still be changed. */
function usesKnownImages({ operation, object, oldObject }: AdmissionRequest): boolean {
  if (operation !== 'UPDATE') return false;
  const known = new Set(imagesOf(oldObject as Pod));
  return imagesOf(object as Pod).every((image) => known.has(image));
}

const imagesOf = ({ spec = {} }: Pod): readonly string[] =>
  lists.flatMap((list) => (spec[list] ?? []).map(({ image = '' }) => image));
