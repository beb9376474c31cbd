// AlwaysPullImages: no pod uses an image that only another pod had the right to pull.

import type { Pod } from '../../groups/core/v1/pod.ts';
import type { PodSpec } from '../../groups/core/v1/pod-spec.ts';
import { notSupported } from '../../meta/field-errors.ts';
import { type AdmissionPlugin, type AdmissionRequest, objectsOf, refusal, writes } from '../plugin.ts';

const always = 'Always';
const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export function alwaysPullImages(): AdmissionPlugin {
  return {
    name: 'AlwaysPullImages',
    operations: writes,
    covers: objectsOf('', 'pods', 'ephemeralcontainers'),
    mutate(request) {
      if (usesKnownImages(request)) return request.object;
      const pod = request.object as Pod;
      return { ...pod, spec: pulling(pod.spec ?? {}) };
    },
    validate(request) {
      if (usesKnownImages(request)) return;
      const { spec = {} } = request.object as Pod;
      for (const list of lists) {
        (spec[list] ?? []).forEach(({ imagePullPolicy }, index) => {
          if (imagePullPolicy === always) return;
          const { field, message } = notSupported(`spec.${list}[${index}].imagePullPolicy`, imagePullPolicy ?? '', [
            always,
          ]);
          throw refusal(request, `${field}: ${message}`);
        });
      }
    },
  };
}

function pulling(spec: PodSpec): PodSpec {
  const pulled: Record<string, unknown> = {};
  for (const list of lists)
    if (spec[list] !== undefined) pulled[list] = spec[list].map((one) => ({ ...one, imagePullPolicy: always }));
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

const imagesOf = ({ spec = {} }: Pod): readonly string[] => [
  ...lists.flatMap((list) => (spec[list] ?? []).map(({ image = '' }) => image)),
  ...(spec.volumes ?? []).flatMap(({ image }) => (image === undefined ? [] : [image.reference ?? ''])),
];
