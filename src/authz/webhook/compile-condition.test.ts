import { describe, expect, test } from 'vitest';
import { pathAccess, resourceAccess } from '../../meta/access.ts';
import { kubernetes } from '../../meta/dialect.ts';
import { parseFieldSelector } from '../../meta/field-selector.ts';
import { expectShortTurns } from '../../testing/processor-time.ts';
import { reviewSpec } from './access-review.ts';
import { conditionCompiler } from './compile-condition.ts';
import { matchAll } from './match-conditions.ts';

const compile = conditionCompiler(kubernetes);
const ann = { name: 'ann', groups: ['devs'], extra: { 'a/b': ['c'] } };
const listing = reviewSpec(
  resourceAccess({
    user: ann,
    verb: 'list',
    resource: 'pods',
    namespace: 'shop',
    fieldSelector: parseFieldSelector('spec.nodeName=x'),
  }),
);
const reading = reviewSpec(pathAccess({ name: 'bob', groups: [] }, 'get', '/metrics'));

function conditions(...expressions: string[]) {
  return expressions.map((expression) => {
    const compiled = compile(expression);
    if ('error' in compiled) throw new Error(compiled.error);
    return compiled.condition;
  });
}

describe('conditions', () => {
  test.each([
    ["has(request.resourceAttributes) && request.resourceAttributes.namespace == 'shop'", true, false],
    ['has(request.nonResourceAttributes)', false, true],
    ["request.user == 'ann' && 'devs' in request.groups", true, false],
    ["!('system:masters' in request.groups) && request.uid == ''", true, true],
    ["'a/b' in request.extra && request.extra['a/b'] == ['c']", true, false],
    ["request.?resourceAttributes.subresource.orValue('none') == ''", true, false],
    [
      "request.?resourceAttributes.fieldSelector.requirements.orValue([]).exists(r, r.key == 'spec.nodeName' && r.operator == 'In')",
      true,
      false,
    ],
    ['has(request.resourceAttributes) && has(request.resourceAttributes.labelSelector)', false, false],
  ])('%s', async (expression, onListing, onReading) => {
    expect(await matchAll(conditions(expression), listing)).toEqual({ matches: onListing });
    expect(await matchAll(conditions(expression), reading)).toEqual({ matches: onReading });
  });

  test('that take long leave other work its turns', async () => {
    const groups = Array.from({ length: 120 }, (_, at) => `group-${at}`);
    const spec = reviewSpec(pathAccess({ name: 'ann', groups }, 'get', '/'));
    const slow = conditions(
      ...Array.from(
        { length: 40 },
        (_, at) => `request.groups.all(g, request.groups.exists(h, h == g + '${at}') || true)`,
      ),
    );
    await expectShortTurns(60, async () => expect(await matchAll(slow, spec)).toEqual({ matches: true }));
  });

  test('all have to hold, and one that does not outweighs one that cannot be computed', async () => {
    const broken = "request.resourceAttributes.verb == 'get'";
    expect(await matchAll(conditions('true', "request.user == 'ann'"), listing)).toEqual({ matches: true });
    expect(await matchAll(conditions(broken, "request.user == 'ann'"), reading)).toEqual({ matches: false });
    expect(await matchAll(conditions(broken), reading)).toEqual({
      error: `cel evaluation error: expression '${broken}' resulted in error: no such key: resourceAttributes`,
    });
  });

  test.each([
    ['request.user', /^must evaluate to bool but got string$/],
    ['request.nothing == 1', /^compilation failed: ERROR: <input>:1:8: undefined field 'nothing'/],
    ['request.user ==', /^compilation failed: ERROR: <input>:1:16: Syntax error/],
    ['object.metadata == 1', /undeclared reference to 'object'/],
  ])('%s is refused', (expression, message) => {
    const compiled = compile(expression);
    expect('error' in compiled ? compiled.error : '').toMatch(message);
  });

  test('that cost too much are an error', async () => {
    const [condition] = conditions(
      "request.groups.all(a, request.groups.all(b, request.groups.all(c, a + b + c != '')))",
    );
    const groups = Array.from({ length: 200 }, (_, index) => `group-${index}`);
    expect(await condition?.evaluate({ user: 'ann', groups })).toEqual({
      error: expect.stringContaining('cost') as string,
    });
  });
});
