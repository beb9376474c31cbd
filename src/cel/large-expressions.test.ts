import { expect, test } from 'vitest';
import { compiling } from './compile.ts';
import { Environment } from './environment.ts';
import { estimatingCost } from './estimate.ts';
import { dyn } from './types.ts';

const environment = new Environment({ variables: { object: dyn, a: dyn } });

/** A quarter of what an expression may have: enough to tell steps, and quick. */
function long(unit: string, separator: string, before = '', after = ''): string {
  const room = 25_000 - before.length - after.length;
  const count = Math.floor(room / (unit.length + separator.length));
  return before + Array.from({ length: count }, () => unit).join(separator) + after;
}

/** How many steps it takes, and what comes of it. */
function inSteps(source: string): { steps: number; outcome: string } {
  const work = compiling(source, environment);
  let steps = 1;
  let next = work.next();
  for (; !next.done; next = work.next()) steps++;
  if ('errors' in next.value) return { steps, outcome: next.value.errors.message.split('\n')[0] as string };
  const estimate = estimatingCost(next.value.program.checked);
  while (!estimate.next().done) steps++;
  const outcome = next.value.program.evaluate({ object: { spec: { replicas: 3 } }, a: [1] }, { budget: 10_000_000 });
  return { steps, outcome: 'value' in outcome ? String(outcome.value) : outcome.error };
}

test.each([
  ['a list', long('1', ',', '[', '].size() > 1'), 'true'],
  ['a map', long('a:a', ',', '{', '}.size() > 1'), 'unsupported key type'],
  ['conditions', long('object.spec.replicas == 3', ' && '), 'true'],
  ['macros', long('a.all(x, x == 2)', '||'), 'false'],
  ['a macro around everything', long('a.exists(y, y == x)', '&&', 'a.all(x,', ')'), 'true'],
  ['optionals', long('optional.of(a).optMap(x, x).orValue(1) == a', '&&'), 'true'],
  ['arguments', long('1', ',', 'f(', ')'), "ERROR: <input>:1:2: undeclared reference to 'f' (in container '')"],
])('%s: no step of a long expression is long', (_, source, expected) => {
  const { steps, outcome } = inSteps(source);
  expect(outcome).toContain(expected);
  // about 200 parts each; an expression was four steps before
  expect(steps).toBeGreaterThan(50);
});

test('types that depend on each other in a long row are found without recursion', () => {
  const lists = `[${Array.from({ length: 20_000 }, () => '[]').join(',')}].size() == 20000`;
  expect(inSteps(lists).outcome).toBe('true');
});

test('short expressions take few steps', () => {
  expect(inSteps('a.all(x, x == 1) && object.spec.replicas == 3')).toEqual({ steps: 4, outcome: 'true' });
});
