// The type of an ImageReview: what the backend answers is read by it.

import { objectMeta } from '../../../groups/meta/v1/types.ts';
import { bool, field, type Infer, listOf, mapOf, string, struct } from '../../../schema/types.ts';

const home = 'imagepolicy/v1alpha1';

const container = struct(home, 'ImageReviewContainerSpec', 'A container.', () => ({ image: field(1, string) }));

const spec = struct(home, 'ImageReviewSpec', 'What a pod wants to run.', () => ({
  containers: field(1, listOf(container)),
  annotations: field(2, mapOf(string)),
  namespace: field(3, string),
}));

const status = struct(home, 'ImageReviewStatus', 'What the backend says about it.', () => ({
  allowed: field(1, bool, { always: true, required: true }),
  reason: field(2, string),
  auditAnnotations: field(3, mapOf(string)),
}));

export const imageReviewType = struct(home, 'ImageReview', 'A question about images, and its answer.', () => ({
  metadata: field(1, objectMeta, { always: true }),
  spec: field(2, spec, { always: true, required: true }),
  status: field(3, status, { always: true }),
}));

export type AnsweredImageReview = Infer<typeof imageReviewType>;
