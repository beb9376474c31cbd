// One call of a webhook: asked within the time of the request, its answer checked, what it tells passed on.

import type { JsonObject, JsonValue } from '../../base/json/json.ts';
import { parseJson, UnreadableError } from '../../codec/body.ts';
import { checkQualifiedName } from '../../meta/names.ts';
import { badRequest } from '../../meta/status.ts';
import { patchProblem } from '../../patch/json-patch.ts';
import type { HostCredentials } from '../../webhooks/webhook-credentials.ts';
import { WebhookCallError } from '../../webhooks/webhook-failure.ts';
import type { AdmissionEngines } from '../engines.ts';
import type { AdmissionRequest } from '../plugin.ts';
import { reviewOf, reviewVersion } from './admission-review.ts';
import { InvalidAnswerError, type ReviewAnswer, readAnswer } from './review-answer.ts';
import { answerKind } from './review-type.ts';
import type { WantedRequest } from './wanted-request.ts';
import type { Hook } from './webhook-source.ts';
import { CallingWebhookError, WebhookDenial } from './webhook-verdict.ts';

export interface CallContext {
  readonly engines: Pick<AdmissionEngines, 'dialect' | 'clock' | 'webhooks'>;
  readonly credentialsFor: HostCredentials;
  /** Whether the webhook may change the object. */
  readonly mutates: boolean;
}

/** Throws a CallingWebhookError where there is no answer, and a WebhookDenial where it is no. */
export async function callWebhook(hook: Hook, wanted: WantedRequest, context: CallContext): Promise<ReviewAnswer> {
  const { webhook, name } = hook;
  const { request } = wanted;
  checkDryRun(hook, request);
  const version = reviewVersion(webhook.admissionReviewVersions ?? []);
  if (version === undefined) throw new CallingWebhookError(name, noVersion, { code: 400 });
  const { engines, mutates } = context;
  const uid = engines.webhooks.newUid();
  const review = reviewOf(wanted, uid, version, engines.dialect);
  const body = await post(hook, review, version, wanted, context);
  const answer = checked(hook, () => readAnswer(body, { review, uid, mutates }));
  passOn(hook, answer, request);
  if (!answer.allowed) throw new WebhookDenial(name, answer.status);
  return answer;
}

const noVersion =
  'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)';

const harmless: readonly (string | undefined)[] = ['None', 'NoneOnDryRun'];

/** A dry run has no effects: a webhook that may have some is not asked, and the request fails. */
function checkDryRun({ webhook, name }: Hook, { dryRun }: AdmissionRequest): void {
  if (!dryRun || harmless.includes(webhook.sideEffects)) return;
  if (webhook.sideEffects === undefined)
    throw new CallingWebhookError(name, 'Webhook SideEffects is nil', { code: 400 });
  throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
}

/** Of configurations that say nothing, as the older version may. */
const usualSeconds = 30;

async function post(
  { webhook, name, target }: Hook,
  review: object,
  version: string,
  { request, traceHeaders }: WantedRequest,
  context: CallContext,
): Promise<JsonObject> {
  const { engines, credentialsFor } = context;
  const left = request.deadline - engines.clock.now();
  const timeoutMs = Math.max(0, Math.min((webhook.timeoutSeconds ?? usualSeconds) * 1000, left));
  const { signal } = request;
  try {
    const answer = answerKind(engines.dialect, version);
    return await engines.webhooks.caller.post(target, review, {
      ...{ timeoutMs, signal, credentialsFor, answer },
      headers: traceHeaders,
    });
  } catch (error) {
    if (!(error instanceof WebhookCallError)) throw error;
    throw new CallingWebhookError(name, `failed to call webhook: ${error.message}`, error);
  }
}

/** What is wrong with an answer is a failed call. */
function checked<T>({ name }: Hook, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidAnswerError)) throw error;
    const forLog = 'the answer of the webhook is not valid';
    throw new CallingWebhookError(name, `received invalid webhook response: ${error.message}`, { code: 503, forLog });
  }
}

/** Annotations have their own names; warnings are for the client. */
function passOn({ name }: Hook, { auditAnnotations, warnings }: ReviewAnswer, request: AdmissionRequest): void {
  for (const [key, value] of Object.entries(auditAnnotations)) {
    const full = `${name}/${key}`;
    if (checkQualifiedName(full).length === 0) request.annotate(full, value);
  }
  for (const text of warnings) if (text !== '') request.warn(text);
}

/** The operations of a patch; an answer that has none, or an empty list, changes nothing. */
export function operationsOf({ name }: Hook, { patch }: ReviewAnswer): readonly JsonObject[] {
  if (patch === undefined) return [];
  const undecodable = (why: string) =>
    new CallingWebhookError(name, `received undecodable patch in webhook response: ${why}`, {
      ...{ code: 503, forLog: 'the patch of the webhook is not valid' },
    });
  let value: JsonValue;
  try {
    ({ value } = parseJson(patch));
  } catch (error) {
    throw undecodable(error instanceof UnreadableError ? error.why : (error as Error).message);
  }
  const problem = patchProblem(value);
  if (problem !== undefined) throw undecodable(problem);
  return value === null ? [] : (value as readonly JsonObject[]);
}
