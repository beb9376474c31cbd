import { describe, expect, test } from 'vitest';
import { cluster, kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { KindDefinition } from '../../../schema/resource.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { clusterRole } from './cluster-role.ts';
import { clusterRoleBinding } from './cluster-role-binding.ts';
import { role } from './role.ts';
import { roleBinding } from './role-binding.ts';

const context = { dialect: kubernetes, clock: new FakeClock('2030-01-01T01:00:00Z') };
const group = 'rbac.authorization.k8s.io';

const make = ({ kind }: KindDefinition, fields: object): ApiObject => ({
  kind,
  apiVersion: `${group}/v1`,
  metadata: { name: 'a', creationTimestamp: '2030-01-01T00:00:00Z' },
  ...fields,
});
const validationErrors = (kind: KindDefinition, fields: object) =>
  (kind.strategy?.validate?.(make(kind, fields), context) ?? []).map((e) => `${e.field}: ${e.message}`);

describe('rules', () => {
  const pods = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };

  test.each([
    [{ ...pods, verbs: [] }, 'rules[0].verbs: Required value: verbs must contain at least one value'],
    [
      { ...pods, apiGroups: [] },
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
    ],
    [
      { ...pods, resources: [] },
      'rules[0].resources: Required value: resource rules must supply at least one resource',
    ],
    [
      { ...pods, nonResourceURLs: ['/a'] },
      'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
  ])('%j is refused', (rule, validationError) => {
    expect(validationErrors(clusterRole, { rules: [rule] })).toEqual([validationError]);
  });

  test('may speak of paths in a ClusterRole only', () => {
    const rules = [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }];
    expect(validationErrors(clusterRole, { rules })).toEqual([]);
    expect(validationErrors(role, { rules })).toEqual([
      'rules[0].nonResourceURLs: Invalid value: ["/healthz"]: namespaced rules cannot apply to non-resource URLs',
    ]);
    expect(validationErrors(role, { rules: null })).toEqual([]);
  });

  test('are aggregated from at least one valid selector', () => {
    const at = 'aggregationRule.clusterRoleSelectors';
    expect(validationErrors(clusterRole, { aggregationRule: {} })).toEqual([
      `${at}: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil`,
    ]);
    const [bad, whole] = validationErrors(clusterRole, {
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'a b': '' } }] },
    });
    expect(bad).toContain(`${at}[0].matchLabels`);
    expect(whole).toBe(`${at}[0]: Invalid value: null: invalid label selector.`);
  });
});

describe('bindings', () => {
  const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'view' };
  const subjectErrors = (kind: KindDefinition, subject: object) =>
    validationErrors(kind, { roleRef, subjects: [subject] });

  test('get their API groups', () => {
    const given = {
      roleRef: { kind: 'Role', name: 'r' },
      subjects: ['User', 'Group', 'ServiceAccount'].map((kind) => ({ kind })),
    };
    const filled = roleBinding.strategy?.defaults?.(make(roleBinding, given), context);
    expect(filled?.['roleRef']).toEqual({ kind: 'Role', name: 'r', apiGroup: group });
    expect(filled?.['subjects']).toEqual([
      { kind: 'User', apiGroup: group },
      { kind: 'Group', apiGroup: group },
      { kind: 'ServiceAccount' },
    ]);
    const neutral = { ...context, dialect: cluster({ apiDomain: 'example.org' }) };
    const other = roleBinding.strategy?.defaults?.(make(roleBinding, given), neutral);
    expect(other?.['roleRef']).toMatchObject({ apiGroup: 'rbac.authorization.example.org' });
  });

  test.each([
    [{ ...roleRef, apiGroup: 'x' }, `roleRef.apiGroup: Unsupported value: "x": supported values: "${group}"`],
    [
      { ...roleRef, kind: 'Thing' },
      'roleRef.kind: Unsupported value: "Thing": supported values: "Role", "ClusterRole"',
    ],
    [{ ...roleRef, name: '' }, 'roleRef.name: Required value'],
    [{ ...roleRef, name: 'a/b' }, `roleRef.name: Invalid value: "a/b": may not contain '/'`],
  ])('to %j are refused', (ref, validationError) => {
    expect(validationErrors(roleBinding, { roleRef: ref })).toEqual([validationError]);
  });

  test('of a cluster grant ClusterRoles', () => {
    expect(validationErrors(clusterRoleBinding, { roleRef: { ...roleRef, kind: 'Role' } })).toEqual([
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
    ]);
  });

  test.each([
    [{ kind: 'User', name: '', apiGroup: group }, ['subjects[0].name: Required value']],
    [
      { kind: 'User', name: 'a', apiGroup: '' },
      [`subjects[0].apiGroup: Unsupported value: "": supported values: "${group}"`],
    ],
    [
      { kind: 'Robot', name: 'a' },
      ['subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
    ],
    [
      { kind: 'ServiceAccount', name: 'a', namespace: 'n', apiGroup: 'x' },
      ['subjects[0].apiGroup: Unsupported value: "x": supported values: ""'],
    ],
    [{ kind: 'ServiceAccount', name: 'a' }, ['subjects[0].namespace: Required value']],
  ])('to subject %j are refused', (subject, expected) => {
    expect(subjectErrors(clusterRoleBinding, subject)).toEqual(expected);
  });

  test('in a namespace may leave out the namespace of an account', () => {
    expect(subjectErrors(roleBinding, { kind: 'ServiceAccount', name: 'a' })).toEqual([]);
  });

  test('keep their role', () => {
    const change = (next: object) =>
      roleBinding.strategy?.validateUpdate?.(
        make(roleBinding, { roleRef: next }),
        make(roleBinding, { roleRef }),
        context,
      );
    expect(change({ name: 'view', kind: 'ClusterRole', apiGroup: group })).toEqual([]);
    const [validationError] = change({ ...roleRef, name: 'edit' }) ?? [];
    expect(validationError?.field).toBe('roleRef');
    expect(validationError?.message).toMatch(/^Invalid value: .*: cannot change roleRef$/);
  });

  test('are shown with the subjects they name', () => {
    const subjects = [
      { kind: 'User', name: 'ann' },
      { kind: 'User', name: 'bob' },
      { kind: 'Group', name: 'devs' },
      { kind: 'ServiceAccount', name: 'robot', namespace: 'n' },
    ];
    const object = make(roleBinding, { roleRef, subjects });
    expect(roleBinding.columns?.map((column) => [column.name, column.priority, column.cell(object, context)])).toEqual([
      ['Name', 0, 'a'],
      ['Role', 0, 'ClusterRole/view'],
      ['Age', 0, '60m'],
      ['Users', 1, 'ann, bob'],
      ['Groups', 1, 'devs'],
      ['ServiceAccounts', 1, 'n/robot'],
    ]);
    expect(clusterRole.columns?.map((column) => column.name)).toEqual(['Name', 'Created At']);
  });
});
