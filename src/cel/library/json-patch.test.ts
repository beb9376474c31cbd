// Changes as expressions write them: parts of objects, and steps of a patch.

import { describe, expect, test } from 'vitest';
import { toJson } from '../adapt.ts';
import { compile } from '../compile.ts';
import { Environment } from '../environment.ts';
import { formatType } from '../types.ts';
import { changeTypeNamed, jsonPatch } from './json-patch.ts';
import { standardLibraries } from './standard.ts';

const environment = new Environment({
  variables: {},
  objectNamed: changeTypeNamed,
  libraries: [...standardLibraries, jsonPatch],
});

function run(source: string): { readonly type: string; readonly value: unknown } {
  const compiled = compile(source, environment);
  if ('errors' in compiled) throw new Error(compiled.errors.message);
  const outcome = compiled.program.evaluate({});
  if ('error' in outcome) throw new Error(outcome.error);
  return { type: formatType(compiled.program.type), value: toJson(outcome.value) };
}

const step = "JSONPatch{op: 'add', path: '/spec/replicas', value: 3}";

describe('the value of', () => {
  test.each<[string, string, unknown]>([
    ['Object{}', 'Object', {}],
    ['Object{spec: Object.spec{replicas: 3}}', 'Object', { spec: { replicas: 3n } }],
    [
      "Object{spec: Object.spec{containers: [Object.spec.containers.item{name: 'a', args: ['-g']}]}}",
      'Object',
      { spec: { containers: [{ name: 'a', args: ['-g'] }] } },
    ],
    ["Object{metadata: Object.metadata{labels: {'a/b': 'c'}}}", 'Object', { metadata: { labels: { 'a/b': 'c' } } }],
    ['Object{numbers: [1, 2, 3]}.numbers.sum()', 'dyn', 6n],
    ['Object{spec: Object.spec{n: 3}} == Object{spec: Object.spec{n: 1 + 2}}', 'bool', true],
    ['Object{?spec: optional.none()}', 'Object', {}],
    ['has(Object{a: 1}.a) && !has(Object{a: 1}.b)', 'bool', true],
    ['Object.spec{}', 'Object.spec', {}],
    [`[${step}]`, 'list(JSONPatch)', [{ op: 'add', path: '/spec/replicas', value: 3n }]],
    [`false ? [${step}] : []`, 'list(JSONPatch)', []],
    ["JSONPatch{op: 'x'}.op + JSONPatch{}.path", 'string', 'x'],
    ['has(JSONPatch{}.value)', 'bool', false],
    ["jsonpatch.escapeKey('example.com/a~b')", 'string', 'example.com~1a~0b'],
  ])('%s', (source, type, value) => {
    expect(run(source)).toEqual({ type, value });
  });
});

describe('what is wrong with', () => {
  test.each<[string, string]>([
    ['Objects{}', "undeclared reference to 'Objects' (in container '')"],
    ['JSONPatch{op: 1}', "expected type of field 'op' is 'string' but provided type is 'int'"],
    ['JSONPatch{of: 1}', "undefined field 'of'"],
    ['[JSONPatch{}, Object{}]', "expected type 'JSONPatch' but found 'Object'"],
    ['jsonpatch.escapeKey(1)', "found no matching overload for 'jsonpatch.escapeKey' applied to '(int)'"],
  ])('%s', (source, message) => {
    expect(() => run(source)).toThrow(message);
  });

  test('a change where there are none', () => {
    const compiled = compile('Object{}', new Environment({ variables: {} }));
    expect(compiled).toMatchObject({
      errors: { issues: [{ message: "undeclared reference to 'Object' (in container '')" }] },
    });
  });
});
