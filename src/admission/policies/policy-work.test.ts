// Policies whose work is long: the request moves to the lane, and the next one does so at once.

import { expect, test } from 'vitest';
import type { ValidatingAdmissionPolicy } from '../../groups/admissionregistration/v1/validating-admission-policy.ts';
import { moveToLane } from '../../meta/move-to-lane.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import { Validator } from '../plugins/validating-admission-policy/validator.ts';
import { requestFor } from '../testing.ts';
import { authorizerOf, RequestInputs } from './expression-inputs.ts';
import type { Hook } from './policy-source.ts';
import { moveIfExpensive, PolicyWork } from './policy-work.ts';

const definition = { group: '', version: 'v1', plural: 'configmaps' } as ResourceDefinition;
const report = () => undefined;

function requestWith(text: string, moveIfPossible?: () => void) {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { text } };
  return requestFor({ definition, object, ...(moveIfPossible && { moveIfPossible }) });
}

function judge(expression: string, request: ReturnType<typeof requestWith>) {
  const policy: ValidatingAdmissionPolicy = {
    apiVersion: 'x',
    kind: 'x',
    metadata: { name: 'a' },
    spec: { validations: [{ expression }] },
  };
  const validator = new Validator(policy);
  const { definition: resource, kind, object } = request;
  const authorizer = authorizerOf(request.user, { decide: () => ({ kind: 'allow' }) });
  const inputs = RequestInputs.of({ request, resource, kind, object, oldObject: undefined }, authorizer, undefined);
  const run = () => validator.validate(inputs, report, new PolicyWork(request).of(policy));
  const hooks: Hook<ValidatingAdmissionPolicy, never>[] = [
    { policy, criteria: undefined, bindings: [], always: [{ policy, definition, params: null }] } as never,
  ];
  return { run, begin: () => moveIfExpensive({} as never, request, hooks) };
}

const throwMove = () => {
  throw moveToLane;
};

test.each([
  ['pairs of all characters', "object.data.text.split('').all(a, object.data.text.split('').all(b, a <= b))", 1000],
  ['a pattern on a long text', "object.data.text.matches('^(x|y){1,100}')", 100_000],
  [
    'an expression that is long to compile',
    Array.from({ length: 600 }, (_, index) => `object.data.text != 'x${index}'`).join(' && '),
    1,
  ],
])('%s: the request moves, and the next one does so at the beginning', async (_, expression, length) => {
  const { run, begin } = judge(expression, requestWith('x'.repeat(length), throwMove));
  expect(begin()).toBeUndefined();
  expect(run).toThrow(moveToLane);
  await expect(begin()).rejects.toBe(moveToLane);
});

test('a request that cannot move is served', async () => {
  const { run, begin } = judge("object.data.text.matches('^(x|y){1,100}')", requestWith('x'.repeat(90_000)));
  expect((await run()).decisions).toEqual([]);
  await begin();
});

test('short work moves nothing', async () => {
  const { run, begin } = judge("object.data.text.matches('^(x|y){1,100}')", requestWith('x'.repeat(100), throwMove));
  expect((await run()).decisions).toEqual([]);
  expect(begin()).toBeUndefined();
});
