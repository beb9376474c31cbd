// The type of a ConversionReview: what a webhook answers is read by it. The two versions have one shape.

import type { ExpectedKind } from '../codec/decode-object.ts';
import { status } from '../groups/meta/v1/types.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import { embedded, field, listOf, rawExtension, string, struct } from '../schema/types.ts';
import { reviewScheme, schemeOfReviews } from '../webhooks/review-scheme.ts';

const versions = ['v1', 'v1beta1'] as const;

/** Versions of the review that are understood. */
export type ReviewVersion = (typeof versions)[number];

const always = { always: true, required: true } as const;

const reviewType = (home: string) =>
  struct(home, 'ConversionReview', 'Objects to convert, and the converted objects.', () => ({
    request: field(1, requestType(home), { pointer: true }),
    response: field(2, responseType(home), { pointer: true }),
  }));

const requestType = (home: string) =>
  struct(home, 'ConversionRequest', 'Objects to convert.', () => ({
    uid: field(1, string, { goType: 'types.UID', ...always }),
    desiredAPIVersion: field(2, string, always),
    objects: field(3, listOf(rawExtension), always),
  }));

const responseType = (home: string) =>
  struct(home, 'ConversionResponse', 'Converted objects.', () => ({
    uid: field(1, string, { goType: 'types.UID', ...always }),
    convertedObjects: field(2, listOf(rawExtension), always),
    result: field(3, embedded(status), always),
  }));

const types = Object.fromEntries(
  versions.map((version) => [version, reviewType(`apiextensions/${version}`)]),
) as Record<ReviewVersion, ReturnType<typeof reviewType>>;

const kinds = ['ConversionReview', 'CustomResourceDefinition', 'CustomResourceDefinitionList'];

/** What a webhook has to answer with that was asked in a version. */
export function answerKind(dialect: Dialect, version: ReviewVersion): ExpectedKind {
  const group = apiGroup(dialect, 'apiextensions');
  const scheme = reviewScheme({ name: schemeOfReviews(dialect), group, versions, kinds });
  return { group, version, kind: 'ConversionReview', type: types[version], scheme };
}
