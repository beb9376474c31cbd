import { describe, expect, test } from 'vitest';
import { rulesOf } from '../../../../testing/kind-rules.ts';
import { endpoints } from '../service/endpoints.ts';
import { limitRange } from './limit-range.ts';
import { resourceQuota } from './resource-quota.ts';

describe('limits', () => {
  const rules = rulesOf(limitRange);
  const limits = (...list: object[]) => ({ spec: { limits: list } });
  const container = (fields: object) => limits({ type: 'Container', ...fields });

  test('of containers give defaults: the maximum, and for requests that or the minimum', () => {
    const made = rules.defaulted(container({ max: { cpu: '2' }, min: { memory: '1Mi' } }));
    expect(made['spec']).toMatchObject({
      limits: [{ default: { cpu: '2' }, defaultRequest: { cpu: '2', memory: '1Mi' } }],
    });
  });

  test.each<[string, object, string[]]>([
    ['of containers', container({ max: { cpu: '2' } }), []],
    ['of an odd thing', limits({ type: 'Odd' }), ['Invalid spec.limits[0].type']],
    ['twice', limits({ type: 'Pod' }, { type: 'Pod' }), ['Duplicate spec.limits[1].type']],
    ['with defaults for pods', limits({ type: 'Pod', default: { cpu: '1' } }), ['Forbidden spec.limits[0].default']],
    ['of claims without a size', limits({ type: 'PersistentVolumeClaim' }), ['Required spec.limits[0].limits']],
    [
      'that contradict each other',
      limits({ type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' } }),
      ['Invalid spec.limits[0].min[cpu]'],
    ],
    [
      'with a ratio below one',
      limits({ type: 'Pod', maxLimitRequestRatio: { cpu: '500m' } }),
      ['Invalid spec.limits[0].maxLimitRequestRatio[cpu]'],
    ],
    [
      'of an unknown resource',
      limits({ type: 'Pod', max: { odd: '1' } }),
      ['Invalid spec.limits[0].max[odd]', 'Invalid spec.limits[0].max[odd]'],
    ],
  ])('%s', (_, fields, expected) => {
    expect(rules.create(fields)).toEqual(expected);
  });
});

describe('a quota', () => {
  const rules = rulesOf(resourceQuota);
  const spec = (fields: object) => ({ spec: fields });
  const selector = (...matchExpressions: object[]) => spec({ scopeSelector: { matchExpressions } });
  const at = 'spec.scopeSelector.matchExpressions';

  test.each<[string, object, string[]]>([
    ['of counts and amounts', spec({ hard: { pods: '5', 'requests.cpu': '1500m', 'count/jobs.batch': '3' } }), []],
    ['of an unknown resource', spec({ hard: { odd: '1' } }), ['Invalid spec.hard[odd]', 'Invalid spec.hard[odd]']],
    ['of less than nothing', spec({ hard: { cpu: '-1' } }), ['Invalid spec.hard[cpu]']],
    ['of half a pod', spec({ hard: { pods: '500m' } }), ['Invalid spec.hard[pods]']],
    ['of an odd scope', spec({ scopes: ['Odd'] }), ['Invalid spec.scopes']],
    ['of opposite scopes', spec({ scopes: ['BestEffort', 'NotBestEffort'] }), ['Invalid spec.scopes']],
    ['of a scope that does not fit', spec({ hard: { cpu: '1' }, scopes: ['BestEffort'] }), ['Invalid spec.scopes']],
    ['of classes', selector({ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }), []],
    ['of no class', selector({ scopeName: 'PriorityClass', operator: 'In' }), [`Required ${at}.values`]],
    [
      'of a scope with values',
      selector({ scopeName: 'Terminating', operator: 'In', values: ['x'] }),
      [`Invalid ${at}.operator`],
    ],
  ])('%s', (_, fields, expected) => {
    expect(rules.create(fields)).toEqual(expected);
  });

  test('keeps its scopes, in any order', () => {
    const scopes = (...list: string[]) => spec({ scopes: list });
    expect(rules.update(scopes('Terminating', 'BestEffort'), scopes('BestEffort', 'Terminating'))).toEqual([]);
    expect(rules.update(scopes('Terminating'), scopes('NotTerminating'))).toEqual(['Invalid spec.scopes']);
  });

  test('shows what is used', () => {
    const status = { hard: { pods: '5', 'limits.cpu': '2' }, used: { pods: '1' } };
    expect(rules.cells({ status })).toMatchObject({ Request: 'pods: 1/5', Limit: 'limits.cpu: 0/2' });
  });
});

describe('endpoints', () => {
  const rules = rulesOf(endpoints);
  const addresses = [{ ip: '192.0.2.1' }];

  test.each<[string, object, string[]]>([
    ['addresses and ports', { addresses, ports: [{ port: 80 }] }, []],
    ['no addresses', { ports: [{ port: 80 }] }, ['Required subsets[0]']],
    ['a local address', { addresses: [{ ip: '127.0.0.1' }] }, ['Invalid subsets[0].addresses[0].ip']],
    [
      'ports without names',
      { addresses, ports: [{ port: 1 }, { port: 2, name: 'b' }] },
      ['Required subsets[0].ports[0].name'],
    ],
  ])('with %s', (_, subset, expected) => {
    expect(rules.create({ subsets: [subset] })).toEqual(expected);
  });

  test('show three addresses', () => {
    const many = ['1', '2', '3', '4'].map((last) => ({ ip: `192.0.2.${last}` }));
    const cell = (subsets: object[]) => rules.cells({ subsets })['Endpoints'];
    expect(cell([])).toBe('<none>');
    expect(cell([{ addresses, ports: [{ port: 80 }] }])).toBe('192.0.2.1:80');
    expect(cell([{ addresses: many, ports: [{ port: 80 }] }])).toBe(
      '192.0.2.1:80,192.0.2.2:80,192.0.2.3:80 + 1 more...',
    );
  });
});
