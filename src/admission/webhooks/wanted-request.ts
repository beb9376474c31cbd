// Whether a webhook wants to see a request, and how it sees it.

import { ApiError, internalError } from '../../meta/status.ts';
import type { AdmissionEngines } from '../engines.ts';
import { matchRequest } from '../matching/match-request.ts';
import type { AdmissionRequest } from '../plugin.ts';
import type { MatchedRequest } from '../policies/expression-inputs.ts';
import { matchedAs } from '../policies/policy-view.ts';
import type { RelevantHook } from './webhook-source.ts';

/** The request in the version of the rule that matched it; undefined where the webhook is not to be called. */
export async function wantedRequest(
  hook: RelevantHook,
  request: AdmissionRequest,
  engines: AdmissionEngines,
  type: 'admit' | 'validating',
): Promise<WantedRequest | undefined> {
  const match = hook.always ? request : await matchRequest(hook.criteria, request, engines);
  if (match === undefined) return undefined;
  const { definition } = match;
  const matched =
    definition === request.definition ? asItIs(request) : await converted(request, definition, engines, type);
  const wanted = { ...matched, definition };
  if ((hook.webhook.matchConditions ?? []).length === 0) return wanted;
  const { webhookConditionsHold } = await import('./webhook-conditions.ts');
  return (await webhookConditionsHold(hook.webhook, matched, engines, type)) ? wanted : undefined;
}

async function converted(
  request: AdmissionRequest,
  to: AdmissionRequest['definition'],
  engines: AdmissionEngines,
  type: 'admit' | 'validating',
): Promise<MatchedRequest> {
  try {
    return await matchedAs(engines, request, to);
  } catch (error) {
    // the time of the request is up
    if (error instanceof ApiError && error.code !== 500) throw error;
    const failure = internalError((error as Error).message);
    // compat: a failed conversion for a mutating webhook is an internal error of an internal error
    throw type === 'admit' ? internalError(failure.message) : failure;
  }
}

const asItIs = (request: AdmissionRequest): MatchedRequest => ({
  request,
  resource: request.definition,
  kind: request.kind,
  object: request.object,
  oldObject: request.oldObject,
});

export interface WantedRequest extends MatchedRequest {
  /** The resource in the version of the rule. */
  readonly definition: AdmissionRequest['definition'];
  /** Headers of the call that continue the trace of the request. */
  readonly traceHeaders?: Readonly<Record<string, string>>;
}
