import { describe, expect, test } from 'vitest';
import { type AccessAttributes, pathAccess, resourceAccess } from '../meta/access.ts';
import { cluster, kubernetes } from '../meta/dialect.ts';
import { type Policy, type PolicyRule, readPolicy } from './policy.ts';
import { policyDecision } from './policy-decision.ts';

const read = (text: string, dialect = kubernetes) => readPolicy(Buffer.from(text), dialect);
const header = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n';

describe('a policy file', () => {
  test('is read in the names of the dialect', async () => {
    const text = 'apiVersion: audit.api.cluster.local/v1\nkind: Policy\nrules: [{level: Metadata}]\n';
    expect((await read(text, cluster())).rules).toEqual([{ level: 'Metadata' }]);
    await expect(read(text)).rejects.toThrow('use Policy in audit.k8s.io/v1');
  });

  test.each([
    ['rules: []', 'loaded illegal policy with 0 rules'],
    ['rules: [{}]', 'rules[0].level: Required value'],
    [
      'rules: [{level: All}]',
      'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
    ],
    [
      'rules: [{level: None, omitStages: [Done]}]',
      'rules[0].omitStages[0]: Invalid value: "Done": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
    ],
    [
      'rules: [{level: None, nonResourceURLs: [healthz]}]',
      `rules[0].nonResourceURLs[0]: Invalid value: "healthz": non-resource URL rules must begin with a '/' character`,
    ],
    [
      'rules: [{level: None, nonResourceURLs: ["/a*b"]}]',
      `rules[0].nonResourceURLs[0]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule`,
    ],
    [
      'rules: [{level: None, nonResourceURLs: [/a], namespaces: [x]}]',
      'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
    [
      'rules: [{level: None, resources: [{group: rbac.authorization.k8s.io/v1}]}]',
      'rules[0].resources.group: Invalid value: "rbac.authorization.k8s.io/v1": a lowercase RFC 1123 subdomain',
    ],
    [
      'rules: [{level: None, resources: [{resourceNames: [x]}]}]',
      'rules[0].resources.resourceNames: Invalid value: ["x"]: using resourceNames requires at least one resource',
    ],
    ['rules: [{level: None, verb: [get]}]', 'strict decoding error: unknown field "rules[0].verb"'],
    ['rules: [{level: None}]\nrules: [{level: None}]', 'strict decoding error'],
    ['rules: [{level: 3}]', 'level'],
    ['rules: {', 'yaml'],
  ])('%s is refused', async (text, message) => {
    await expect(read(header + text)).rejects.toThrow(message);
  });

  test('an invalid audit policy reports all its errors at once', async () => {
    await expect(read(`${header}rules: [{}, {level: X}]`)).rejects.toThrow(/^\[rules\[0\].*, rules\[1\].*\]$/);
  });
});

const ann = { name: 'ann', groups: ['devs', 'system:authenticated'] };
const pods = (more: Partial<AccessAttributes> = {}) =>
  resourceAccess({ user: ann, verb: 'get', resource: 'pods', namespace: 'default', name: 'web', ...more });
const path = (url: string) => pathAccess(ann, 'get', url);
const inCore = (resources: string[], resourceNames?: string[]): PolicyRule => ({
  resources: [{ group: '', resources, ...(resourceNames === undefined ? {} : { resourceNames }) }],
});

describe('a rule', () => {
  const log = pods({ subresource: 'log' });
  const node = pods({ resource: 'nodes', namespace: '', name: 'n1' });
  test.each<[string, PolicyRule, AccessAttributes, boolean]>([
    ['without conditions', {}, pods(), true],
    ['without conditions, paths', {}, path('/version'), true],
    ['of a user', { users: ['ann'] }, pods(), true],
    ['of another user', { users: ['bob'] }, pods(), false],
    ['of a group', { userGroups: ['ops', 'devs'] }, pods(), true],
    ['of another group', { userGroups: ['ops'] }, pods(), false],
    ['of a verb', { verbs: ['get'] }, pods(), true],
    ['of another verb', { verbs: ['list'] }, pods(), false],
    ['of a namespace', { namespaces: ['default'] }, pods(), true],
    ['of another namespace', { namespaces: ['other'] }, pods(), false],
    ['of the cluster', { namespaces: [''] }, node, true],
    ['of the cluster, in a namespace', { namespaces: [''] }, pods(), false],
    ['of the cluster, paths', { namespaces: [''] }, path('/version'), false],
    ['of a group of resources', inCore([]), pods(), true],
    ['of another group of resources', { resources: [{ group: 'apps' }] }, pods(), false],
    ['of a resource', inCore(['pods']), pods(), true],
    ['of a resource, not its subresources', inCore(['pods']), log, false],
    ['of a subresource', inCore(['pods/log']), log, true],
    ['of a subresource, not the resource', inCore(['pods/log']), pods(), false],
    ['of all subresources and the resource', inCore(['pods/*']), log, true],
    ['of all subresources, the resource itself', inCore(['pods/*']), pods(), true],
    ['of a subresource of everything', inCore(['*/log']), log, true],
    ['of a subresource of everything, another', inCore(['*/status']), log, false],
    ['of everything', inCore(['*']), log, true],
    ['of a name', inCore(['pods'], ['web']), pods(), true],
    ['of another name', inCore(['pods'], ['db']), pods(), false],
    ['of a path', { nonResourceURLs: ['/version'] }, path('/version'), true],
    ['of a path and more', { nonResourceURLs: ['/healthz*'] }, path('/healthz/etcd'), true],
    ['of another path', { nonResourceURLs: ['/healthz'] }, path('/healthz/etcd'), false],
    ['of all paths', { nonResourceURLs: ['*'] }, path('/x'), true],
    ['of all paths, resources', { nonResourceURLs: ['*'] }, pods(), false],
  ])('%s', (_, rule, request, matches) => {
    const decide = policyDecision({ rules: [{ ...rule, level: 'Metadata' }] });
    expect(decide(request).level).toBe(matches ? 'Metadata' : 'None');
  });

  test('is not for unknown callers, where it names users', () => {
    const { user: _, ...request } = pods();
    const level = (rule: PolicyRule) => policyDecision({ rules: [{ ...rule, level: 'Request' }] })(request).level;
    expect([level({ users: [''] }), level({ userGroups: ['devs'] }), level({})]).toEqual(['None', 'None', 'Request']);
  });

  test('decides if it is the first that matches, and adds to what the policy leaves out', () => {
    const policy: Policy = {
      omitStages: ['RequestReceived'],
      omitManagedFields: true,
      rules: [
        { level: 'Request', verbs: ['get'], omitStages: ['Panic'], omitManagedFields: false },
        { level: 'Metadata' },
      ],
    };
    const decide = policyDecision(policy);
    expect(decide(pods())).toEqual({
      level: 'Request',
      omitStages: new Set(['RequestReceived', 'Panic']),
      omitManagedFields: false,
    });
    expect(decide(pods({ verb: 'list' }))).toMatchObject({ level: 'Metadata', omitManagedFields: true });
  });
});
