// What a validating policy would decide about a write, with the cost of each expression. Nothing depends on it: for people who
// write policies. Loads the language.

import type { WorkMeter } from '../../base/time/work-meter.ts';
import type { ValidatingAdmissionPolicy } from '../../groups/admissionregistration/v1/validating-admission-policy.ts';
import type { AccessControl } from '../../meta/access.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ApiError } from '../../meta/status.ts';
import type { AdmissionEngines } from '../engines.ts';
import { matchRequest } from '../matching/match-request.ts';
import type { AdmissionRequest } from '../plugin.ts';
import { Evaluation, OutOfBudget, policyBudget } from './evaluation.ts';
import { authorizerOf, RequestInputs } from './expression-inputs.ts';
import { ConditionError, conditionsHold } from './match-conditions.ts';
import { PolicyExpressions } from './policy-expressions.ts';
import { criteriaOf } from './policy-source.ts';
import { matchedAs } from './policy-view.ts';

type Spec = NonNullable<ValidatingAdmissionPolicy['spec']>;
type Validation = NonNullable<Spec['validations']>[number];

export interface TriedExpression {
  readonly expression: string;
  readonly outcome: 'holds' | 'fails' | 'error';
  readonly cost: number;
  /** Where it does not hold. */
  readonly message?: string;
}

export interface Trial {
  /** `passedBy`: the policy is not about the write. */
  readonly outcome: 'allowed' | 'refused' | 'passedBy';
  readonly expressions: readonly TriedExpression[];
  readonly cost: number;
  /** Why the policy as a whole could not be evaluated. */
  readonly error?: string;
}

interface TrialParts {
  readonly engines: Pick<AdmissionEngines, 'dialect' | 'objects' | 'equivalents' | 'convert'>;
  readonly access: Pick<AccessControl, 'decide'>;
  readonly params: unknown;
  readonly meter: WorkMeter;
}

const longestMessage = 1000;

export class PolicyTrial {
  readonly #spec: Spec;
  readonly #parts: TrialParts;
  /** Not shared: texts that are only tried must not displace those in force. */
  readonly #expressions: PolicyExpressions;

  constructor(spec: Spec, parts: TrialParts) {
    this.#spec = spec;
    this.#parts = parts;
    this.#expressions = new PolicyExpressions(spec.paramKind != null, spec.variables ?? []);
  }

  /** `namespace` is the one of the request, where the caller may see it. */
  async decide(request: AdmissionRequest, namespace: ApiObject | undefined): Promise<Trial> {
    try {
      return await this.#decide(request, namespace);
    } catch (error) {
      if (!(error instanceof OutOfBudget || error instanceof ConditionError || error instanceof ApiError)) throw error;
      return { outcome: this.#failed, expressions: [], cost: policyBudget, error: shortened(error.message) };
    }
  }

  async #decide(request: AdmissionRequest, namespace: ApiObject | undefined): Promise<Trial> {
    const { engines, access, params, meter } = this.#parts;
    const criteria = criteriaOf(this.#spec.matchConstraints ?? undefined);
    const match = await matchRequest(criteria, request, engines);
    if (match === undefined) return passedBy;
    const matched = await matchedAs(engines, request, match.definition);
    const plain = RequestInputs.of(matched, authorizerOf(request.user, access), namespace);
    const inputs = params === undefined ? plain : plain.withParams(params);
    const conditions = this.#spec.matchConditions ?? [];
    const context = { expressions: this.#expressions, inputs: inputs.forConditions(), meter };
    const fails = this.#spec.failurePolicy !== 'Ignore';
    if (conditions.length > 0 && !(await conditionsHold(conditions, { ...context, fails, report() {} })))
      return passedBy;
    return this.#evaluate(request, inputs);
  }

  async #evaluate(request: AdmissionRequest, inputs: RequestInputs): Promise<Trial> {
    const { meter } = this.#parts;
    const evaluation = new Evaluation(inputs, policyBudget, this.#expressions.compose(meter), meter);
    const tried: TriedExpression[] = [];
    for (const validation of this.#spec.validations ?? []) {
      const { expression = '' } = validation;
      const before = evaluation.budget;
      const result = await evaluation.evaluate(this.#expressions.compile(expression, 'validation', meter));
      const cost = before - evaluation.budget;
      const subject = { expression: shortened(expression), cost };
      if ('error' in result) tried.push({ ...subject, outcome: 'error', message: errorText(request, result.error) });
      else if (result.value === true) tried.push({ ...subject, outcome: 'holds' });
      else tried.push({ ...subject, outcome: 'fails', message: await this.#message(request, validation, inputs) });
    }
    const refuses = (one: TriedExpression) =>
      one.outcome === 'fails' || (one.outcome === 'error' && this.#failed === 'refused');
    const outcome = tried.some(refuses) ? 'refused' : 'allowed';
    return { outcome, expressions: tried, cost: policyBudget - evaluation.budget };
  }

  /** Text that is computed from confidential objects may repeat a part of them. */
  async #message(request: AdmissionRequest, validation: Validation, inputs: RequestInputs): Promise<string> {
    const { message = '', messageExpression = '', expression = '' } = validation;
    const fixed = message.trim() || `failed expression: ${expression.trim()}`;
    if (messageExpression === '' || request.definition.confidential === true) return shortened(fixed);
    const { meter } = this.#parts;
    const composed = this.#expressions.compose(meter);
    const evaluation = new Evaluation(inputs.withoutRights(), policyBudget, composed, meter);
    const result = await evaluation.evaluate(this.#expressions.compile(messageExpression, 'message', meter));
    return shortened('value' in result && typeof result.value === 'string' ? result.value : fixed);
  }

  get #failed(): 'allowed' | 'refused' {
    return this.#spec.failurePolicy === 'Ignore' ? 'allowed' : 'refused';
  }
}

const passedBy: Trial = { outcome: 'passedBy', expressions: [], cost: 0 };

const shortened = (text: string) => (text.length <= longestMessage ? text : `${text.slice(0, longestMessage)}…`);

const errorText = ({ definition }: AdmissionRequest, error: string) =>
  definition.confidential === true ? 'not shown for this kind' : shortened(error);
