// ImageReview: which images a pod wants to run, and what the backend says about them.

import type { JsonValue } from '../../../base/json.ts';
import { JsonFields } from '../../../base/json-fields.ts';
import type { Pod } from '../../../groups/core/v1/pod.ts';
import { apiGroup, type Dialect } from '../../../meta/dialect.ts';
import type { AdmissionRequest } from '../../plugin.ts';

interface ImageReviewSpec {
  readonly containers?: readonly { readonly image?: string }[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly namespace?: string;
}

export interface ImageVerdict {
  readonly allowed: boolean;
  readonly reason: string;
  /** In the order in which the backend gave them. */
  readonly auditAnnotations: readonly (readonly [string, string])[];
}

const kind = 'ImageReview';
export const imageReviewVersion = (dialect: Dialect): string => `${apiGroup(dialect, 'imagepolicy')}/v1alpha1`;

/** Containers that are added later are asked about by themselves. */
export function imageReviewSpec({ object, namespace, subresource }: AdmissionRequest, mark: string): ImageReviewSpec {
  const { spec = {}, metadata } = object as Pod;
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec;
  const asked = subresource === '' ? [...containers, ...initContainers] : ephemeralContainers;
  const marked = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.includes(mark));
  return {
    ...(asked.length === 0 ? {} : { containers: asked.map(({ image }) => (image ? { image } : {})) }),
    ...(marked.length === 0 ? {} : { annotations: Object.fromEntries(marked.sort(byKey)) }),
    ...(namespace === '' ? {} : { namespace }),
  };
}

const byKey = ([a]: readonly [string, string], [b]: readonly [string, string]) => (a < b ? -1 : 1);

export const imageReview = (dialect: Dialect, spec: ImageReviewSpec): object => ({
  ...{ kind, apiVersion: imageReviewVersion(dialect), metadata: {}, spec, status: { allowed: false } },
});

/** Throws an error in words where the answer is none. */
export function readVerdict(answer: JsonValue, dialect: Dialect): ImageVerdict {
  const fields = JsonFields.of(answer, '');
  const is = (name: string, wanted: string) => {
    const said = fields.text(name);
    if (said !== '' && said !== wanted) throw new Error(`${name}: ${JSON.stringify(said)} is not ${wanted}`);
  };
  is('kind', kind);
  is('apiVersion', imageReviewVersion(dialect));
  const status = fields.object('status') ?? JsonFields.of(undefined, 'status');
  const annotations = status.object('auditAnnotations');
  return {
    allowed: status.flag('allowed'),
    reason: status.text('reason'),
    auditAnnotations: (annotations?.names ?? []).map((name) => [name, annotations?.text(name) ?? ''] as const),
  };
}
