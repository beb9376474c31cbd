import { describe, expect, test } from 'vitest';
import { rulesOf } from '../../../../testing/kind-rules.ts';
import { service } from './service.ts';
import { resolveFamilies } from './service-families.ts';

const rules = rulesOf(service);
const one = { ports: [{ port: 80 }] };
const given = { clusterIP: '10.0.0.5', clusterIPs: ['10.0.0.5'] };
const spec = (fields: object) => ({ spec: { ...one, ...fields } });

describe('defaults', () => {
  test.each<[string, object, object]>([
    ['ports', {}, { ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }] }],
    ['affinity', { sessionAffinity: 'ClientIP' }, { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } } }],
    ['outside traffic', { externalIPs: ['192.0.2.1'] }, { externalTrafficPolicy: 'Cluster' }],
    ['node ports of a balancer', { type: 'LoadBalancer' }, { allocateLoadBalancerNodePorts: true }],
  ])('of %s', (_, fields, expected) => {
    expect((rules.defaulted(spec(fields)) as unknown as { spec: object }).spec).toMatchObject(expected);
  });

  test('leave a name for another host without traffic of its own', () => {
    const { spec: made } = rules.defaulted({ spec: { type: 'ExternalName', externalName: 'a.example' } });
    expect(Object.keys(made as object).sort()).toEqual(['externalName', 'sessionAffinity', 'type']);
  });
});

describe('validation errors', () => {
  const ports = (...list: object[]) => ({ ports: list });
  test.each<[string, object, string[]]>([
    ['a good one', given, []],
    ['no ports', { ...given, ports: [] }, ['Required spec.ports']],
    ['headless needs none', { clusterIP: 'None', clusterIPs: ['None'], ports: [] }, []],
    [
      'two ports need names',
      ports({ port: 1 }, { port: 2 }),
      ['Required spec.ports[0].name', 'Required spec.ports[1].name'],
    ],
    ['a name twice', ports({ name: 'a', port: 1 }, { name: 'a', port: 2 }), ['Duplicate spec.ports[1].name']],
    ['a bad name', ports({ name: 'A', port: 1 }), ['Invalid spec.ports[0].name']],
    ['a port out of range', ports({ port: 70000 }), ['Invalid spec.ports[0].port', 'Invalid spec.ports[0].targetPort']],
    ['a bad target', ports({ port: 1, targetPort: 'x_y' }), ['Invalid spec.ports[0].targetPort']],
    ['a protocol', ports({ port: 1, protocol: 'ICMP' }), ['NotSupported spec.ports[0].protocol']],
    ['a pair twice', ports({ name: 'a', port: 1 }, { name: 'b', port: 1 }), ['Duplicate spec.ports[1]']],
    ['a node port without the type', ports({ port: 1, nodePort: 30000 }), ['Forbidden spec.ports[0].nodePort']],
    ['a type', { type: 'Odd' }, ['NotSupported spec.type']],
    ['affinity', { sessionAffinity: 'Odd' }, ['NotSupported spec.sessionAffinity']],
    [
      'a long affinity',
      { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 90000 } } },
      ['Invalid spec.sessionAffinityConfig.clientIP.timeoutSeconds'],
    ],
    ['an outside address', { externalIPs: ['127.0.0.1'] }, ['Invalid spec.externalIPs[0]']],
    ['source ranges', { loadBalancerSourceRanges: ['10.0.0.0/8'] }, ['Forbidden spec.LoadBalancerSourceRanges']],
    ['a class', { loadBalancerClass: 'a/b' }, ['Forbidden spec.loadBalancerClass']],
    ['inside traffic', { internalTrafficPolicy: 'Odd' }, ['NotSupported spec.internalTrafficPolicy']],
    ['outside traffic', { externalTrafficPolicy: 'Local' }, ['Invalid spec.externalTrafficPolicy']],
    ['distribution', { trafficDistribution: 'Odd' }, ['NotSupported spec.trafficDistribution']],
    ['no external name', { type: 'ExternalName' }, ['Required spec.externalName']],
    ['a bad address', { clusterIP: 'x', clusterIPs: ['x'] }, ['Invalid spec.clusterIPs[0]']],
    ['addresses that differ', { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.2'] }, ['Invalid spec.clusterIPs']],
    ['a family that does not fit', { ...given, ipFamilies: ['IPv6'] }, ['Invalid spec.clusterIPs[0]']],
    [
      'a headless node port',
      { type: 'NodePort', clusterIP: 'None', clusterIPs: ['None'] },
      ['Invalid spec.clusterIPs[0]'],
    ],
  ])('about %s', (_, fields, expected) => {
    expect(rules.create(spec(fields))).toEqual(expected);
  });

  test('about a change of the address', () => {
    const moved = { clusterIP: '10.0.0.6', clusterIPs: ['10.0.0.6'] };
    expect(rules.update(spec(moved), spec(given))).toEqual(['Invalid spec.clusterIPs[0]']);
  });

  test.each<[string, object, string]>([
    ['an outside address', { externalIPs: ['192.0.2.04'] }, 'spec.externalIPs[0]'],
    [
      'a source range',
      { type: 'LoadBalancer', allocateLoadBalancerNodePorts: true, loadBalancerSourceRanges: ['10.0.0.1/8'] },
      'spec.LoadBalancerSourceRanges[0]',
    ],
  ])('about %s that older rules allowed, but only where it is new', (_, fields, at) => {
    const outside = { ...given, ...fields, externalTrafficPolicy: 'Cluster' };
    expect(rules.update(spec(outside), spec(outside))).toEqual([]);
    expect(rules.update(spec(outside), spec(given))).toContain(`Invalid ${at}`);
  });
});

describe('tables', () => {
  const cells = (fields: object, status?: object) => rules.cells({ ...spec(fields), ...(status ? { status } : {}) });

  test('show ports, selector and addresses', () => {
    const shown = cells({
      ...given,
      type: 'NodePort',
      ports: [{ port: 80, nodePort: 30001 }],
      selector: { b: '1', a: '2' },
    });
    expect(shown).toMatchObject({
      Type: 'NodePort',
      'Cluster-IP': '10.0.0.5',
      'External-IP': '<none>',
      'Port(s)': '80:30001/TCP',
      Selector: 'a=2,b=1',
    });
  });

  test.each<[string, object, object | undefined, string]>([
    ['waits for its balancer', { type: 'LoadBalancer' }, undefined, '<pending>'],
    ['has a balancer', { type: 'LoadBalancer' }, { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } }, '192.0.2.1'],
    ['has addresses of its own', { externalIPs: ['192.0.2.2', '192.0.2.3'] }, undefined, '192.0.2.2,192.0.2.3'],
    ['is a name', { type: 'ExternalName', externalName: 'a.example' }, undefined, 'a.example'],
  ])('show where a service is reached that %s', (_, fields, status, expected) => {
    expect(cells(fields, status)['External-IP']).toBe(expected);
  });
});

describe('families', () => {
  const single = ['IPv4'] as const;
  const dual = ['IPv4', 'IPv6'] as const;
  test.each<[string, object, readonly ('IPv4' | 'IPv6')[], object]>([
    ['one by default', {}, dual, { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] }],
    ['that of the address', { clusterIP: 'fd00::1', clusterIPs: ['fd00::1'] }, dual, { ipFamilies: ['IPv6'] }],
    ['both where they are preferred', { ipFamilyPolicy: 'PreferDualStack' }, dual, { ipFamilies: ['IPv4', 'IPv6'] }],
    ['one where there is one', { ipFamilyPolicy: 'PreferDualStack' }, single, { ipFamilies: ['IPv4'] }],
  ])('are %s', (_, fields, cluster, expected) => {
    const { spec: made, errors } = resolveFamilies(fields, undefined, cluster);
    expect(errors).toEqual([]);
    expect(made).toMatchObject(expected);
  });
});

test('annotations about topology say the same', () => {
  const annotated = (mode: string) => ({
    metadata: {
      name: 'x',
      namespace: 'n',
      annotations: {
        'service.kubernetes.io/topology-mode': mode,
        'service.kubernetes.io/topology-aware-hints': 'auto',
      },
    },
    spec: { ports: [{ port: 80 }] },
  });
  const rules = rulesOf(service);
  expect(rules.create(annotated('auto'))).toEqual([]);
  expect(rules.complaints(annotated('odd'))).toEqual([
    'metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: "odd": must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified',
  ]);
});
