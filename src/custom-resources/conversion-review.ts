// What a conversion webhook is asked, and what can be made of its answer.

import { isJsonObject, type JsonObject, type JsonValue } from '../base/json/json.ts';
import type { ReviewVersion } from './conversion-review-type.ts';

/** The first of a definition that is understood. */
export const reviewVersionOf = (offered: readonly string[]): ReviewVersion | undefined =>
  offered.find((version): version is ReviewVersion => version === 'v1' || version === 'v1beta1');

export interface Review {
  /** Group of the review. */
  readonly group: string;
  readonly version: ReviewVersion;
  readonly uid: string;
  readonly apiVersion: string;
}

export function reviewOf({ group, version, uid, apiVersion }: Review, objects: readonly unknown[]): object {
  return {
    kind: 'ConversionReview',
    apiVersion: `${group}/${version}`,
    request: { uid, desiredAPIVersion: apiVersion, objects },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  };
}

/** The converted objects; throws what is wrong with the answer, or what the webhook reports about the objects. */
export function answeredObjects(review: Review, answer: JsonValue, webhook: string): readonly JsonValue[] {
  const failed = (why: string) => new Error(`${webhook} failed: ${why}`);
  const { kind, apiVersion, response } = isJsonObject(answer) ? answer : ({} as Partial<JsonObject>);
  const expected = `${review.group}/${review.version}`;
  // compat: reviews of v1beta1 are not held to their kind and uid
  const isStrict = review.version === 'v1';
  if (isStrict && (kind !== 'ConversionReview' || apiVersion !== expected))
    throw failed(
      `expected webhook response of ${kindText(expected, 'ConversionReview')}, got ${kindText(apiVersion, kind)}`,
    );
  if (!isJsonObject(response)) throw failed('no response provided');
  const { uid = '', result, convertedObjects } = response;
  if (isStrict && uid !== review.uid)
    throw failed(`expected response.uid=${JSON.stringify(review.uid)}, got ${JSON.stringify(short(uid))}`);
  const { status, message } = isJsonObject(result) ? result : ({} as Partial<JsonObject>);
  if (status !== 'Success')
    throw failed(
      typeof message === 'string' && message !== ''
        ? short(message)
        : `response.result.status was '${short(status ?? '')}', not 'Success'`,
    );
  return Array.isArray(convertedObjects) ? convertedObjects : [];
}

/** Texts of a webhook stand in messages and logs. */
const maxText = 1000;

export const short = (value: JsonValue | undefined): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, maxText);

/** A kind as messages have it. */
export function kindText(apiVersion: JsonValue | undefined, kind: JsonValue | undefined): string {
  return `${short(apiVersion ?? '')}, Kind=${short(kind ?? '')}`;
}
