// The type of an AdmissionReview: what a webhook answers is read by it. The two versions have one shape.

import type { ExpectedKind } from '../../codec/decode-object.ts';
import { userInfo } from '../../groups/authentication/v1/user-info.ts';
import { status } from '../../groups/meta/v1/types.ts';
import { type Dialect, groupName } from '../../meta/dialect.ts';
import {
  bool,
  bytes,
  embedded,
  field,
  type Infer,
  listOf,
  mapOf,
  rawExtension,
  string,
  struct,
} from '../../schema/types.ts';
import { reviewScheme, schemeOfReviews } from '../../webhooks/review-scheme.ts';

/** Versions of reviews that this server sends. */
export const knownVersions: readonly string[] = ['v1', 'v1beta1'];

const always = { always: true, required: true } as const;

const groupVersionKind = struct('meta/v1', 'GroupVersionKind', 'A kind in a version of a group.', () => ({
  group: field(1, string, always),
  version: field(2, string, always),
  kind: field(3, string, always),
}));

const groupVersionResource = struct('meta/v1', 'GroupVersionResource', 'A resource in a version of a group.', () => ({
  group: field(1, string, always),
  version: field(2, string, always),
  resource: field(3, string, always),
}));

const reviewType = (home: string) =>
  struct(home, 'AdmissionReview', 'A question about a request, and its answer.', () => ({
    request: field(1, requestType(home), { pointer: true }),
    response: field(2, responseType(home), { pointer: true }),
  }));

const requestType = (home: string) =>
  struct(home, 'AdmissionRequest', 'The request in question.', () => ({
    uid: field(1, string, { goType: 'types.UID', ...always }),
    kind: field(2, groupVersionKind, always),
    resource: field(3, groupVersionResource, always),
    subResource: field(4, string),
    requestKind: field(13, groupVersionKind, { pointer: true }),
    requestResource: field(14, groupVersionResource, { pointer: true }),
    requestSubResource: field(15, string),
    name: field(5, string),
    namespace: field(6, string),
    operation: field(7, string, { goType: 'Operation', ...always }),
    userInfo: field(8, userInfo, always),
    object: field(9, rawExtension),
    oldObject: field(10, rawExtension),
    dryRun: field(11, bool, { pointer: true }),
    options: field(12, rawExtension),
  }));

const responseType = (home: string) =>
  struct(home, 'AdmissionResponse', 'What a webhook says about a request.', () => ({
    uid: field(1, string, { goType: 'types.UID', ...always }),
    allowed: field(2, bool, always),
    status: field(3, embedded(status), { pointer: true }),
    patch: field(4, bytes),
    patchType: field(5, string, { goType: 'PatchType', pointer: true }),
    auditAnnotations: field(6, mapOf(string)),
    warnings: field(7, listOf(string)),
  }));

export type ReviewResponse = Infer<ReturnType<typeof responseType>>;
export type ReviewStatus = NonNullable<ReviewResponse['status']>;

const types = new Map(knownVersions.map((version) => [version, reviewType(`admission/${version}`)]));

/** What a webhook has to answer with that was asked in a version. */
export function answerKind(dialect: Dialect, version: string): ExpectedKind {
  const group = groupName(dialect, 'admission');
  const known = kinds.get(`${group}/${version}`);
  if (known !== undefined) return known;
  const kind = {
    ...{ group, version, kind: 'AdmissionReview' },
    type: types.get(version) as ReturnType<typeof reviewType>,
    scheme: reviewScheme({
      name: schemeOfReviews(dialect),
      group,
      versions: knownVersions,
      kinds: ['AdmissionReview'],
    }),
  };
  kinds.set(`${group}/${version}`, kind);
  return kind;
}

/** Made once for each version of a dialect. */
const kinds = new Map<string, ExpectedKind>();
