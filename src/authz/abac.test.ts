import { describe, expect, test } from 'vitest';
import { type AccessAttributes, pathAccess, resourceAccess } from '../meta/access.ts';
import { kubernetes } from '../meta/dialect.ts';
import { anonymousUser } from '../meta/user.ts';
import { abacModule, parsePolicies } from './abac.ts';

const line = (spec: object, kind = 'Policy') =>
  JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind, spec });
const ann = { name: 'ann', groups: ['devs', 'system:authenticated'] };
const pods = (more: Partial<AccessAttributes> = {}) =>
  resourceAccess({ user: ann, verb: 'get', resource: 'pods', namespace: 'n', ...more });

function may(spec: object, attributes: AccessAttributes): boolean {
  const { authorize } = abacModule(parsePolicies(`# a comment\n\n${line(spec)}\n`, kubernetes));
  return JSON.stringify(authorize(attributes)) === JSON.stringify({ kind: 'allow' });
}

const all = { namespace: '*', resource: '*', apiGroup: '*' };

describe('a policy', () => {
  test.each<[object, AccessAttributes, boolean]>([
    [{ user: 'ann', ...all }, pods(), true],
    [{ user: 'bob', ...all }, pods(), false],
    [{ group: 'devs', ...all }, pods({ verb: 'delete' }), true],
    [{ user: 'ann', group: 'ops', ...all }, pods(), false],
    [{ ...all }, pods(), false],
    [{ user: '*', ...all }, pods(), true],
    [{ user: '*', ...all }, pods({ user: anonymousUser }), false],
    [{ group: '*', ...all }, pods({ user: anonymousUser }), false],
    [{ user: 'ann', ...all, readonly: true }, pods(), true],
    [{ user: 'ann', ...all, readonly: true }, pods({ verb: 'create' }), false],
    [{ user: 'ann', namespace: 'n', resource: 'pods' }, pods(), true],
    [{ user: 'ann', namespace: 'n', resource: 'pods' }, pods({ group: 'apps' }), false],
    [{ user: 'ann', namespace: 'other', resource: 'pods' }, pods(), false],
    [{ user: 'ann', nonResourcePath: '/logs*' }, pathAccess(ann, 'get', '/logs/a'), true],
    [{ user: 'ann', nonResourcePath: '/logs' }, pathAccess(ann, 'get', '/logs/a'), false],
    [{ user: 'ann', ...all }, pathAccess(ann, 'get', '/logs'), false],
  ])('%j on %j', (spec, attributes, expected) => {
    expect(may(spec, attributes)).toBe(expected);
  });

  test.each([line({}, 'Thing'), '{', line({ usr: 'x' }), line({ user: 1 }), '[]'])('is refused as %s', (bad) => {
    expect(() => parsePolicies(`${line({})}\n${bad}`, kubernetes)).toThrow('line 2');
  });

  test('the error of an invalid policy file never contains its text', () => {
    expect(() => parsePolicies('s3cret,admin,uid\n', kubernetes)).toThrow(/^line 1: this is no JSON$/);
  });

  test('a policy of ABAC is listed as rules', () => {
    const { rules } = abacModule(
      parsePolicies(line({ user: 'ann', readonly: true, ...all, nonResourcePath: '*' }), kubernetes),
    );
    expect(rules(ann, 'n')).toEqual({
      rules: [
        { verbs: ['get', 'list', 'watch'], apiGroups: ['*'], resources: ['*'] },
        { verbs: ['get', 'list', 'watch'], nonResourceURLs: ['*'] },
      ],
      incomplete: false,
      errors: [],
    });
  });
});
