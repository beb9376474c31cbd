// The changes of one mutating policy. Loads the language.

import { isJsonObject, type JsonValue } from '../../../base/json/json.ts';
import type { WorkMeter } from '../../../base/time/work-meter.ts';
import type { Variables } from '../../../cel/frame.ts';
import { EvaluationError, type Value } from '../../../cel/values.ts';
import { decodeObject, UndecodableError } from '../../../codec/decode-object.ts';
import type { MutatingAdmissionPolicy } from '../../../groups/admissionregistration/v1/mutating-admission-policy-type.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { badRequest, internalError } from '../../../meta/status.ts';
import type { ObjectType } from '../../../schema/object-type.ts';
import type { ResourceDefinition } from '../../../schema/resource.ts';
import type { AdmissionEngines, Completed } from '../../engines.ts';
import type { AdmissionRequest } from '../../plugin.ts';
import { Evaluation, OutOfBudget, policyBudget } from '../../policies/evaluation.ts';
import { type ConditionObserver, conditionsHold } from '../../policies/match-conditions.ts';
import { type Compiled, type PolicyExpressions, policyExpressions } from '../../policies/policy-expressions.ts';
import { isWhole } from '../../policies/policy-view.ts';
import { applyConfiguration } from './apply-configuration.ts';
import { MutationError } from './mutation-error.ts';
import { applySteps } from './patch-steps.ts';
import { typeNameProblem, writtenJson } from './written-values.ts';

type Spec = NonNullable<MutatingAdmissionPolicy['spec']>;
export type Mutation = NonNullable<Spec['mutations']>[number];

/** What an object is made again by. */
export interface Shape {
  readonly type: ObjectType;
  complete(value: JsonValue, known: ApiObject): Completed;
}

/** Of the object of a request, in one version of its resource; undefined where nothing is known of it. */
export function shapeOf(
  engines: Pick<AdmissionEngines, 'complete'>,
  request: AdmissionRequest,
  definition: ResourceDefinition,
): Shape | undefined {
  if (isWhole(request)) {
    return { type: definition.type, complete: (value, known) => engines.complete(definition, value, known) };
  }
  const shown = definition.subresources?.find(({ name }) => name === request.subresource);
  if (shown === undefined || !('type' in shown)) return undefined;
  const { type } = shown;
  return { type, complete: (value, known) => decodeObject({ ...request.kind, type }, value, { known }) };
}

/** What an expression sees, and where its work is counted. */
interface Context {
  readonly inputs: Variables;
  readonly meter: WorkMeter;
}

export class Mutator {
  readonly #spec: Spec;
  readonly #expressions: PolicyExpressions;

  constructor({ spec = {} }: MutatingAdmissionPolicy) {
    this.#spec = spec;
    this.#expressions = policyExpressions(spec.paramKind !== undefined, spec.variables ?? []);
  }

  get mutations(): readonly Mutation[] {
    return this.#spec.mutations ?? [];
  }

  /** Throws a `ConditionError` where that cannot be told and matters. */
  async isMet(inputs: () => Variables, report: ConditionObserver, meter: WorkMeter): Promise<boolean> {
    const { matchConditions = [], failurePolicy } = this.#spec;
    if (matchConditions.length === 0) return true;
    const fails = failurePolicy !== 'Ignore';
    const context = { expressions: this.#expressions, inputs: inputs(), fails, report, meter };
    return conditionsHold(matchConditions, context);
  }

  /** The object after one change, with defaults. Throws a `MutationError` where it cannot be made. */
  async mutate(mutation: Mutation, object: ApiObject, shape: Shape, context: Context): Promise<ApiObject> {
    const next = await this.#changed(mutation, object, shape, context);
    if (next.metadata?.namespace !== object.metadata?.namespace)
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    return next;
  }

  async #changed(mutation: Mutation, object: ApiObject, shape: Shape, context: Context): Promise<ApiObject> {
    if (mutation.patchType === 'JSONPatch') {
      const written = await this.#evaluate(mutation.jsonPatch?.expression ?? '', 'jsonPatch', context);
      return strictly(shape, applySteps(object, written, context.meter), object);
    }
    const written = await this.#evaluate(mutation.applyConfiguration?.expression ?? '', 'apply', context);
    const problem = typeNameProblem(written);
    if (problem !== undefined) throw new MutationError(problem);
    return merged(shape, applyConfiguration(object, partOf(written), shape.type), object);
  }

  async #evaluate(source: string, purpose: 'apply' | 'jsonPatch', { inputs, meter }: Context): Promise<Value> {
    const compiled: Compiled = this.#expressions.compile(source, purpose, meter);
    if ('fault' in compiled.compiled) throw new MutationError(compiled.compiled.fault);
    const { variables = [] } = this.#spec;
    const composed = variables.length === 0 ? undefined : this.#expressions.compose(meter);
    try {
      const result = await new Evaluation(inputs, policyBudget, composed, meter).evaluate(compiled);
      if ('error' in result) throw new MutationError(result.error);
      return result.value;
    } catch (error) {
      if (error instanceof OutOfBudget) throw new MutationError(error.message);
      throw error;
    }
  }
}

function partOf(written: Value): { readonly [key: string]: JsonValue } {
  try {
    const value = writtenJson(written, 'whole');
    return isJsonObject(value) ? (value as { readonly [key: string]: JsonValue }) : {};
  } catch (error) {
    if (error instanceof EvaluationError) throw new MutationError(`invalid return type: ${error.message}`);
    throw error;
  }
}

/** compat: a JSON patch that makes something else of the object ends the request, whatever the policy says of failures */
function strictly({ complete }: Shape, value: JsonValue, known: ApiObject): ApiObject {
  if (value === (known as unknown)) return known;
  try {
    const { object, unknownFields } = complete(value, known);
    if (unknownFields.length === 0) return object;
    const unknown = unknownFields.map((path) => `unknown field ${JSON.stringify(path)}`);
    throw internalError(`strict decoding error: ${unknown.join(', ')}`);
  } catch (error) {
    if (error instanceof UndecodableError) throw internalError(error.message);
    throw error;
  }
}

function merged({ complete }: Shape, value: JsonValue, known: ApiObject): ApiObject {
  try {
    return complete(value, known).object;
  } catch (error) {
    if (!(error instanceof UndecodableError)) throw error;
    throw new MutationError(`error applying patch: failed to convert typed object to object: ${error.message}`);
  }
}
