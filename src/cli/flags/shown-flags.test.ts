import { describe, expect, test } from 'vitest';
import { serveFlags } from './flags.ts';
import { shownFlags } from './shown-flags.ts';

const flagsOf = (...args: string[]) => shownFlags(serveFlags, args);

describe('flags that are not given', () => {
  test.each([
    ['anonymous-auth', 'true'],
    ['allow-privileged', 'false'],
    ['request-timeout', '1m0s'],
    ['etcd-compaction-interval', '5m0s'],
    ['goaway-chance', '0'],
    ['v', '0'],
    ['api-audiences', '[]'],
    ['oidc-signing-algs', '[RS256]'],
    ['kubelet-preferred-address-types', '[Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP]'],
    ['feature-gates', ''],
    ['runtime-config', ''],
    ['allow-metric-labels', '[]'],
    ['client-ca-file', ''],
    ['service-cluster-ip-range', '10.0.0.0/24'],
    ['service-node-port-range', '30000-32767'],
  ])('--%s is shown as %j', (name, value) => {
    expect(flagsOf()[name]).toBe(value);
  });
});

test.each([
  [[], 'kube-system'],
  [['--dialect=cluster'], 'cluster-system'],
  [['--dialect=cluster', '--system-namespace=own'], 'own'],
])('names of the dialect: with %j the Lease of the leader is in %s', (args, namespace) => {
  expect(flagsOf(...args)['leader-elect-resource-namespace']).toBe(namespace);
});

describe('flags that are given', () => {
  test.each([
    [['--authorization-mode=Node,RBAC'], 'authorization-mode', '[Node,RBAC]'],
    [['--authorization-mode=Node', '--authorization-mode=RBAC'], 'authorization-mode', '[Node,RBAC]'],
    [['--feature-gates=A=true,kube:B=false'], 'feature-gates', ':A=true,kube:B=false'],
    [['--request-timeout=90s'], 'request-timeout', '1m30s'],
    [['--allow-privileged'], 'allow-privileged', 'true'],
    [['--anonymous-auth=F'], 'anonymous-auth', 'false'],
    [['--service-cluster-ip-range=10.0.0.0/24,fd00::/112'], 'service-cluster-ip-range', '10.0.0.0/24,fd00::/112'],
    [['--runtime-config=api/all=true'], 'runtime-config', 'api/all=true'],
    [['--service-account-issuer=a', '--service-account-issuer=b'], 'service-account-issuer', '[a,b]'],
    [['--etcd_prefix', '/other'], 'etcd-prefix', '/other'],
  ])('%j: %s is %s', (args, name, value) => {
    expect(flagsOf(...args)[name]).toBe(value);
  });

  test.each([
    ['https://user:secret@one:2379', 'https://CLASSIFIED@one:2379'],
    ['https://user:p@secret@one:2379', 'https://CLASSIFIED@one:2379'],
    ['https://user:p/secret@one:2379', 'https://CLASSIFIED@one:2379'],
    ['https://user:p?secret#@@one:2379', 'https://CLASSIFIED@one:2379'],
    ['https://secret@one:2379', 'https://CLASSIFIED@one:2379'],
    ['https://one:2379', 'https://one:2379'],
  ])('--etcd-servers=%s shows no password', (given, text) => {
    expect(flagsOf(`--etcd-servers=${given},https://two:2379`)['etcd-servers']).toBe(`[${text},https://two:2379]`);
  });
});
