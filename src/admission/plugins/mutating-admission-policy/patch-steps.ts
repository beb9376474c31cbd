// Operations of a JSON patch that an expression wrote. Loads the language.

import { type JsonObject, type JsonValue, setOwn } from '../../../base/json/json.ts';
import type { WorkMeter } from '../../../base/time/work-meter.ts';
import { JsonConversion } from '../../../cel/adapt.ts';
import { EvaluationError, ListValue, ObjectValue, type Value } from '../../../cel/values.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { applyJsonPatch, MalformedPatchError, PatchFailedError, TestFailedError } from '../../../patch/json-patch.ts';
import { PatchTooLargeError, PatchWork } from '../../../patch/patch-work.ts';
import { MutationError } from './mutation-error.ts';
import { typeNameProblem, writtenJson } from './written-values.ts';

/** The patched object; the very same where a test of the patch did not hold. */
export function applySteps(object: ApiObject, written: Value, meter: WorkMeter): JsonValue {
  const conversion = new JsonConversion();
  const steps = written instanceof ListValue ? written.toArray().map((step) => stepOf(step, conversion)) : [];
  const work = new PatchWork(() => meter.add(Number.POSITIVE_INFINITY));
  try {
    return applyJsonPatch(object as unknown as JsonValue, steps, work);
  } catch (error) {
    if (error instanceof TestFailedError) return object as unknown as JsonValue;
    if (
      error instanceof PatchFailedError ||
      error instanceof MalformedPatchError ||
      error instanceof PatchTooLargeError
    )
      throw new MutationError(`JSON Patch: ${error.message}`);
    throw error;
  }
}

function stepOf(step: Value, conversion: JsonConversion): JsonObject {
  const result: Record<string, JsonValue> = { op: '', path: '' };
  if (!(step instanceof ObjectValue)) return result;
  for (const name of ['op', 'path', 'from']) {
    const text = step.get(name);
    if (typeof text === 'string' && (name !== 'from' || text !== '')) setOwn(result, name, text);
  }
  const value = step.get('value');
  if (value !== undefined) setOwn(result, 'value', jsonOf(value, conversion));
  return result;
}

function jsonOf(value: Value, conversion: JsonConversion): JsonValue {
  const problem = typeNameProblem(value);
  if (problem !== undefined) throw new MutationError(problem);
  try {
    return writtenJson(value, 'text', conversion);
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    const why = 'JSONPath valueExpression evaluated to a type that could not marshal to JSON';
    throw new MutationError(`${why}: ${error.message}`);
  }
}
