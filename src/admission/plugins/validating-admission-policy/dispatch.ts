// All validating policies that are about a request, and what follows from what they say. Loads the language.

import { andThen, isPromise, type MaybePromise } from '../../../base/maybe-promise.ts';
import { memoized } from '../../../base/memoized.ts';
import type { ValidatingAdmissionPolicy as Policy } from '../../../groups/admissionregistration/v1/validating-admission-policy.ts';
import type { ValidatingAdmissionPolicyBinding as Binding } from '../../../groups/admissionregistration/v1/validating-admission-policy-binding.ts';
import { apiGroup } from '../../../meta/dialect.ts';
import { ApiError } from '../../../meta/status.ts';
import { refusedByRule } from '../../../meta/write-errors.ts';
import type { ResourceDefinition } from '../../../schema/resource.ts';
import type { AdmissionEngines } from '../../engines.ts';
import { type AdmissionRequest, refusal } from '../../plugin.ts';
import { authorizerOf, type MatchedRequest, RequestInputs } from '../../policies/expression-inputs.ts';
import type { ConditionObserver } from '../../policies/match-conditions.ts';
import { notePolicy } from '../../policies/policy-notes.ts';
import type { Hook, Invocation } from '../../policies/policy-source.ts';
import { matchedAs } from '../../policies/policy-view.ts';
import { PolicyWork } from '../../policies/policy-work.ts';
import { type Failure, Selection } from '../../policies/select-invocations.ts';
import { throwIfEnded } from '../../request-end.ts';
import { type Decision, Validator, type Verdict } from './validator.ts';

export type Engines = Pick<
  AdmissionEngines,
  'dialect' | 'objects' | 'access' | 'resourceOf' | 'equivalents' | 'convert' | 'onPolicyCheck' | 'onConditions'
>;

type Selected = Invocation<Policy, Binding> | Failure<Policy, Binding>;

/** Made once for each version of a policy. */
const validatorOf = memoized((policy: Policy): Validator => new Validator(policy));

/** Throws the first refusal, after all policies had their say: warnings and audit annotations do not depend on it. */
export async function dispatch(
  engines: Engines,
  request: AdmissionRequest,
  hooks: readonly Hook<Policy, Binding>[],
): Promise<void> {
  const selection = new Selection<Policy, Binding>(engines, request);
  const selected = await selection.of(hooks);
  if (selected.length === 0) return;
  const outcome = new Outcome(engines, request);
  const run = new Run(engines, request, selection);
  for (const one of selected) {
    const decided = run.decide(one, outcome);
    if (isPromise(decided)) await decided;
    throwIfEnded(request);
  }
  outcome.settle();
}

class Run {
  readonly #engines: Engines;
  readonly #request: AdmissionRequest;
  readonly #selection: Selection<Policy, Binding>;
  readonly #authorizer: ReturnType<typeof authorizerOf>;
  readonly #inputs = new Map<ResourceDefinition, RequestInputs>();
  readonly #work: PolicyWork;

  constructor(engines: Engines, request: AdmissionRequest, selection: Selection<Policy, Binding>) {
    this.#engines = engines;
    this.#request = request;
    this.#selection = selection;
    this.#authorizer = authorizerOf(request.user, engines.access);
    this.#work = new PolicyWork(request);
  }

  /** At once where the policy is about the request as it is; nearly all are, after the first. */
  decide(one: Selected, outcome: Outcome): MaybePromise<void> {
    if ('failure' in one) return outcome.fail(one.policy, one.binding, one.failure);
    const inputs = this.#inputs.get(one.definition);
    if (inputs === undefined) return this.#decideConverted(one, outcome);
    return andThen(this.#validate(one, inputs), (verdict) => outcome.add(one, verdict));
  }

  async #decideConverted(one: Invocation<Policy, Binding>, outcome: Outcome): Promise<void> {
    const { policy, binding, definition } = one;
    try {
      outcome.add(one, await this.#validate(one, await this.#inputsFor(definition)));
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error;
      outcome.fail(policy, binding, `failed to configure binding: failed to convert object version: ${error.message}`);
    }
  }

  #validate({ policy, params }: Invocation<Policy, Binding>, inputs: RequestInputs): MaybePromise<Verdict> {
    const report: ConditionObserver = (outcome) =>
      this.#engines.onConditions({ ...this.#aboutConditions(policy), ...outcome });
    const given = params === null ? inputs : inputs.withParams(params);
    return validatorOf(policy).validate(given, report, this.#work.of(policy));
  }

  #aboutConditions(policy: Policy) {
    return { name: nameOf(policy), kind: 'policy', type: 'validate', operation: this.#request.operation } as const;
  }

  /** Made once for each version: policies without parameters see the same. */
  async #inputsFor(definition: ResourceDefinition): Promise<RequestInputs> {
    const matched = await this.#matchedAs(definition);
    const inputs = RequestInputs.of(matched, this.#authorizer, await this.#selection.namespaceObject());
    this.#inputs.set(definition, inputs);
    return inputs;
  }

  async #matchedAs(definition: ResourceDefinition): Promise<MatchedRequest> {
    try {
      return await matchedAs(this.#engines, this.#request, definition);
    } catch (error) {
      throw error instanceof ApiError ? new ConversionError(error.message) : error;
    }
  }
}

/** The object cannot be shown in the version that a policy names. */
class ConversionError extends Error {}

interface Denial {
  readonly policy: Policy;
  readonly binding: Binding | undefined;
  readonly message: string;
  readonly reason?: string | undefined;
}

/** Longer values of annotations are cut, in bytes. */
const longestAnnotation = 10 * 1024;

class Outcome {
  readonly #engines: Engines;
  readonly #request: AdmissionRequest;
  readonly #annotations = new Map<string, Set<string>>();
  #denial: Denial | undefined;
  #isNoted = false;

  constructor(engines: Engines, request: AdmissionRequest) {
    this.#engines = engines;
    this.#request = request;
  }

  fail(policy: Policy, binding: Binding | undefined, message: string): void {
    const outcome = policy.spec?.failurePolicy === 'Ignore' ? 'ignored' : 'failed';
    notePolicy(this.#request, 'validating', { policy, binding, outcome, reason: message, durationMs: 0 });
    if (policy.spec?.failurePolicy !== 'Ignore') this.#denial ??= { policy, binding, message };
  }

  add({ policy, binding }: Invocation<Policy, Binding>, verdict: Verdict): void {
    if (this.#request.notes !== undefined) this.#note(policy, binding, verdict);
    for (const [index, decision] of verdict.decisions.entries()) this.#act(policy, binding, decision, index);
    for (const one of verdict.annotations) {
      if (one.is === 'published') this.#collect(`${nameOf(policy)}/${one.key}`, one.value);
      else
        this.#deny(policy, binding, { action: 'deny', evaluation: 'error', message: one.error, seconds: one.seconds });
    }
  }

  #note(policy: Policy, binding: Binding, { decisions }: Verdict): void {
    const isDenial = binding.spec?.validationActions?.includes('Deny') === true;
    const failed = decisions.find(({ action }) => action === 'deny');
    const outcome = failed !== undefined && isDenial ? 'refused' : 'allowed';
    const durationMs = decisions.reduce((sum, { seconds }) => sum + seconds * 1000, 0);
    notePolicy(this.#request, 'validating', { policy, binding, outcome, reason: failed?.message, durationMs });
  }

  /** Publishes what was collected, and refuses if any policy does. */
  settle(): void {
    for (const [key, values] of this.#annotations) this.#request.annotate(key, [...values].join(', '));
    if (this.#denial !== undefined) throw this.#refusal(this.#denial);
  }

  #act(policy: Policy, binding: Binding, decision: Decision, index: number): void {
    if (decision.action === 'admit') {
      if (decision.evaluation === 'error') this.#observe(policy, binding, decision, 'allow');
      return;
    }
    for (const action of binding.spec?.validationActions ?? []) {
      if (action === 'Deny') this.#deny(policy, binding, decision);
      else if (action === 'Audit') this.#audit(policy, binding, decision, index);
      else if (action === 'Warn') this.#warn(policy, binding, decision);
    }
  }

  #deny(policy: Policy, binding: Binding, decision: Decision): void {
    const { message, reason } = decision;
    this.#denial ??= { policy, binding, message, reason };
    this.#observe(policy, binding, decision, 'deny');
  }

  #warn(policy: Policy, binding: Binding, decision: Decision): void {
    const where = `'${nameOf(policy)}' with binding '${nameOf(binding)}'`;
    this.#request.warn(`Validation failed for ValidatingAdmissionPolicy ${where}: ${decision.message}`);
    this.#observe(policy, binding, decision, 'warn');
  }

  /** compat: of several failures the first is recorded, although the value is a list */
  #audit(policy: Policy, binding: Binding, decision: Decision, expressionIndex: number): void {
    const { policyName = '', validationActions = [] } = binding.spec ?? {};
    const { message } = decision;
    const failure = { message, policy: policyName, binding: nameOf(binding), expressionIndex, validationActions };
    const key = `${apiGroup(this.#engines.dialect, 'validation.policy.admission')}/validation_failure`;
    if (!this.#isNoted) this.#request.annotate(key, JSON.stringify([failure]));
    this.#isNoted = true;
    this.#observe(policy, binding, decision, 'audit');
  }

  #collect(key: string, value: string): void {
    const bytes = Buffer.from(value);
    const shown = bytes.length > longestAnnotation ? bytes.subarray(0, longestAnnotation).toString() : value;
    const known = this.#annotations.get(key);
    if (known === undefined) this.#annotations.set(key, new Set([shown]));
    else known.add(shown);
  }

  #observe(policy: Policy, binding: Binding, decision: Decision, action: string): void {
    this.#engines.onPolicyCheck({
      plugin: 'validating',
      policy: nameOf(policy),
      binding: nameOf(binding),
      error: errorType(decision),
      action,
      seconds: decision.seconds,
    });
  }

  #refusal({ policy, binding, message, reason = 'Invalid' }: Denial): ApiError {
    const bound = binding === undefined ? '' : ` with binding '${nameOf(binding)}'`;
    const text = `ValidatingAdmissionPolicy '${nameOf(policy)}'${bound} denied request: ${message}`;
    const { message: whole, details } = refusal(this.#request, text);
    return refusedByRule({
      code: codes[reason] ?? 422,
      reason,
      message: whole,
      details: { ...details, causes: [{ message: text }] },
    });
  }
}

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

const nameOf = ({ metadata }: Policy | Binding): string => metadata.name ?? '';

/** As metrics tell them apart. */
function errorType({ evaluation, message }: Decision): string {
  if (evaluation === 'admit') return 'no_error';
  if (message.startsWith('compilation')) return 'compile_error';
  return message.startsWith('validation failed due to running out of cost budget') ? 'out_of_budget' : 'invalid_error';
}
