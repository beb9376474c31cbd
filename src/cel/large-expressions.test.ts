import { expect, test } from 'vitest';
import { compile } from './compile.ts';
import { Environment } from './environment.ts';
import { estimateCost } from './estimate.ts';
import { dyn } from './types.ts';

const environment = new Environment({ variables: { object: dyn, a: dyn } });

/** A quarter of what an expression may have: enough, and quick. */
function long(unit: string, separator: string, before = '', after = ''): string {
  const room = 25_000 - before.length - after.length;
  const count = Math.floor(room / (unit.length + separator.length));
  return before + Array.from({ length: count }, () => unit).join(separator) + after;
}

function outcomeOf(source: string): string {
  const compiled = compile(source, environment);
  if ('errors' in compiled) return compiled.errors.message.split('\n')[0] as string;
  estimateCost(compiled.program.checked);
  const outcome = compiled.program.evaluate({ object: { spec: { replicas: 3 } }, a: [1] }, { budget: 10_000_000 });
  return 'value' in outcome ? String(outcome.value) : outcome.error;
}

test.each([
  ['a list', long('1', ',', '[', '].size() > 1'), 'true'],
  ['a map', long('a:a', ',', '{', '}.size() > 1'), 'unsupported key type'],
  ['conditions', long('object.spec.replicas == 3', ' && '), 'true'],
  ['macros', long('a.all(x, x == 2)', '||'), 'false'],
  ['a macro around everything', long('a.exists(y, y == x)', '&&', 'a.all(x,', ')'), 'true'],
  ['optionals', long('optional.of(a).optMap(x, x).orValue(1) == a', '&&'), 'true'],
  ['arguments', long('1', ',', 'f(', ')'), "ERROR: <input>:1:2: undeclared reference to 'f' (in container '')"],
])('a long expression of %s is compiled, estimated and run', (_, source, expected) => {
  expect(outcomeOf(source)).toContain(expected);
});

test('types that depend on each other in a long row are found without recursion', () => {
  const lists = `[${Array.from({ length: 20_000 }, () => '[]').join(',')}].size() == 20000`;
  expect(outcomeOf(lists)).toBe('true');
});
