// ImageReview: which images a pod wants to run, and what the backend says about them.

import type { JsonObject } from '../../../base/json/json.ts';
import type { ExpectedKind } from '../../../codec/decode-object.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import { apiGroup, type Dialect } from '../../../meta/dialect.ts';
import { reviewScheme } from '../../../webhooks/review-scheme.ts';
import type { AdmissionRequest } from '../../plugin.ts';
import { type AnsweredImageReview, imageReviewType } from './image-review-type.ts';

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
const version = 'v1alpha1';
export const imageReviewVersion = (dialect: Dialect): string => `${apiGroup(dialect, 'imagepolicy')}/${version}`;

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

/** What the backend has to answer with. */
export function verdictKind(dialect: Dialect): ExpectedKind {
  const group = apiGroup(dialect, 'imagepolicy');
  // compat: messages name a scheme by where the reference server declares it
  const name = 'pkg/api/legacyscheme/scheme.go:30';
  const scheme = reviewScheme({ group, versions: [version], kinds: [kind], name });
  return { group, version, kind, type: imageReviewType, scheme };
}

/** `answer` was read as a review. */
export function verdictIn(answer: JsonObject): ImageVerdict {
  const { allowed = false, reason = '', auditAnnotations = {} } = (answer as AnsweredImageReview).status ?? {};
  return { allowed, reason, auditAnnotations: Object.entries(auditAnnotations) };
}
