// Patterns that are matched in another thread: a policy waits for the answer, and asks once.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { inTurns } from '../../base/steps.ts';
import type { ValidatingAdmissionPolicy } from '../../groups/admissionregistration/v1/validating-admission-policy.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import { Validator } from '../plugins/validating-admission-policy/validator.ts';
import { requestFor } from '../testing.ts';
import { authorizerOf, RequestInputs } from './expression-inputs.ts';
import { conditionsHold } from './match-conditions.ts';
import { policyExpressions } from './policy-expressions.ts';

/** Each answer comes from a thread of its own. */
let asked = 0;
const count = () => void asked++;

beforeEach(() => {
  asked = 0;
  process.on('worker', count);
});

afterEach(() => {
  process.off('worker', count);
});

const long = 'x'.repeat(100_000);
const expression = "object.data.text.matches('^(x|y){1,100}')";

function inputsOf(): RequestInputs {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { text: long } };
  const request = requestFor({ definition, object });
  const matched = { request, resource: request.definition, kind: request.kind, object, oldObject: undefined };
  return RequestInputs.of(matched, authorizerOf(request.user, { decide: () => ({ kind: 'allow' }) }), undefined);
}

const definition = { group: '', version: 'v1', plural: 'configmaps' } as ResourceDefinition;
const report = () => undefined;

test('a validation goes on with the turn that was interrupted', async () => {
  const spec: ValidatingAdmissionPolicy['spec'] = { validations: [{ expression: 'true' }, { expression }] };
  const validator = new Validator({ apiVersion: 'x', kind: 'x', metadata: { name: 'a' }, spec });
  const inputs = inputsOf();
  expect((await inTurns(validator.validate(inputs, report))).decisions).toEqual([]);
  expect(asked).toBe(1);
  const progress = validator.attempt(inputs);
  expect(progress).toMatchObject({ done: 1 });
  if (progress === 'holds') return;
  expect((await inTurns(validator.validate(inputs, report, progress))).decisions).toEqual([]);
  expect(asked).toBe(2);
});

test('a condition waits for its answer', async () => {
  const context = {
    expressions: policyExpressions(false, []),
    inputs: inputsOf().forConditions(),
    fails: true,
    report,
  };
  expect(await inTurns(conditionsHold([{ name: 'a', expression }], context))).toBe(true);
  expect(asked).toBe(1);
});
