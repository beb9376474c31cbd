import { describe, expect, test } from 'vitest';
import { isPromise } from '../../base/maybe-promise.ts';
import { WorkMeter } from '../../base/time/work-meter.ts';
import { Activation } from '../../cel/frame.ts';
import { AuthorizerValue } from '../../cel/library/authorizer.ts';
import { Evaluation, OutOfBudget, policyBudget } from './evaluation.ts';
import { PolicyExpressions, policyExpressions, type Variable } from './policy-expressions.ts';

const inputs = (object: unknown = {}) => ({
  object,
  oldObject: null,
  request: {},
  namespaceObject: null,
  params: null,
});

function run(expressions: PolicyExpressions, source: string, budget = policyBudget, given: object = inputs()) {
  const evaluation = new Evaluation(given as Record<string, unknown>, budget, expressions.compose());
  const result = evaluation.evaluate(expressions.compile(source, 'validation'));
  if (isPromise(result)) throw new Error('nothing is to be waited for');
  return { result, left: evaluation.budget };
}

const of = (...variables: readonly Variable[]) => new PolicyExpressions(false, variables);

describe('variables', () => {
  test('are computed when they are read, and once', () => {
    const expressions = of(
      { name: 'broken', expression: 'object.missing' },
      { name: 'one', expression: "'x'.matches('x+')" },
      { name: 'two', expression: 'variables.one && variables.one' },
    );
    const { result, left } = run(expressions, 'variables.two && variables.one && variables.two');
    expect(result).toMatchObject({ value: true });
    const { left: leftOfOne } = run(of({ name: 'one', expression: "'x'.matches('x+')" }), 'variables.one');
    // the pattern is paid for once; reading a variable costs two
    expect(leftOfOne - left).toBeLessThan(15);
  });

  test('that fail are named, with what is wrong with them', () => {
    const expressions = of({ name: 'a', expression: 'object.missing == 1' }, { name: 'b', expression: 'variables.a' });
    expect(run(expressions, 'variables.b').result).toEqual({
      error:
        'expression \'variables.b\' resulted in error: composited variable "b" fails to evaluate: composited variable "a" fails to evaluate: no such key: missing',
    });
    expect(run(expressions, 'variables.b || true').result).toMatchObject({ value: true });
  });

  test('of the same name cannot lead back to themselves', () => {
    const expressions = of({ name: 'a', expression: 'true' }, { name: 'a', expression: 'variables.a || false' });
    expect(run(expressions, 'variables.a').result).toMatchObject({
      error: expect.stringContaining('it refers to itself') as string,
    });
  });
});

describe('budgets', () => {
  test('are shared by expressions and the variables they read', () => {
    const expressions = of({ name: 'a', expression: 'object.x.y == 1' });
    const { left } = run(expressions, 'variables.a', 100, inputs({ x: { y: 1 } }));
    expect(left).toBeLessThan(95);
    expect(left).toBeGreaterThan(80);
    expect(() => run(expressions, 'variables.a', 2, inputs({ x: { y: 1 } }))).toThrow(OutOfBudget);
  });
});

test('a text that does not compile is an error of each run', () => {
  expect(run(of(), '1 +').result).toMatchObject({
    error: expect.stringMatching(/^compilation error: compilation failed: ERROR: <input>:1:4/) as string,
  });
});

test('the same text is compiled once for the same variables', () => {
  const variables = [{ name: 'a', expression: '1' }];
  const [first, second] = [policyExpressions(true, variables), policyExpressions(true, [...variables])];
  expect(first).toBe(second);
  expect(first.compile('variables.a == 1', 'validation')).toBe(second.compile('variables.a == 1', 'validation'));
  expect(policyExpressions(false, variables)).not.toBe(first);
});

test('rights that another server knows are waited for, inside of variables too', async () => {
  let asked = 0;
  const check = async () => {
    asked++;
    return { allowed: true, reason: '' };
  };
  const authorizer = AuthorizerValue.of({ check });
  const expressions = of({ name: 'may', expression: "authorizer.path('/x').check('get').allowed()" });
  const evaluation = new Evaluation({ ...inputs(), authorizer }, policyBudget, expressions.compose());
  const result = evaluation.evaluate(expressions.compile('variables.may && variables.may', 'validation'));
  expect([await result, asked]).toMatchObject([{ value: true }, 1]);
  // what was computed before the answer came is paid once
  expect(policyBudget - evaluation.budget).toBe(350_007);
});

test('what no expression reads is not made', () => {
  class Counting extends Activation {
    readonly names: string[] = [];

    read(name: string): unknown {
      this.names.push(name);
      return name === 'object' ? { a: 1 } : undefined;
    }
  }
  const given = new Counting();
  const expressions = of({ name: 'a', expression: 'object.a' }, { name: 'b', expression: 'request.name' });
  expect(run(expressions, 'variables.a == 1 && object.a == 1', policyBudget, given).result).toMatchObject({
    value: true,
  });
  expect(new Set(given.names)).toEqual(new Set(['object']));
});

test('variables that were compiled before the work became long are not compiled again', () => {
  const variables = Array.from({ length: 200 }, (_, index) => ({
    name: `v${index}`,
    expression: `object.metadata.name != 'name-${index}'`,
  }));
  const expressions = of(...variables);
  const compileSome = () =>
    expressions.compile(
      'variables.v0',
      'validation',
      new WorkMeter(() => {
        throw new Error('long');
      }),
    );
  let attempts = 1;
  for (; attempts < 10; attempts++)
    try {
      expect(compileSome().compiled).toHaveProperty('program');
      break;
    } catch (error) {
      expect(error).toHaveProperty('message', 'long');
    }
  expect(attempts).toBeGreaterThan(1);
  expect(attempts).toBeLessThan(10);
});
