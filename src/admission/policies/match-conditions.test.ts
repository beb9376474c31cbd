import { describe, expect, test } from 'vitest';
import { AuthorizerValue } from '../../cel/library/authorizer.ts';
import { ConditionError, conditionsHold } from './match-conditions.ts';
import { policyExpressions } from './policy-expressions.ts';

const authorizer = AuthorizerValue.of({ check: ({ path }) => ({ allowed: path !== '/no', reason: '' }) });
const inputs = { object: { a: 1 }, oldObject: null, request: {}, namespaceObject: null, params: null, authorizer };

/** Whether they hold, or why that cannot be told, and what metrics hear. */
async function run(expressions: readonly string[], fails = true) {
  const told: { errors: number }[] = [];
  const conditions = expressions.map((expression, index) => ({ name: `c${index}`, expression }));
  const context = {
    expressions: policyExpressions(false, []),
    inputs,
    fails,
    report: (one: { errors: number }) => void told.push(one),
  };
  try {
    return { result: await conditionsHold(conditions, context), errors: told.map(({ errors }) => errors) };
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    return { result: error.message, errors: told.map(({ errors }) => errors) };
  }
}

const missing = (field: string) => `expression 'object.${field} == 1' resulted in error: no such key: ${field}`;
/** Two questions about rights, 700,000. */
const expensive = ['/a', '/b'].map((path) => `authorizer.path('${path}').check('get').allowed()`).join(' && ');
const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';

describe('conditions', () => {
  test.each<[string, readonly string[], boolean | string, readonly number[]]>([
    ['all hold', ['true', 'object.a == 1'], true, []],
    ['one does not', ['true', 'false', 'object.b == 1'], false, [0]],
    ['one does not, after one that fails', ['object.b == 1', 'false'], false, [1]],
    ['one fails', ['object.b == 1', 'true'], missing('b'), [1]],
    [
      'several fail, each is told once',
      ['object.b == 1', 'object.c == 1', 'object.b == 1'],
      `[${missing('b')}, ${missing('c')}]`,
      [3],
    ],
    ['rights are asked for', ["authorizer.path('/no').check('get').allowed()"], false, [0]],
    ['three expensive ones are affordable', [expensive, expensive, expensive], true, []],
    ['four are not', [expensive, expensive, expensive, expensive], outOfBudget, [0]],
    // all of them are evaluated before any counts
    ['four are not, whatever came before', ['false', expensive, expensive, expensive, expensive], outOfBudget, [0]],
    [
      'what does not compile fails',
      ['1 +'],
      expect.stringContaining('compilation error: compilation failed: ERROR: <input>:1:4') as string,
      [1],
    ],
  ])('%s', async (_, expressions, result, errors) => {
    expect(await run(expressions)).toEqual({ result, errors });
  });

  test('errors mean that they do not hold, where failures are ignored', async () => {
    expect(await run(['object.b == 1', 'true'], false)).toEqual({ result: false, errors: [1] });
    expect(await run([expensive, expensive, expensive, expensive], false)).toEqual({ result: false, errors: [0] });
  });
});
