// Conditions under which a webhook is called, besides its rules. Loads the language: import it when there are conditions.

import { WorkMeter } from '../../base/time/work-meter.ts';
import { forbidden } from '../../meta/status.ts';
import type { AdmissionEngines } from '../engines.ts';
import { authorizerOf, type MatchedRequest, RequestInputs } from '../policies/expression-inputs.ts';
import { ConditionError, type ConditionObserver, conditionsHold } from '../policies/match-conditions.ts';
import { policyExpressions } from '../policies/policy-expressions.ts';
import type { Webhook } from './webhook-source.ts';

/** Whether all conditions hold. Throws a 403 where that cannot be told and the webhook must not be passed over. */
export async function webhookConditionsHold(
  { matchConditions = [], failurePolicy, name = '' }: Webhook,
  matched: MatchedRequest,
  { access, onConditions }: Pick<AdmissionEngines, 'access' | 'onConditions'>,
  type: 'admit' | 'validating',
): Promise<boolean> {
  const { request } = matched;
  const inputs = RequestInputs.ofConditions(matched, authorizerOf(request.user, access), null);
  const expressions = policyExpressions(false, []);
  const fails = failurePolicy !== 'Ignore';
  const about = { name, kind: 'webhook', type, operation: request.operation } as const;
  const report: ConditionObserver = (outcome) => onConditions({ ...about, ...outcome });
  try {
    const meter = new WorkMeter(() => request.moveIfPossible?.());
    const holds = await conditionsHold(matchConditions, { expressions, inputs, fails, report, meter });
    if (!holds) onConditions({ ...about, isExclusion: true });
    return holds;
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    const { group, plural } = request.definition;
    throw forbidden({ group, resource: plural, name: request.name }, error.message);
  }
}
