// What one validating policy says about a request, for one binding and one of its parameters. Loads the language.

import type { Steps } from '../../../base/steps.ts';
import { perCallLimit } from '../../../cel/cost.ts';
import { Interruption } from '../../../cel/progress.ts';
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

/** How many validations are known to hold, and the run in which that was found out. */
export interface Progress {
  readonly done: number;
  readonly evaluation: Evaluation | undefined;
}

const noProgress: Progress = { done: 0, evaluation: undefined };
const held = { result: { value: true }, seconds: 0 } as const;

/** Longer messages are not taken, in bytes. */
const longestMessage = 5 * 1024;

export class Validator {
  readonly #spec: Spec;
  readonly #expressions: PolicyExpressions;
  readonly #hasMessages: boolean;
  readonly #hasVariables: boolean;
  /** Whether what it validates is all that it does. */
  readonly #isPlain: boolean;
  #validations: readonly Compiled[] = [];
  #isPrepared = false;

  constructor({ spec = {} }: ValidatingAdmissionPolicy) {
    this.#spec = spec;
    const { validations = [], variables = [], matchConditions = [], auditAnnotations = [] } = spec;
    this.#expressions = policyExpressions(spec.paramKind !== undefined, variables);
    this.#hasMessages = validations.some(({ messageExpression }) => messageExpression);
    this.#hasVariables = variables.length > 0;
    this.#isPlain = matchConditions.length + auditAnnotations.length === 0;
  }

  /**
   * Whether everything holds, where that is found out in a moment, as it mostly is. Otherwise it says how far it came, for `validate`
   * to go on from there.
   */
  attempt(inputs: RequestInputs): 'holds' | Progress {
    if (!this.#isPrepared || !this.#isPlain) return noProgress;
    const evaluation = this.#evaluation(inputs, policyBudget);
    const compiled = this.#validations;
    for (let done = 0; done < compiled.length; done++) {
      if (evaluation.isLong) return { done, evaluation };
      const holds = evaluation.holds(compiled[done] as Compiled);
      if (holds === undefined) return { done, evaluation };
      if (!holds) return noProgress;
    }
    return this.#mayRunOut(evaluation.budget) ? noProgress : 'holds';
  }

  get #fails(): boolean {
    return this.#spec.failurePolicy !== 'Ignore';
  }

  *validate(inputs: RequestInputs, report: ConditionObserver, progress = noProgress): Steps<Verdict> {
    try {
      if (!this.#isPrepared) yield* this.#prepare();
      if (this.#spec.matchConditions?.length && !(yield* this.#isMet(inputs, report))) return nothing;
      const decisions = yield* this.#decide(inputs, progress);
      if (!this.#spec.auditAnnotations?.length)
        return decisions.length === 0 ? nothing : { decisions, annotations: [] };
      return { decisions, annotations: yield* this.#annotations(inputs) };
    } catch (error) {
      if (!(error instanceof OutOfBudget || error instanceof ConditionError)) throw error;
      return { decisions: [this.#broken(error.message, 0)], annotations: [] };
    }
  }

  /** Compiles what every request needs. */
  *#prepare(): Steps<void> {
    const compiled: Compiled[] = [];
    for (const { expression = '' } of this.#spec.validations ?? [])
      compiled.push(yield* this.#expressions.compiling(expression, 'validation'));
    this.#validations = compiled;
    this.#isPrepared = true;
  }

  *#isMet(inputs: RequestInputs, report: ConditionObserver): Steps<boolean> {
    const { matchConditions = [] } = this.#spec;
    const context = { expressions: this.#expressions, inputs: inputs.forConditions(), fails: this.#fails, report };
    return yield* conditionsHold(matchConditions, context);
  }

  #evaluation(inputs: RequestInputs, budget: number): Evaluation {
    return new Evaluation(inputs, budget, this.#hasVariables ? this.#expressions.composed : undefined);
  }

  /** Empty where everything holds. */
  *#decide(inputs: RequestInputs, { done, evaluation: known }: Progress): Steps<readonly Decision[]> {
    const evaluation = known ?? this.#evaluation(inputs, policyBudget);
    const results: { readonly result: Result; readonly seconds: number }[] = Array.from({ length: done }, () => held);
    let holds = true;
    let began = performance.now();
    for (const compiled of this.#validations.slice(done)) {
      if (evaluation.takeTurn()) yield;
      const attempted = evaluation.attempt(compiled);
      const result = attempted instanceof Interruption ? yield* evaluation.evaluate(compiled) : attempted;
      const now = performance.now();
      results.push({ result, seconds: (now - began) / 1000 });
      began = now;
      holds &&= 'value' in result && result.value === true;
    }
    if (holds && !this.#mayRunOut(evaluation.budget)) return [];
    const messages = yield* this.#messages(inputs.withoutRights(), evaluation.budget);
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

  *#messages(inputs: RequestInputs, budget: number): Steps<readonly (Result | undefined)[] | OutOfBudget> {
    const evaluation = this.#evaluation(inputs, budget);
    const results: (Result | undefined)[] = [];
    try {
      for (const { messageExpression = '' } of this.#spec.validations ?? []) {
        const isGiven = messageExpression !== '';
        const compiled = isGiven ? yield* this.#expressions.compiling(messageExpression, 'message') : undefined;
        results.push(compiled && (yield* evaluation.evaluate(compiled)));
        yield;
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
  *#annotations(inputs: RequestInputs): Steps<readonly AuditValue[]> {
    const { auditAnnotations = [] } = this.#spec;
    const evaluation = this.#evaluation(inputs.withoutRights(), policyBudget);
    const values: AuditValue[] = [];
    for (const annotation of auditAnnotations) {
      const { valueExpression = '' } = annotation;
      const compiled = yield* this.#expressions.compiling(valueExpression, 'annotation');
      const began = performance.now();
      const result = yield* evaluation.evaluate(compiled);
      values.push(...this.#annotation(annotation, result, (performance.now() - began) / 1000));
      yield;
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
