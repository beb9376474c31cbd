import { describe, expect, test } from 'vitest';
import { type AccessAttributes, type PolicyRule, pathAccess, resourceAccess } from '../../meta/access.ts';
import { kubernetes } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ApiError } from '../../meta/status.ts';
import { accessControl } from '../authorizer.ts';
import { defaultRoles } from './default-roles.ts';
import { grantCheck } from './escalation.ts';
import { rbacModule } from './rbac-module.ts';
import { reconcile } from './reconcile-roles.ts';
import { RoleIndex } from './role-index.ts';
import { autoUpdateAnnotation } from './roles/words.ts';
import { allows, describeRule, missingParts } from './rules.ts';

const group = 'rbac.authorization.k8s.io';
const ann = { name: 'ann', groups: ['devs', 'system:authenticated'] };
const ask = (verb: string, resource: string, more: Partial<AccessAttributes> = {}) =>
  resourceAccess({ user: ann, verb, resource, ...more });

describe('a rule', () => {
  const podReader: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'] };

  test.each<[PolicyRule, AccessAttributes, boolean]>([
    [podReader, ask('get', 'pods'), true],
    [podReader, ask('delete', 'pods'), false],
    [podReader, ask('get', 'pods', { subresource: 'log' }), true],
    [podReader, ask('get', 'pods', { subresource: 'exec' }), false],
    [podReader, ask('get', 'pods', { group: 'apps' }), false],
    [podReader, pathAccess(ann, 'get', '/pods'), false],
    [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, ask('get', 'pods', { subresource: 'exec' }), true],
    [{ verbs: ['get'], apiGroups: ['*'], resources: ['*/scale'] }, ask('get', 'x', { subresource: 'scale' }), true],
    [{ verbs: ['get'], apiGroups: ['*'], resources: ['*/scale'] }, ask('get', 'scale'), false],
    [{ ...podReader, resourceNames: ['a'] }, ask('get', 'pods', { name: 'a' }), true],
    [{ ...podReader, resourceNames: ['a'] }, ask('get', 'pods', { name: 'b' }), false],
    [{ ...podReader, resourceNames: ['a'] }, ask('list', 'pods'), false],
    [{ verbs: ['get'], nonResourceURLs: ['/logs/*'] }, pathAccess(ann, 'get', '/logs/a/b'), true],
    [{ verbs: ['get'], nonResourceURLs: ['/logs/*'] }, pathAccess(ann, 'get', '/logs'), false],
    [{ verbs: ['get'], nonResourceURLs: ['*'] }, pathAccess(ann, 'get', '/anything'), true],
    [{ verbs: ['get'], nonResourceURLs: ['/a*b'] }, pathAccess(ann, 'get', '/axb'), false],
  ])('%j on %j', (rule, attributes, expected) => {
    expect(allows(rule, attributes)).toBe(expected);
  });

  test('a rule is covered by a rule with at least the same rights', () => {
    const missing = (held: PolicyRule, required: PolicyRule) => missingParts([held], [required]).length;
    const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
    expect(missing(everything, podReader)).toBe(0);
    expect(missing(podReader, everything)).toBe(1);
    expect(missing(podReader, { ...podReader, resourceNames: ['a'] })).toBe(0);
    expect(missing({ ...podReader, resourceNames: ['a'] }, podReader)).toBe(4);
    expect(missing({ verbs: ['get'], apiGroups: [''], resources: ['*/log'] }, { ...podReader, verbs: ['get'] })).toBe(
      1,
    );
    expect(
      missing({ verbs: ['get'], nonResourceURLs: ['/a*'] }, { verbs: ['get'], nonResourceURLs: ['/ab', '/c'] }),
    ).toBe(1);
    expect(
      missing({ verbs: ['get'], nonResourceURLs: ['*'] }, { verbs: ['get'], apiGroups: [''], resources: ['pods'] }),
    ).toBe(1);
  });

  test('is described with its verbs together', () => {
    expect(describeRule({ ...podReader, resources: ['pods'] })).toBe(
      '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
    );
  });
});

function object(kind: string, name: string, fields: object, namespace?: string): ApiObject {
  return { kind, apiVersion: `${group}/v1`, metadata: { name, ...(namespace ? { namespace } : {}) }, ...fields };
}
const ref = (kind: string, name: string) => ({ apiGroup: group, kind, name });
const readPods = { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] };

function setUp() {
  const index = new RoleIndex();
  const access = accessControl([rbacModule(index, group)]);
  return { index, access, decide: (attributes: AccessAttributes) => access.decide(attributes) };
}

describe('decisions', () => {
  test('follow bindings of the cluster everywhere and those of a namespace inside it', () => {
    const { index, decide } = setUp();
    index.put('clusterRoles', object('ClusterRole', 'reader', readPods));
    index.put('roles', object('Role', 'reader', readPods, 'n'));
    const toAnn = { subjects: [{ kind: 'User', name: 'ann' }] };
    const local = object('RoleBinding', 'b', { ...toAnn, roleRef: ref('Role', 'reader') }, 'n');
    index.put('roleBindings', local);
    expect(decide(ask('get', 'pods', { namespace: 'n' }))).toEqual({
      kind: 'allow',
      reason: 'RBAC: allowed by RoleBinding "b/n" of Role "reader" to User "ann"',
    });
    expect(decide(ask('get', 'pods', { namespace: 'other' }))).toEqual({ kind: 'noOpinion' });
    expect(decide(ask('get', 'pods'))).toEqual({ kind: 'noOpinion' });
    const wide = object('ClusterRoleBinding', 'w', { ...toAnn, roleRef: ref('ClusterRole', 'reader') });
    index.put('clusterRoleBindings', wide);
    expect(decide(ask('get', 'pods'))).toEqual({
      kind: 'allow',
      reason: 'RBAC: allowed by ClusterRoleBinding "w" of ClusterRole "reader" to User "ann"',
    });
    index.remove('clusterRoleBindings', wide);
    index.remove('roleBindings', local);
    expect(decide(ask('get', 'pods', { namespace: 'n' }))).toEqual({ kind: 'noOpinion' });
  });

  test('know groups and accounts, and the newest subjects of a binding', () => {
    const { index, decide } = setUp();
    index.put('clusterRoles', object('ClusterRole', 'reader', readPods));
    const bind = (subject: object) =>
      index.put(
        'roleBindings',
        object('RoleBinding', 'b', { subjects: [subject], roleRef: ref('ClusterRole', 'reader') }, 'n'),
      );
    const here = { namespace: 'n' };
    bind({ kind: 'Group', name: 'devs' });
    expect(decide(ask('get', 'pods', here))).toMatchObject({ kind: 'allow' });
    bind({ kind: 'ServiceAccount', name: 'robot' });
    expect(decide(ask('get', 'pods', here))).toMatchObject({ kind: 'noOpinion' });
    const robot = { name: 'system:serviceaccount:n:robot', groups: [] };
    expect(decide(ask('get', 'pods', { ...here, user: robot }))).toMatchObject({
      reason: 'RBAC: allowed by RoleBinding "b/n" of ClusterRole "reader" to ServiceAccount "robot/n"',
    });
    index.clear('roleBindings');
    expect(decide(ask('get', 'pods', { ...here, user: robot }))).toMatchObject({ kind: 'noOpinion' });
  });

  test('tell of roles that do not exist, and never lock masters out', () => {
    const { index, access, decide } = setUp();
    const subjects = [{ kind: 'User', name: 'ann' }];
    index.put(
      'clusterRoleBindings',
      object('ClusterRoleBinding', 'b', { subjects, roleRef: ref('ClusterRole', 'gone') }),
    );
    const reason = 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found';
    expect(decide(ask('get', 'pods'))).toEqual({ kind: 'noOpinion', reason });
    expect(access.rulesFor(ann, 'n')).toMatchObject({ incomplete: true, rules: [] });
    expect(decide(ask('get', 'pods', { user: { name: 'x', groups: ['system:masters'] } }))).toEqual({ kind: 'allow' });
  });

  test('look at no binding that is about other users', () => {
    const { index, decide } = setUp();
    let looked = 0;
    for (let i = 0; i < 1000; i++) {
      const binding = object('RoleBinding', `b-${i}`, { subjects: [{ kind: 'User', name: `user-${i}` }] }, 'n');
      const roleRef = () => {
        looked++;
        return ref('ClusterRole', 'view');
      };
      index.put('roleBindings', Object.defineProperty(binding, 'roleRef', { get: roleRef }));
    }
    expect(decide(ask('get', 'pods', { namespace: 'n' }))).toEqual({ kind: 'noOpinion' });
    expect(looked).toBe(0);
    expect(decide(ask('get', 'pods', { namespace: 'n', user: { name: 'user-7', groups: [] } }))).toMatchObject({
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "view" not found',
    });
    expect(looked).toBeGreaterThan(0);
  });
});

describe('granting', () => {
  function check(
    user: typeof ann,
    grant: Parameters<ReturnType<typeof grantCheck>>[0]['grant'],
    rules: readonly PolicyRule[],
    urlName = 'r',
  ) {
    const { index, access } = setUp();
    index.put('clusterRoles', object('ClusterRole', 'held', { rules }));
    index.put('clusterRoles', object('ClusterRole', 'reader', readPods));
    const subjects = [{ kind: 'User', name: 'ann' }];
    index.put(
      'clusterRoleBindings',
      object('ClusterRoleBinding', 'b', { subjects, roleRef: ref('ClusterRole', 'held') }),
    );
    const run = grantCheck(index, access, group);
    const subject = { group, resource: 'roles', name: 'r' };
    try {
      const checked = run({ user, namespace: 'n', urlName, subject, grant, previous: undefined });
      return checked === undefined ? 'granted' : 'undecided';
    } catch (error) {
      return (error as ApiError).message;
    }
  }
  const rules = { is: 'rules', rules: readPods.rules, aggregates: false } as const;
  const role = { is: 'role', role: ref('ClusterRole', 'reader') } as const;

  test('what one holds oneself is fine', () => {
    expect(check(ann, rules, readPods.rules)).toBe('granted');
    expect(check(ann, role, readPods.rules)).toBe('granted');
    expect(check({ name: 'root', groups: ['system:masters'] }, rules, [])).toBe('granted');
  });

  test('escalation is refused, with the missing rights', () => {
    const why =
      'user "ann" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["get"]}';
    expect(check(ann, rules, [])).toBe(`roles.${group} "r" is forbidden: ${why}`);
    expect(check(ann, role, [])).toBe(`roles.${group} "r" is forbidden: ${why}`);
    expect(check(ann, { is: 'role', role: ref('Role', 'gone') }, [])).toBe(`roles.${group} "gone" not found`);
  });

  test('the rights to escalate and to bind make up for it', () => {
    expect(check(ann, rules, [{ verbs: ['escalate'], apiGroups: [group], resources: ['roles'] }])).toBe('granted');
    const one = { verbs: ['escalate'], apiGroups: [group], resources: ['roles'], resourceNames: ['r'] };
    expect(check(ann, rules, [one])).toBe('granted');
    expect(check(ann, rules, [one], '')).toContain('not currently held');
    const bind = { verbs: ['bind'], apiGroups: [group], resources: ['clusterroles'] };
    expect(check(ann, role, [{ ...bind, resourceNames: ['reader'] }])).toBe('granted');
    expect(check(ann, role, [{ ...bind, resourceNames: ['other'] }])).toContain('not currently held');
  });

  test('only a cluster admin aggregates', () => {
    const aggregates = { ...rules, aggregates: true };
    expect(check(ann, aggregates, readPods.rules)).toContain(
      'must have cluster-admin privileges to use the aggregationRule',
    );
    const everything = [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ];
    expect(check(ann, aggregates, everything)).toBe('granted');
  });
});

describe('default roles', () => {
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = defaultRoles(kubernetes);
  const annotation = autoUpdateAnnotation(kubernetes);

  test('let nodes do more where a feature needs it', () => {
    const rulesWith = (gates: Parameters<typeof defaultRoles>[1]) =>
      defaultRoles(kubernetes, gates).clusterRoles.find(({ metadata }) => metadata.name === 'system:node')?.['rules'];
    const usual = rulesWith(undefined) as object[];
    const rule = (resource: string, ...verbs: string[]) => ({
      ...{ apiGroups: ['certificates.k8s.io'], resources: [resource], verbs },
    });
    expect(usual).not.toContainEqual(rule('podcertificaterequests', 'create', 'get', 'list', 'watch'));
    const more = rulesWith({ ClusterTrustBundle: true, PodCertificateRequest: true }) as object[];
    expect(more).toHaveLength(usual.length + 2);
    expect(more).toContainEqual(rule('clustertrustbundles', 'get', 'list', 'watch'));
    expect(more.at(-1)).toEqual(rule('podcertificaterequests', 'create', 'get', 'list', 'watch'));
  });

  test('are marked, and every binding names one', () => {
    const all = [...clusterRoles, ...clusterRoleBindings, ...roles, ...roleBindings];
    expect(all.every(({ metadata }) => metadata.labels?.['kubernetes.io/bootstrapping'] === 'rbac-defaults')).toBe(
      true,
    );
    expect(annotation).toBe('rbac.authorization.kubernetes.io/autoupdate');
    const names = new Set(clusterRoles.map(({ metadata }) => metadata.name));
    expect(names.size).toBe(clusterRoles.length);
    const bound = clusterRoleBindings.map((binding) => (binding['roleRef'] as { name: string }).name);
    expect(bound.filter((name) => !names.has(name))).toEqual([]);
    expect(names).toContain('system:certificates.k8s.io:kube-apiserver-client-kubelet-approver');
  });

  test('default roles get removed rules back, and keep added ones', () => {
    const expected = object('ClusterRole', 'r', {
      rules: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }],
    });
    const own = { verbs: ['delete'], apiGroups: [''], resources: ['nodes'] };
    const stored = { ...expected, rules: [own, { verbs: ['get'], apiGroups: [''], resources: ['pods'] }] };
    const changed = reconcile(stored, expected, annotation);
    expect(changed).toMatchObject({
      action: 'update',
      object: { rules: [own, { verbs: ['get'] }, { verbs: ['list'], apiGroups: [''], resources: ['pods'] }] },
    });
    const left = { ...stored, metadata: { ...stored.metadata, annotations: { [annotation]: 'false' } } };
    expect(reconcile(left, expected, annotation)).toEqual({ action: 'keep' });
    if (changed.action === 'update')
      expect(reconcile(changed.object, expected, annotation)).toEqual({ action: 'keep' });
  });

  test('default bindings are created again if their role was changed', () => {
    const expected = object('ClusterRoleBinding', 'b', {
      roleRef: ref('ClusterRole', 'a'),
      subjects: [{ kind: 'User', name: 'x' }],
    });
    expect(reconcile({ ...expected, roleRef: ref('ClusterRole', 'z') }, expected, annotation)).toEqual({
      action: 'recreate',
      object: expected,
    });
    const emptied = { ...expected, subjects: [{ kind: 'User', name: 'y' }] };
    expect(reconcile(emptied, expected, annotation)).toMatchObject({
      object: { subjects: [{ name: 'y' }, { name: 'x' }] },
    });
  });
});
