import { describe, expect, test } from 'vitest';
import { rulesOf } from '../../../testing/kind-rules.ts';
import { ingress } from './ingress.ts';
import { ingressClass } from './ingress-class.ts';
import { ipAddress } from './ip-address.ts';
import { networkPolicy } from './network-policy.ts';
import { serviceCIDR } from './service-cidr.ts';

describe('an ingress', () => {
  const rules = rulesOf(ingress);
  const backend = { service: { name: 's', port: { number: 80 } } };
  const path = (fields: object) => ({
    spec: { rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend, ...fields }] } }] },
  });
  const at = 'spec.rules[0].http.paths[0]';

  test.each<[string, object, string[]]>([
    ['a rule', path({}), []],
    ['nothing at all', { spec: {} }, ['Invalid spec']],
    ['no type of path', path({ pathType: null }), [`Required ${at}.pathType`]],
    ['an odd type of path', path({ pathType: 'Odd' }), [`NotSupported ${at}.pathType`]],
    ['a relative path', path({ path: 'a' }), [`Invalid ${at}.path`]],
    ['a path with dots', path({ path: '/a/../b' }), [`Invalid ${at}.path`]],
    ['no backend', path({ backend: {} }), [`Invalid ${at}.backend`]],
    ['no port', path({ backend: { service: { name: 's' } } }), [`Required ${at}.backend`]],
    [
      'a port out of range',
      path({ backend: { service: { name: 's', port: { number: 70000 } } } }),
      [`Invalid ${at}.backend.service.port.number`],
    ],
    ['an address as a host', { spec: { rules: [{ host: '10.0.0.1' }] } }, ['Invalid spec.rules[0].host']],
    ['a wildcard', { spec: { rules: [{ host: '*.a.example' }] } }, []],
    ['a secret', { spec: { defaultBackend: backend, tls: [{ secretName: 'A' }] } }, ['Invalid spec.tls[0].secretName']],
    ['no paths', { spec: { rules: [{ http: {} }] } }, ['Required spec.rules[0].http.paths']],
    [
      'a class twice',
      {
        metadata: { name: 'x', annotations: { 'kubernetes.io/ingress.class': 'a' } },
        spec: { ingressClassName: 'b', defaultBackend: backend },
      },
      ['Invalid annotations.kubernetes.io/ingress.class'],
    ],
  ])('with %s', (_, fields, expected) => {
    expect(rules.create(fields)).toEqual(expected);
  });

  test('shows hosts, addresses and ports', () => {
    const hosts = ['a', 'b', 'c', 'd'].map((host) => ({ host }));
    const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { hostname: 'lb.example' }] } };
    expect(rules.cells({ spec: { ingressClassName: 'n', rules: hosts, tls: [{}] }, status })).toMatchObject({
      Class: 'n',
      Hosts: 'a,b,c + 1 more...',
      Address: '192.0.2.1,lb.example',
      Ports: '80, 443',
    });
    expect(rules.cells({ spec: {} })).toMatchObject({ Class: '<none>', Hosts: '*', Address: '', Ports: '80' });
  });
});

describe('an ingress class', () => {
  const rules = rulesOf(ingressClass);
  const parameters = (fields: object) => ({
    spec: { controller: 'a.example/c', parameters: { kind: 'K', name: 'n', ...fields } },
  });

  test.each<[string, object, string[]]>([
    ['settings of the cluster', parameters({}), []],
    ['no controller', { spec: {} }, ['Required spec.controller']],
    ['a controller without a path', { spec: { controller: 'a.example' } }, ['Invalid spec.controller']],
    ['settings of no namespace', parameters({ scope: 'Namespace' }), ['Required spec.parameters.namespace']],
    ['a namespace too many', parameters({ namespace: 'x' }), ['Forbidden spec.parameters.namespace']],
    ['an odd scope', parameters({ scope: 'Odd' }), ['NotSupported spec.parameters.scope']],
    ['an empty scope', parameters({ scope: '' }), ['NotSupported spec.parameters.scope']],
  ])('with %s', (_, fields, expected) => {
    expect(rules.create(fields)).toEqual(expected);
  });

  test('keeps its controller', () => {
    expect(rules.update({ spec: { controller: 'a.example/d' } }, { spec: { controller: 'a.example/c' } })).toEqual([
      'Invalid spec.controller',
    ]);
  });
});

describe('a network policy', () => {
  const rules = rulesOf(networkPolicy);
  const from = (peer: object) => ({ spec: { ingress: [{ from: [peer] }] } });
  const port = (fields: object) => ({ spec: { ingress: [{ ports: [fields] }] } });

  test('covers what comes in, and what goes out where it says so', () => {
    const types = (spec: object) => (rules.defaulted({ spec })['spec'] as { policyTypes: string[] }).policyTypes;
    expect(types({})).toEqual(['Ingress']);
    expect(types({ egress: [{}] })).toEqual(['Ingress', 'Egress']);
    expect(rules.defaulted(port({ port: 80 }))['spec']).toMatchObject({ ingress: [{ ports: [{ protocol: 'TCP' }] }] });
  });

  test.each<[string, object, string[]]>([
    ['all peers', { spec: { ingress: [{}] } }, []],
    ['an empty peer', from({}), ['Required spec.ingress[0].from[0]']],
    ['a mixed peer', from({ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }), ['Forbidden spec.ingress[0].from[0]']],
    ['a bad range', from({ ipBlock: { cidr: 'x' } }), ['Invalid spec.ingress[0].from[0].ipBlock.cidr']],
    [
      'a hole that is none',
      from({ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }),
      ['Invalid spec.ingress[0].from[0].ipBlock.except[0]'],
    ],
    ['a range of ports', port({ port: 80, endPort: 90 }), []],
    ['a range that goes down', port({ port: 80, endPort: 70 }), ['Invalid spec.ingress[0].ports[0].endPort']],
    ['a range from a name', port({ port: 'web', endPort: 70 }), ['Invalid spec.ingress[0].ports[0].endPort']],
    ['an odd type', { spec: { policyTypes: ['Odd'] } }, ['NotSupported spec.policyTypes[0]']],
  ])('with %s', (_, fields, expected) => {
    expect(rules.create(fields)).toEqual(expected);
  });

  test('keeps ranges that older rules allowed', () => {
    const loose = from({ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.1/16'] } });
    expect(rules.update(loose, loose)).toEqual([]);
    expect(rules.update(loose, from({ ipBlock: { cidr: '10.0.0.0/8' } }))).toEqual([
      'Invalid spec.ingress[0].from[0].ipBlock.except[0]',
    ]);
  });
});

describe('an address', () => {
  const rules = rulesOf(ipAddress);
  const parent = (fields: object) => ({ spec: { parentRef: { resource: 'services', name: 's', ...fields } } });

  test.each<[string, object, string[]]>([
    ['an owner', parent({ namespace: 'n' }), []],
    ['no owner', { spec: {} }, ['Required spec.parentRef']],
    ['half an owner', { spec: { parentRef: { name: 's' } } }, ['Required spec.parentRef.resource']],
    ['a path as an owner', parent({ name: 'a/b' }), ['Invalid spec.parentRef.name']],
  ])('with %s', (_, fields, expected) => {
    expect(rules.create(fields)).toEqual(expected);
  });

  test('is named by itself, keeps its owner and shows it', () => {
    expect(ipAddress.checkName('10.0.0.1')).toEqual([]);
    expect(ipAddress.checkName('web')).toHaveLength(1);
    expect(rules.update(parent({ name: 't' }), parent({}))).toEqual(['Invalid spec.parentRef']);
    expect(rules.update({ spec: {} }, parent({}))).toEqual(['Required spec.parentRef', 'Invalid spec.parentRef']);
    expect(rules.cells(parent({ namespace: 'n' }))['ParentRef']).toBe('services/n/s');
  });
});

describe('a range of services', () => {
  const rules = rulesOf(serviceCIDR);
  const ranges = (...cidrs: string[]) => ({ spec: { cidrs } });

  test.each<[string, object, string[]]>([
    ['one', ranges('10.0.0.0/24'), []],
    ['both families', ranges('10.0.0.0/24', 'fd00::/64'), []],
    ['none', { spec: {} }, ['Required spec.cidrs']],
    ['one family twice', ranges('10.0.0.0/24', '10.1.0.0/24'), ['Invalid spec.cidrs']],
    ['three', ranges('10.0.0.0/24', 'fd00::/64', '10.1.0.0/24'), ['Invalid spec.cidrs']],
    ['a bad one', ranges('x'), ['Invalid spec.cidrs[0]']],
  ])('with %s', (_, fields, expected) => {
    expect(rules.create(fields)).toEqual(expected);
  });

  test('grows by a family and does not change otherwise', () => {
    expect(rules.update(ranges('10.0.0.0/24', 'fd00::/64'), ranges('10.0.0.0/24'))).toEqual([]);
    expect(rules.update(ranges('10.1.0.0/24'), ranges('10.0.0.0/24'))).toEqual(['Invalid spec.cidrs[0]']);
    expect(rules.update(ranges('10.0.0.0/24'), ranges('10.0.0.0/24', 'fd00::/64'))).toEqual(['Invalid spec.cidrs']);
    expect(rules.update(ranges(), ranges('10.0.0.0/24'))).toEqual(['Invalid spec.cidrs']);
    expect(rules.update(ranges('10.0.0.0/24', 'x'), ranges('10.0.0.0/24'))).toEqual(['Invalid spec.cidrs[1]']);
  });
});
