import { describe, expect, test } from 'vitest';
import { apiGroup, cluster, type Dialect, kubernetes, labelKey, metaGroup, vendors } from './dialect.ts';

const own = cluster({ apiDomain: 'api.example.com', systemNamespace: 'core-system' });

describe.each<[string, Dialect, Record<string, string>]>([
  [
    'kubernetes',
    kubernetes,
    {
      coordination: 'coordination.k8s.io',
      meta: 'meta.k8s.io',
      nameLabel: 'kubernetes.io/metadata.name',
      system: 'kube-system',
      public: 'kube-public',
      nodeLeases: 'kube-node-lease',
      vendor: 'kubernetes',
    },
  ],
  [
    'cluster',
    cluster(),
    {
      coordination: 'coordination.api.cluster.local',
      meta: 'meta.api.cluster.local',
      nameLabel: 'cluster.local/metadata.name',
      system: 'cluster-system',
      public: 'cluster-public',
      nodeLeases: 'cluster-node-lease',
      vendor: 'cluster',
    },
  ],
  [
    'cluster with its own names',
    own,
    {
      coordination: 'coordination.api.example.com',
      meta: 'meta.api.example.com',
      nameLabel: 'cluster.local/metadata.name',
      system: 'core-system',
      public: 'cluster-public',
      nodeLeases: 'cluster-node-lease',
      vendor: 'cluster',
    },
  ],
])('the %s dialect', (_, dialect, names) => {
  test('derives every name from a few', () => {
    expect({
      coordination: apiGroup(dialect, 'coordination'),
      meta: metaGroup(dialect),
      nameLabel: labelKey(dialect, 'metadata.name'),
      system: dialect.systemNamespace,
      public: dialect.publicNamespace,
      nodeLeases: dialect.nodeLeaseNamespace,
      vendor: dialect.vendor,
    }).toEqual(names);
  });
});

describe('the rules', () => {
  test('of kubernetes are what Kubernetes does', () => {
    expect(kubernetes.rules).toMatchObject({
      healthSummary: 'endpoint',
      singleHealthCheck: 'plain',
      emptyDryRun: 'invalid',
      limitAtAnyVersion: 'ignored',
      invalidListOptions: 422,
      strictPatch: 422,
      defaultTableColumn: 'Age',
    });
  });

  test('of cluster are what the specification says, whatever the names', () => {
    expect(cluster().rules).toMatchObject({
      healthSummary: 'healthz',
      singleHealthCheck: 'listed',
      emptyDryRun: 'ignored',
      limitAtAnyVersion: 'honoured',
      invalidListOptions: 400,
      strictPatch: 400,
      defaultTableColumn: 'Created At',
    });
    expect(own.rules).toEqual(cluster().rules);
  });

  test('differ in every property: what does not differ is no rule', () => {
    const other = cluster().rules;
    expect(Object.keys(kubernetes.rules)).toEqual(Object.keys(other));
    for (const [name, value] of Object.entries(kubernetes.rules)) {
      expect(other[name as keyof typeof other]).not.toBe(value);
    }
  });
});

test('both vendors are understood everywhere', () => {
  expect(vendors).toEqual([kubernetes.vendor, cluster().vendor]);
});

test('its own dialect does not change the next one', () => {
  cluster({ vendor: 'acme' });
  expect(cluster().vendor).toBe('cluster');
});
