import { expect, test } from 'vitest';
import { inTurns } from '../base/steps.ts';
import { timeout } from '../meta/status.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import { Evaluation, policyBudget } from './policies/evaluation.ts';
import { PolicyExpressions } from './policies/policy-expressions.ts';
import { RequestPace } from './request-pace.ts';
import { requestFor } from './testing.ts';

const definition = { kind: 'ConfigMap', plural: 'configmaps' } as ResourceDefinition;

/** An expression that takes many turns. */
const endless = 'object.list.all(a, object.list.all(b, object.list.all(c, c >= 0)))';

function evaluate(signal: AbortSignal) {
  const object = { list: Array.from({ length: 100 }, (_, i) => i) };
  const given = { object, oldObject: null, request: {}, namespaceObject: null, params: null };
  const expressions = new PolicyExpressions(false, []);
  const evaluation = new Evaluation(given, policyBudget, expressions.composed);
  const steps = evaluation.evaluate(expressions.compile(endless, 'validation'));
  return { evaluation, result: inTurns(steps, new RequestPace(requestFor({ definition, signal }))) };
}

test('an expression of a policy stops when its request ends, with what ended it', async () => {
  const controller = new AbortController();
  const { evaluation, result } = evaluate(controller.signal);
  controller.abort(timeout('too late'));
  await expect(result).rejects.toThrow('too late');
  // it was given up, and did not come to its end
  expect(evaluation.budget).toBe(policyBudget);
});

test('a client that left ends it as well', async () => {
  const controller = new AbortController();
  const { result } = evaluate(controller.signal);
  controller.abort();
  await expect(result).rejects.toThrow('request did not complete within requested timeout');
});
