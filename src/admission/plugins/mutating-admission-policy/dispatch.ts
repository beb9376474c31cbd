// All mutating policies that are about a request, one after the other. Loads the language.

import { isSameJson } from '../../../base/json/json.ts';
import { memoized } from '../../../base/memoized.ts';
import type { MutatingAdmissionPolicyBinding as Binding } from '../../../groups/admissionregistration/v1/mutating-admission-policy-binding.ts';
import type { MutatingAdmissionPolicy as Policy } from '../../../groups/admissionregistration/v1/mutating-admission-policy-type.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { ApiError, serviceUnavailable } from '../../../meta/status.ts';
import { refusedByRule } from '../../../meta/write-errors.ts';
import type { AdmissionEngines } from '../../engines.ts';
import { type AdmissionRequest, refusal } from '../../plugin.ts';
import { authorizerOf, type MatchedRequest, RequestInputs } from '../../policies/expression-inputs.ts';
import { ConditionError, type ConditionObserver } from '../../policies/match-conditions.ts';
import { notePolicy, type PolicyChange } from '../../policies/policy-notes.ts';
import type { Hook, Invocation } from '../../policies/policy-source.ts';
import { isWhole, matchedAs } from '../../policies/policy-view.ts';
import { PolicyWork } from '../../policies/policy-work.ts';
import { type Failure, Selection } from '../../policies/select-invocations.ts';
import { throwIfEnded } from '../../request-end.ts';
import { MutationError } from './mutation-error.ts';
import { type Mutation, Mutator, type Shape, shapeOf } from './mutator.ts';
import { Reinvocation } from './reinvocation.ts';

export type Engines = Pick<
  AdmissionEngines,
  | 'dialect'
  | 'objects'
  | 'access'
  | 'resourceOf'
  | 'equivalents'
  | 'convert'
  | 'complete'
  | 'onPolicyCheck'
  | 'onConditions'
>;

type OneInvocation = Invocation<Policy, Binding>;

/** Made once for each version of a policy. */
const mutatorOf = memoized((policy: Policy): Mutator => new Mutator(policy));

/** The object after all policies; throws if one of them failed and may not. */
export async function dispatch(
  engines: Engines,
  request: AdmissionRequest,
  hooks: readonly Hook<Policy, Binding>[],
): Promise<ApiObject | undefined> {
  const selection = new Selection<Policy, Binding>(engines, request);
  const selected = await selection.of(hooks);
  const failures = selected.flatMap((one) => ('failure' in one ? [one] : []));
  const invocations = selected.flatMap((one) => ('failure' in one ? [] : [one]));
  if (invocations.length === 0) {
    refuse(request, failures);
    return request.object;
  }
  const run = new Run(engines, request, await selection.namespaceObject());
  const object = await run.all(invocations);
  refuse(request, [...failures, ...run.failures]);
  return object;
}

class Run {
  readonly failures: (Failure<Policy, Binding> & { readonly reason?: string })[] = [];
  readonly #engines: Engines;
  readonly #request: AdmissionRequest;
  readonly #namespace: ApiObject | undefined;
  readonly #authorizer: ReturnType<typeof authorizerOf>;
  readonly #reinvocation: Reinvocation;
  readonly #work: PolicyWork;
  #object: ApiObject | undefined;

  constructor(engines: Engines, request: AdmissionRequest, namespace: ApiObject | undefined) {
    this.#engines = engines;
    this.#request = request;
    this.#namespace = namespace;
    this.#authorizer = authorizerOf(request.user, engines.access);
    this.#reinvocation = Reinvocation.of(request);
    this.#work = new PolicyWork(request);
    this.#object = request.object;
  }

  async all(invocations: readonly OneInvocation[]): Promise<ApiObject | undefined> {
    const before = this.#object;
    this.#reinvocation.begin(before);
    for (const invocation of invocations) {
      await this.#invoke(invocation);
      throwIfEnded(this.#request);
    }
    this.#reinvocation.end(this.#object, this.#object !== before);
    return this.#object;
  }

  async #invoke(invocation: OneInvocation): Promise<void> {
    const { policy } = invocation;
    const matched = await this.#matched(invocation);
    if (matched === undefined || !(await this.#isMet(invocation, matched))) return;
    const key = keyOf(invocation);
    if (!this.#reinvocation.isDue(key)) return;
    const changed = await this.#mutate(invocation, matched);
    this.#reinvocation.ran(key, { changed, mayRunAgain: policy.spec?.reinvocationPolicy === 'IfNeeded' });
  }

  async #matched({ definition, policy }: OneInvocation): Promise<MatchedRequest | undefined> {
    const request = this.#object === this.#request.object ? this.#request : this.#request.withObject(this.#object);
    try {
      return await matchedAs(this.#engines, request, definition);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.failures.push({ policy, binding: undefined, failure: `failed to configure policy: ${error.message}` });
      return undefined;
    }
  }

  async #isMet(invocation: OneInvocation, matched: MatchedRequest): Promise<boolean> {
    const { policy, params } = invocation;
    try {
      const inputs = () => RequestInputs.ofConditions(matched, this.#authorizer, params);
      const { operation } = this.#request;
      const about = { name: nameOf(policy), kind: 'policy', type: 'validate', operation } as const;
      const report: ConditionObserver = (outcome) => this.#engines.onConditions({ ...about, ...outcome });
      return await mutatorOf(policy).isMet(inputs, report, this.#work.of(policy));
    } catch (error) {
      if (!(error instanceof ConditionError)) throw error;
      this.#fail(invocation, error.message);
      return false;
    }
  }

  /** Whether the object changed. */
  async #mutate(invocation: OneInvocation, matched: MatchedRequest): Promise<boolean> {
    const { object: before } = matched;
    if (before === undefined) return false;
    const shape = this.#shape(invocation, matched);
    const mutator = mutatorOf(invocation.policy);
    const began = performance.now();
    let object = before;
    for (const mutation of mutator.mutations) {
      object = await this.#one(invocation, mutation, shape, { ...matched, object });
    }
    const isChanged = object !== before && !isSameJson(object, before);
    if (this.#request.notes !== undefined)
      this.#note(invocation, began, isChanged ? { before, after: object } : undefined);
    if (!isChanged) return false;
    const isOwn = invocation.definition === this.#request.definition || !isWhole(this.#request);
    this.#object = isOwn ? object : await this.#engines.convert(object, this.#request.definition, this.#request);
    return true;
  }

  #shape({ definition }: OneInvocation, { kind }: MatchedRequest): Shape {
    const shape = shapeOf(this.#engines, this.#request, definition);
    if (shape !== undefined) return shape;
    const shown = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
    throw serviceUnavailable(
      `Resource kind ${shown} not found. There can be a delay between when CustomResourceDefinitions are created and when they are available.`,
    );
  }

  /** The object after one change, or as it was where that failed. */
  async #one(
    invocation: OneInvocation,
    mutation: Mutation,
    shape: Shape,
    matched: MatchedRequest & { readonly object: ApiObject },
  ): Promise<ApiObject> {
    const began = performance.now();
    const inputs = RequestInputs.of(matched, this.#authorizer, this.#namespace).withParams(invocation.params);
    try {
      const { policy } = invocation;
      const context = { inputs, meter: this.#work.of(policy) };
      const next = await mutatorOf(policy).mutate(mutation, matched.object, shape, context);
      this.#observe(invocation, 'no_error', began);
      return next;
    } catch (error) {
      if (error instanceof ApiError) this.#observe(invocation, 'invalid_error', began);
      if (!(error instanceof MutationError)) throw error;
      this.#observe(invocation, errorType(error.message), began);
      this.#fail(invocation, error.message);
      return matched.object;
    }
  }

  #note({ policy, binding }: OneInvocation, began: number, change: PolicyChange | undefined): void {
    const failure = this.failures.find((one) => one.policy === policy && one.binding === binding)?.failure;
    const isIgnored = policy.spec?.failurePolicy === 'Ignore';
    const failedOutcome = isIgnored ? 'ignored' : 'failed';
    const outcome = failure !== undefined ? failedOutcome : change === undefined ? 'allowed' : 'changed';
    const durationMs = performance.now() - began;
    notePolicy(this.#request, 'mutating', {
      ...{ policy, binding, outcome, durationMs, reason: failure },
      ...(change === undefined ? {} : { change }),
    });
  }

  #fail({ policy, binding }: OneInvocation, failure: string): void {
    this.failures.push({ policy, binding, failure, reason: 'Invalid' });
  }

  #observe({ policy, binding }: OneInvocation, error: string, began: number): void {
    const seconds = (performance.now() - began) / 1000;
    this.#engines.onPolicyCheck({
      plugin: 'mutating',
      policy: nameOf(policy),
      binding: nameOf(binding),
      error,
      seconds,
    });
  }
}

/** compat: the message of the first failure is that of the answer, its reason too, and the code stays 403 */
function refuse(
  request: AdmissionRequest,
  failures: readonly (Failure<Policy, Binding> & { readonly reason?: string })[],
): void {
  const counting = failures.filter(({ policy }) => policy.spec?.failurePolicy !== 'Ignore');
  const [first] = counting;
  if (first === undefined) return;
  const causes = counting.map((one) => ({ message: messageOf(one) }));
  const { details } = refusal(request, '');
  const message = messageOf(first);
  throw refusedByRule({ code: 403, reason: first.reason ?? 'Forbidden', message, details: { ...details, causes } });
}

function messageOf({ policy, binding, failure }: Failure<Policy, Binding>): string {
  if (binding === undefined) return `policy ${JSON.stringify(nameOf(policy))} denied request: ${failure}`;
  return `policy '${nameOf(policy)}' with binding '${nameOf(binding)}' denied request: ${failure}`;
}

const nameOf = ({ metadata }: Policy | Binding): string => metadata.name ?? '';

function keyOf({ policy, binding, params }: OneInvocation): string {
  const { namespace = '', name = '' } = params?.metadata ?? {};
  return JSON.stringify([nameOf(policy), nameOf(binding), namespace, name]);
}

/** As metrics tell them apart. */
function errorType(message: string): string {
  if (message.startsWith('compilation')) return 'compile_error';
  return message.startsWith('validation failed due to running out of cost budget') ? 'out_of_budget' : 'invalid_error';
}
