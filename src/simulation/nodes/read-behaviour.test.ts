import { describe, expect, test } from 'vitest';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { globMatcher } from './glob.ts';
import { readAnnotations, readBehaviour } from './read-behaviour.ts';
import { readRules, SimulationRules } from './rules.ts';

describe('globs', () => {
  test.each([
    ['web-*', 'web-1', true],
    ['web-*', 'app-web-1', false],
    ['*/nginx:*', 'docker.io/library/nginx:1', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['*a*b*c', 'xxaxxbxxc', true],
    ['*a*b*c', 'xxaxxcxxb', false],
    ['', '', true],
    ['plain', 'plain', true],
  ])('%s and %s: %s', (pattern, text, expected) => {
    expect(globMatcher(pattern)(text)).toBe(expected);
  });

  test('a pattern of many stars takes no exponential time', () => {
    expect(globMatcher(`${'*a'.repeat(100)}b`)('a'.repeat(10_000))).toBe(false);
  });
});

describe('values of behaviour', () => {
  test.each([
    [{ exitCode: 256 }, 'exitCode: must be a whole number from 0 to 255'],
    [{ exitCode: 1.5 }, 'exitCode: must be a whole number from 0 to 255'],
    [{ runSeconds: -1 }, 'runSeconds: must be a number of seconds from 0 to 31536000'],
    [{ runSeconds: '1' }, 'runSeconds: must be a number of seconds from 0 to 31536000'],
    [{ oom: 'yes' }, 'oom: must be true or false'],
    [{ pullError: '' }, 'pullError: must be a text of at most 1024 characters'],
    [{ cpu: 'much' }, 'cpu: must be a quantity, such as 100m or 64Mi'],
    [{ logs: [1] }, 'logs: must be a text or a list of at most 10000 lines'],
    [{ exit: 1 }, /^exit: is not a field; use one of pullSeconds, /],
  ])('%j is refused', (fields, message) => {
    expect(() => readBehaviour(fields)).toThrow(message);
  });

  test('lines are a text or a list', () => {
    expect(readBehaviour({ logs: 'a\nb\n' })).toEqual({ logs: ['a', 'b'] });
    expect(readBehaviour({ logs: ['a', 'b\nc'] })).toEqual({ logs: ['a', 'b', 'c'] });
  });
});

describe('annotations', () => {
  test('set fields of all containers, or of one', () => {
    expect(
      readAnnotations({
        'web.simulation.keelson.dev/exit-code': '2',
        'simulation.keelson.dev/run-seconds': '1.5',
        'simulation.keelson.dev/crash-loop': 'true',
        'example.com/other': 'x',
      }),
    ).toEqual([
      { container: '', behaviour: { runSeconds: 1.5 } },
      { container: '', behaviour: { crashLoop: true } },
      { container: 'web', behaviour: { exitCode: 2 } },
    ]);
  });

  test.each([
    ['simulation.keelson.dev/exit-code', 'x', 'annotation simulation.keelson.dev/exit-code: must be a whole number'],
    ['simulation.keelson.dev/oom', '1', 'annotation simulation.keelson.dev/oom: must be true or false'],
    ['simulation.keelson.dev/exit', '1', 'annotation simulation.keelson.dev/exit: is not one of pull-seconds, '],
  ])('%s: %s is refused', (key, value, message) => {
    expect(() => readAnnotations({ [key]: value })).toThrow(message);
  });
});

const podOf = (annotations = {}): Pod => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'web-1', namespace: 'shop', labels: { app: 'web' }, annotations },
});

describe('rules', () => {
  test('later rules win field by field, annotations over all', () => {
    const rules = new SimulationRules(
      readRules([
        { behaviour: { pullSeconds: 1, startSeconds: 1 } },
        { match: { namespace: 'sh*', image: 'nginx:*' }, behaviour: { pullSeconds: 2, exitCode: 3 } },
        { match: { labels: { app: 'db' } }, behaviour: { pullSeconds: 9 } },
        { match: { container: 'side' }, behaviour: { pullSeconds: 9 } },
      ]),
    );
    const target = { container: 'main', image: 'nginx:1' };
    expect(rules.behaviourOf({ ...target, pod: podOf() })).toEqual({ pullSeconds: 2, startSeconds: 1, exitCode: 3 });
    const annotated = podOf({ 'simulation.keelson.dev/exit-code': '7' });
    expect(rules.behaviourOf({ ...target, pod: annotated })).toMatchObject({ exitCode: 7 });
    expect(rules.withoutAnnotations({ ...target, pod: annotated })).toMatchObject({ exitCode: 3 });
  });

  test.each([
    [{}, 'must be a list of rules'],
    [['x'], '[0]: must have the fields match and behaviour'],
    [[{ match: {} }], '[0].behaviour: must be set'],
    [[{ behaviour: { exitCode: -1 } }], '[0].behaviour.exitCode: must be a whole number from 0 to 255'],
    [[{ match: { pod: 'x' }, behaviour: {} }], '[0].match.pod: is not a field; use one of namespace, name, '],
    [[{ match: { labels: { a: 1 } }, behaviour: {} }], '[0].match.labels: must be an object of texts'],
    [[{ behaviour: {}, when: 1 }], '[0].when: is not a field; use match and behaviour'],
    [Array.from({ length: 1001 }, () => ({ behaviour: {} })), 'has 1001 rules; at most 1000 are allowed'],
  ])('%j are refused', (value, message) => {
    expect(() => readRules(value)).toThrow(message);
  });
});
