// What one validating policy says about a request, for one binding and one of its parameters. Loads the language.

import { andThen, isPromise, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { WorkMeter } from '../../../base/time/work-meter.ts';
import { perCallLimit } from '../../../cel/cost.ts';
import type { ValidatingAdmissionPolicy } from '../../../groups/admissionregistration/v1/validating-admission-policy.ts';
import { Evaluation, OutOfBudget, policyBudget, type Result } from '../../policies/evaluation.ts';
import type { RequestInputs } from '../../policies/expression-inputs.ts';
import { ConditionError, type ConditionObserver, conditionsHold } from '../../policies/match-conditions.ts';
import { type Compiled, type PolicyExpressions, policyExpressions } from '../../policies/policy-expressions.ts';

type Spec = NonNullable<ValidatingAdmissionPolicy['spec']>;
type Validation = NonNullable<Spec['validations']>[number];
type Annotation = NonNullable<Spec['auditAnnotations']>[number];

/** Of one validation: it holds, it does not, or it could not be computed; what follows from that is the action. */
export interface Decision {
  readonly action: 'admit' | 'deny';
  readonly evaluation: 'admit' | 'deny' | 'error';
  readonly message: string;
  readonly reason?: string;
  readonly seconds: number;
}

type AuditValue =
  | { readonly is: 'published'; readonly key: string; readonly value: string }
  | { readonly is: 'error'; readonly error: string; readonly seconds: number };

export interface Verdict {
  readonly decisions: readonly Decision[];
  readonly annotations: readonly AuditValue[];
}

const nothing: Verdict = { decisions: [], annotations: [] };

interface TimedResult {
  readonly result: Result;
  readonly seconds: number;
}

/** Longer messages are not taken, in bytes. */
const longestMessage = 5 * 1024;

export class Validator {
  readonly #spec: Spec;
  readonly #expressions: PolicyExpressions;
  readonly #hasMessages: boolean;
  readonly #hasVariables: boolean;
  /** Whether what it validates is all that it does. */
  readonly #isPlain: boolean;
  readonly #validations = new Map<string, Compiled>();

  constructor({ spec = {} }: ValidatingAdmissionPolicy) {
    this.#spec = spec;
    const { validations = [], variables = [], matchConditions = [], auditAnnotations = [] } = spec;
    this.#expressions = policyExpressions(spec.paramKind !== undefined, variables);
    this.#hasMessages = validations.some(({ messageExpression }) => messageExpression);
    this.#hasVariables = variables.length > 0;
    this.#isPlain = matchConditions.length + auditAnnotations.length === 0;
  }

  get #fails(): boolean {
    return this.#spec.failurePolicy !== 'Ignore';
  }

  /** A promise only where another server is asked, and where more than validations is computed. */
  validate(inputs: RequestInputs, report: ConditionObserver, meter: WorkMeter): MaybePromise<Verdict> {
    try {
      const verdict = this.#isPlain ? this.#decided(inputs, meter) : this.#withConditions(inputs, report, meter);
      return isPromise(verdict) ? verdict.catch((error: unknown) => this.#unjudged(error)) : verdict;
    } catch (error) {
      return this.#unjudged(error);
    }
  }

  #unjudged(error: unknown): Verdict {
    if (!(error instanceof OutOfBudget || error instanceof ConditionError)) throw error;
    return { decisions: [this.#broken(error.message, 0)], annotations: [] };
  }

  #decided(inputs: RequestInputs, meter: WorkMeter): MaybePromise<Verdict> {
    return andThen(this.#decide(inputs, meter), (decisions) =>
      decisions.length === 0 ? nothing : { decisions, annotations: [] },
    );
  }

  async #withConditions(inputs: RequestInputs, report: ConditionObserver, meter: WorkMeter): Promise<Verdict> {
    const { matchConditions = [] } = this.#spec;
    const context = {
      ...{ expressions: this.#expressions, inputs: inputs.forConditions(), fails: this.#fails, report },
      meter,
    };
    if (matchConditions.length > 0 && !(await conditionsHold(matchConditions, context))) return nothing;
    const { decisions } = await this.#decided(inputs, meter);
    const annotations = await this.#annotations(inputs, meter);
    return { decisions, annotations };
  }

  #evaluation(inputs: RequestInputs, budget: number, meter: WorkMeter): Evaluation {
    const composed = this.#hasVariables ? this.#expressions.compose(meter) : undefined;
    return new Evaluation(inputs, budget, composed, meter);
  }

  /** Empty where everything holds. */
  #decide(inputs: RequestInputs, meter: WorkMeter): MaybePromise<readonly Decision[]> {
    const evaluation = this.#evaluation(inputs, policyBudget, meter);
    return andThen(this.#results(evaluation, meter, []), (results) => {
      const holds = results.every(({ result }) => 'value' in result && result.value === true);
      return holds && !this.#mayRunOut(evaluation.budget) ? [] : this.#decisions(results, inputs, evaluation, meter);
    });
  }

  /** Those of all validations after the ones that `results` has. */
  #results(evaluation: Evaluation, meter: WorkMeter, results: TimedResult[]): MaybePromise<readonly TimedResult[]> {
    const { validations = [] } = this.#spec;
    while (results.length < validations.length) {
      const { expression = '' } = validations[results.length] as Validation;
      const compiled = this.#validations.get(expression) ?? this.#compile(expression, meter);
      const began = performance.now();
      const keep = (result: Result) => results.push({ result, seconds: (performance.now() - began) / 1000 });
      const result = evaluation.evaluate(compiled);
      if (isPromise(result)) return result.then(keep).then(() => this.#results(evaluation, meter, results));
      keep(result);
    }
    return results;
  }

  #compile(expression: string, meter: WorkMeter): Compiled {
    const compiled = this.#expressions.compile(expression, 'validation', meter);
    this.#validations.set(expression, compiled);
    return compiled;
  }

  async #decisions(
    results: readonly TimedResult[],
    inputs: RequestInputs,
    { budget }: Evaluation,
    meter: WorkMeter,
  ): Promise<readonly Decision[]> {
    const messages = await this.#messages(inputs.withoutRights(), budget, meter);
    return results.map(({ result, seconds }, index) => {
      const said = messages instanceof OutOfBudget ? messages : messages[index];
      return this.#decision(this.#spec.validations?.[index] as Validation, result, said, seconds);
    });
  }

  /** Where nothing is refused, messages only matter if they could cost more than is left. */
  #mayRunOut(budget: number): boolean {
    if (!this.#hasMessages) return false;
    const { validations = [], variables = [] } = this.#spec;
    const messages = validations.filter(({ messageExpression }) => messageExpression).length;
    return messages > 0 && (messages + variables.length) * perCallLimit > budget;
  }

  async #messages(
    inputs: RequestInputs,
    budget: number,
    meter: WorkMeter,
  ): Promise<readonly (Result | undefined)[] | OutOfBudget> {
    const evaluation = this.#evaluation(inputs, budget, meter);
    const results: (Result | undefined)[] = [];
    try {
      for (const { messageExpression = '' } of this.#spec.validations ?? []) {
        const isGiven = messageExpression !== '';
        const compiled = isGiven ? this.#expressions.compile(messageExpression, 'message', meter) : undefined;
        results.push(compiled && (await evaluation.evaluate(compiled)));
      }
      return results;
    } catch (error) {
      if (error instanceof OutOfBudget) return error;
      throw error;
    }
  }

  #decision(validation: Validation, result: Result, said: Result | OutOfBudget | undefined, seconds: number): Decision {
    if ('error' in result) return this.#broken(result.error, seconds);
    if (said instanceof OutOfBudget) return this.#broken(`failed messageExpression: ${said.message}`, seconds);
    if (result.value === true) return { action: 'admit', evaluation: 'admit', message: '', seconds };
    const { reason = 'Invalid' } = validation;
    return { action: 'deny', evaluation: 'deny', reason, message: messageOf(validation, said), seconds };
  }

  #broken(message: string, seconds: number): Decision {
    return { action: this.#fails ? 'deny' : 'admit', evaluation: 'error', message, seconds };
  }

  /** compat: annotations may be written with rights in mind, but cannot ask for any */
  async #annotations(inputs: RequestInputs, meter: WorkMeter): Promise<readonly AuditValue[]> {
    const { auditAnnotations = [] } = this.#spec;
    const evaluation = this.#evaluation(inputs.withoutRights(), policyBudget, meter);
    const values: AuditValue[] = [];
    for (const annotation of auditAnnotations) {
      const { valueExpression = '' } = annotation;
      const compiled = this.#expressions.compile(valueExpression, 'annotation', meter);
      const began = performance.now();
      const result = await evaluation.evaluate(compiled);
      values.push(...this.#annotation(annotation, result, (performance.now() - began) / 1000));
    }
    return values;
  }

  #annotation({ key = '' }: Annotation, result: Result, seconds: number): readonly AuditValue[] {
    if ('error' in result) return this.#fails ? [{ is: 'error', error: result.error, seconds }] : [];
    const value = typeof result.value === 'string' ? result.value.trim() : '';
    return value === '' ? [] : [{ is: 'published', key, value }];
  }
}

/** What the expression for it says, if that can be shown; what the policy says; or the expression that failed. */
function messageOf({ message = '', expression = '' }: Validation, said: Result | undefined): string {
  const value = said && 'value' in said ? said.value : undefined;
  const computed = typeof value === 'string' ? value.trim() : '';
  const isShowable = Buffer.byteLength(computed) <= longestMessage && !computed.includes('\n');
  return (isShowable && computed) || message.trim() || `failed expression: ${expression.trim()}`;
}
