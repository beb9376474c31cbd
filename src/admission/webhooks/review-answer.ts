// The answer of a webhook, checked: what it says counts only if it is an answer to the question that was asked.

import type { JsonObject } from '../../base/json/json.ts';
import type { AdmissionReview } from './admission-review.ts';
import type { ReviewResponse, ReviewStatus } from './review-type.ts';

export interface ReviewAnswer {
  readonly allowed: boolean;
  /** Why not, as far as the webhook says. */
  readonly status: ReviewStatus | undefined;
  /** The JSON patch in bytes; undefined where there is none. */
  readonly patch: Buffer | undefined;
  readonly patchType: string;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** Something that is no answer. */
export class InvalidAnswerError extends Error {}

interface Expectation {
  readonly review: AdmissionReview;
  readonly uid: string;
  /** Whether the webhook may change the object. */
  readonly mutates: boolean;
}

interface AnsweredReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly response?: ReviewResponse;
}

/** `body` was read as a review. */
export function readAnswer(body: JsonObject, expected: Expectation): ReviewAnswer {
  const answered = body as unknown as AnsweredReview;
  const { response } = answered;
  if (response === undefined) throw new InvalidAnswerError('webhook response was absent');
  const isStrict = expected.review.apiVersion.endsWith('/v1');
  // compat: an answer in v1beta1 counts whatever uid and kind it names
  if (isStrict) checkIdentity(answered, response, expected);
  const patch = response.patch ? Buffer.from(response.patch, 'base64') : undefined;
  if (isStrict) checkPatch(patch !== undefined, response.patchType, expected.mutates);
  const { allowed = false, status, warnings = [], auditAnnotations = {} } = response;
  const patchType = isStrict ? (response.patchType ?? '') : patch === undefined ? '' : 'JSONPatch';
  return { allowed, status, patch: expected.mutates ? patch : undefined, patchType, warnings, auditAnnotations };
}

function checkIdentity(answered: AnsweredReview, { uid: found = '' }: ReviewResponse, expected: Expectation): void {
  const { review, uid } = expected;
  if (found !== uid)
    throw new InvalidAnswerError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(found)}`);
  const { apiVersion = '', kind = '' } = answered;
  if (apiVersion === review.apiVersion && kind === review.kind) return;
  const wanted = shownKind(review.apiVersion, review.kind);
  throw new InvalidAnswerError(`expected webhook response of ${wanted}, got ${shownKind(apiVersion, kind)}`);
}

function shownKind(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

function checkPatch(hasPatch: boolean, type: string | undefined, mutates: boolean): void {
  const no = (wrong: boolean, message: string) => {
    if (wrong) throw new InvalidAnswerError(message);
  };
  const hasType = type !== undefined;
  no(!mutates && hasPatch, 'validating webhook may not return response.patch');
  no(!mutates && hasType, 'validating webhook may not return response.patchType');
  no(hasPatch && !hasType, 'webhook returned response.patch but not response.patchType');
  no(!hasPatch && hasType, 'webhook returned response.patchType but not response.patch');
  no(type === '', 'webhook returned invalid response.patchType of ""');
}
