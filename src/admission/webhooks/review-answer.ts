// The answer of a webhook, checked: what it says counts only if it is an answer to the question that was asked.

import { type JsonValue, setOwn } from '../../base/json.ts';
import { FieldTypeError, JsonFields } from '../../base/json-fields.ts';
import type { AdmissionReview } from './admission-review.ts';

export interface ReviewAnswer {
  readonly allowed: boolean;
  /** Why not, as far as the webhook says. */
  readonly status: JsonFields | undefined;
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

export function readAnswer(body: JsonValue, expected: Expectation): ReviewAnswer {
  const fields = JsonFields.of(body, '');
  const response = fields.object('response');
  if (response === undefined) throw new InvalidAnswerError('webhook response was absent');
  const isStrict = expected.review.apiVersion.endsWith('/v1');
  // compat: an answer in v1beta1 counts whatever uid and kind it names
  if (isStrict) checkIdentity(fields, response, expected);
  const patch = patchOf(response);
  const patchType = isStrict ? response.text('patchType') : patch === undefined ? '' : 'JSONPatch';
  if (isStrict) checkPatch(patch !== undefined, response.value('patchType') !== undefined, patchType, expected.mutates);
  return {
    allowed: response.flag('allowed'),
    status: response.object('status'),
    patch: expected.mutates ? patch : undefined,
    patchType,
    warnings: response.texts('warnings'),
    auditAnnotations: textsOf(response.object('auditAnnotations')),
  };
}

function checkIdentity(fields: JsonFields, response: JsonFields, { review, uid }: Expectation): void {
  const found = response.text('uid');
  if (found !== uid)
    throw new InvalidAnswerError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(found)}`);
  const [apiVersion, kind] = [fields.text('apiVersion'), fields.text('kind')];
  if (apiVersion === review.apiVersion && kind === review.kind) return;
  const wanted = shownKind(review.apiVersion, review.kind);
  throw new InvalidAnswerError(`expected webhook response of ${wanted}, got ${shownKind(apiVersion, kind)}`);
}

function shownKind(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

function checkPatch(hasPatch: boolean, hasType: boolean, type: string, mutates: boolean): void {
  const no = (wrong: boolean, message: string) => {
    if (wrong) throw new InvalidAnswerError(message);
  };
  no(!mutates && hasPatch, 'validating webhook may not return response.patch');
  no(!mutates && hasType, 'validating webhook may not return response.patchType');
  no(hasPatch && !hasType, 'webhook returned response.patch but not response.patchType');
  no(!hasPatch && hasType, 'webhook returned response.patchType but not response.patch');
  no(hasType && type === '', 'webhook returned invalid response.patchType of ""');
}

function patchOf(response: JsonFields): Buffer | undefined {
  const text = response.text('patch');
  if (text === '') return undefined;
  if (!/^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/.test(text)) throw new FieldTypeError('response.patch: illegal base64 data');
  return Buffer.from(text, 'base64');
}

function textsOf(fields: JsonFields | undefined): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const name of fields?.names ?? []) setOwn(texts, name, fields?.text(name) ?? '');
  return texts;
}
