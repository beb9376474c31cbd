import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import type { AdmissionRequest } from '../plugin.ts';
import { lookupOf, requestFor } from '../testing.ts';
import { alwaysMatches, type MatchCriteria, matchRequest, mayMatch } from './match-request.ts';

const define = (group: string, version: string, kind: string, namespaced = true) =>
  ({
    ...{ group, version, kind, namespaced, plural: `${kind.toLowerCase()}s` },
    subresources: [{ is: 'part', name: 'status' }],
  }) as unknown as ResourceDefinition;

const pods = define('', 'v1', 'Pod');
const nodes = define('', 'v1', 'Node', false);
const namespaces = define('', 'v1', 'Namespace', false);
const [widgets, olderWidgets] = [define('a.example', 'v2', 'Widget'), define('a.example', 'v1', 'Widget')];

const named = (name: string, labels: Record<string, string>, namespace?: string): ApiObject => ({
  kind: 'Any',
  apiVersion: 'v1',
  metadata: { name, labels, ...(namespace === undefined ? {} : { namespace }) },
});

const engines = {
  dialect: kubernetes,
  objects: lookupOf({ namespaces: [named('blue', { color: 'blue' }), named('red', { color: 'red' })] }),
  equivalents: (one: ResourceDefinition) =>
    [widgets, olderWidgets].filter((other) => other !== one && one.plural === 'widgets'),
};

const rule = (resources: readonly string[], more: object = {}) => ({
  rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources, ...more }],
});
const to = (definition: ResourceDefinition, parts: Partial<AdmissionRequest> = {}) =>
  requestFor({ definition, namespace: definition.namespaced ? 'blue' : '', name: 'x', ...parts });

test.each<[string, MatchCriteria, AdmissionRequest, boolean]>([
  ['a resource', rule(['pods']), to(pods), true],
  ['a resource, of its subresources', rule(['pods']), to(pods, { subresource: 'status' }), false],
  ['every subresource of one', rule(['pods/*']), to(pods, { subresource: 'status' }), true],
  // compat: the pattern is also about the resource itself
  ['every subresource of one, of itself', rule(['pods/*']), to(pods), true],
  ['one subresource of all', rule(['*/status']), to(nodes, { subresource: 'status' }), true],
  ['one subresource of all, of another', rule(['*/status']), to(nodes, { subresource: 'scale' }), false],
  ['all resources, of subresources', rule(['*']), to(pods, { subresource: 'status' }), false],
  ['all with subresources', rule(['*/*']), to(pods, { subresource: 'status' }), true],
  ['an operation', rule(['pods'], { operations: ['DELETE'] }), to(pods, { operation: 'DELETE' }), true],
  ['another operation', rule(['pods'], { operations: ['CONNECT', 'UPDATE'] }), to(pods), false],
  ['another group', rule(['pods'], { apiGroups: ['apps'] }), to(pods), false],
  ['another version', rule(['pods'], { apiVersions: ['v2'] }), to(pods), false],
  ['namespaced resources', rule(['*'], { scope: 'Namespaced' }), to(pods), true],
  ['namespaced resources, of the cluster', rule(['*'], { scope: 'Namespaced' }), to(nodes), false],
  [
    'namespaced resources, of a namespace',
    rule(['*'], { scope: 'Namespaced' }),
    to(namespaces, { namespace: 'x' }),
    false,
  ],
  ['the cluster', rule(['*'], { scope: 'Cluster' }), to(nodes), true],
  ['the cluster, of a namespace', rule(['*'], { scope: 'Cluster' }), to(namespaces, { namespace: 'x' }), true],
  ['the cluster, of namespaced resources', rule(['*'], { scope: 'Cluster' }), to(pods), false],
  ['named objects', rule(['pods'], { resourceNames: ['x'] }), to(pods), true],
  ['named objects, of others', rule(['pods'], { resourceNames: ['y'] }), to(pods), false],
  ['no rule', { rules: [] }, to(pods), false],
  ['every resource', { rules: undefined }, to(pods), true],
  ['all but some', { ...rule(['*']), excludeRules: rule(['pods']).rules }, to(pods), false],
  ['all but others', { ...rule(['*']), excludeRules: rule(['nodes']).rules }, to(pods), true],
])('%s', async (_what, criteria, request, matches) => {
  expect((await matchRequest(criteria, request, engines)) !== undefined).toBe(matches);
  const { resourceNames = [] } = criteria.rules?.[0] ?? {};
  if (resourceNames.length === 0 && criteria.excludeRules === undefined)
    expect(mayMatch(criteria, request, engines)).toBe(matches);
});

describe('another version of the resource', () => {
  const criteria = { ...rule(['widgets'], { apiVersions: ['v1'] }) };

  test('is matched as the rule names it, where versions are equivalent', async () => {
    expect(await matchRequest(criteria, to(widgets), engines)).toBeUndefined();
    const equivalent = { ...criteria, matchPolicy: 'Equivalent' };
    const kind = { group: 'a.example', version: 'v1', kind: 'Widget' };
    expect(await matchRequest(equivalent, to(widgets), engines)).toEqual({ definition: olderWidgets, kind });
    expect(mayMatch(equivalent, to(widgets), engines)).toBe(true);
    expect(await matchRequest(equivalent, to(olderWidgets), engines)).toMatchObject({ definition: olderWidgets });
  });

  test('is not needed where a later rule names that of the request', async () => {
    const rules = [...criteria.rules, ...rule(['widgets'], { apiVersions: ['v2'] }).rules];
    expect(await matchRequest({ rules, matchPolicy: 'Equivalent' }, to(widgets), engines)).toMatchObject({
      definition: widgets,
    });
  });
});

describe('selectors', () => {
  const blue = { matchLabels: { color: 'blue' } };
  const matches = async (criteria: Partial<MatchCriteria>, request: AdmissionRequest) =>
    (await matchRequest({ ...rule(['*/*']), ...criteria }, request, engines)) !== undefined;

  test('of the namespace', async () => {
    expect(await matches({ namespaceSelector: blue }, to(pods))).toBe(true);
    expect(await matches({ namespaceSelector: blue }, to(pods, { namespace: 'red' }))).toBe(false);
    expect(await matches({ namespaceSelector: blue }, to(nodes))).toBe(true);
    expect(await matches({ namespaceSelector: {} }, to(pods, { namespace: 'gone' }))).toBe(true);
    await expect(matches({ namespaceSelector: blue }, to(pods, { namespace: 'gone' }))).rejects.toMatchObject({
      code: 404,
    });
  });

  test('of a namespace itself are about the labels it gets, or had', async () => {
    const write = { object: named('x', { color: 'blue' }) };
    expect(await matches({ namespaceSelector: blue }, to(namespaces, write))).toBe(true);
    const removal = { operation: 'DELETE', oldObject: named('x', { color: 'red' }) } as const;
    expect(await matches({ namespaceSelector: blue }, to(namespaces, removal))).toBe(false);
    expect(await matches({ namespaceSelector: blue }, to(namespaces, { name: 'red', subresource: 'status' }))).toBe(
      false,
    );
  });

  test('of the object are about the new one or the old one', async () => {
    const [object, oldObject] = [named('x', { color: 'red' }), named('x', { color: 'blue' })];
    expect(await matches({ objectSelector: blue }, to(pods, { object, oldObject }))).toBe(true);
    expect(await matches({ objectSelector: blue }, to(pods, { object }))).toBe(false);
    const none = { matchExpressions: [{ key: 'color', operator: 'DoesNotExist' }] };
    expect(await matches({ objectSelector: none }, to(pods, { object: named('x', {}) }))).toBe(true);
    expect(await matches({ objectSelector: none }, to(pods, { object: named('x', {}), operation: 'CONNECT' }))).toBe(
      false,
    );
    expect(await matches({ objectSelector: {} }, to(pods, { operation: 'CONNECT' }))).toBe(true);
  });
});

describe('what always matches', () => {
  const subject = { definition: pods, subresource: '', operation: 'CREATE' } as const;
  const label = { matchLabels: { color: 'blue' } };

  test.each<[string, MatchCriteria, boolean]>([
    ['every resource', { rules: undefined }, true],
    ['a resource', rule(['pods']), true],
    ['a resource, with empty selectors', { ...rule(['pods']), namespaceSelector: {}, objectSelector: {} }, true],
    ['another resource', rule(['nodes']), false],
    ['a resource in a scope', rule(['pods'], { scope: 'Namespaced' }), false],
    ['objects by name', rule(['pods'], { resourceNames: ['x'] }), false],
    ['labelled objects', { ...rule(['pods']), objectSelector: label }, false],
    ['labelled namespaces', { ...rule(['pods']), namespaceSelector: label }, false],
    ['all but some', { ...rule(['pods']), excludeRules: rule(['pods'], { resourceNames: ['x'] }).rules }, false],
  ])('%s', async (_, criteria, expected) => {
    expect(alwaysMatches(criteria, subject)).toBe(expected);
    if (expected) expect(await matchRequest(criteria, to(pods), engines)).toMatchObject({ definition: pods });
  });
});
