import { expect, test } from 'vitest';
import { pathSteps, schemaAt } from './field-path.ts';

test.each<[string, readonly string[] | undefined]>([
  ['.spec.size', ['spec', 'size']],
  [".spec['a.b']", ['spec', 'a.b']],
  [".spec['it\\'s']", ['spec', "it's"]],
  ['spec', undefined],
  ['', undefined],
  ['.spec..size', undefined],
  ['.spec[0]', undefined],
])('%j has the steps %j', (path, steps) => {
  expect(pathSteps(path)).toEqual(steps);
});

test('leads into named fields and into maps', () => {
  const size = { type: 'integer' };
  const schema = {
    properties: { spec: { properties: { size }, type: 'object' }, labels: { additionalProperties: size } },
  };
  expect(schemaAt(schema, ['spec', 'size'])).toBe(size);
  expect(schemaAt(schema, ['labels', 'any'])).toBe(size);
  expect(schemaAt(schema, ['spec', 'constructor'])).toBeUndefined();
});
