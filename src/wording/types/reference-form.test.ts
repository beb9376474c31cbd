import { expect, test } from 'vitest';
import { inReferenceForm } from './reference-form.ts';

function objectWith(field: string, members: object): unknown {
  return expect.objectContaining({ [field]: expect.objectContaining(members) as unknown });
}

test.each<[string, string, unknown, unknown]>([
  ['fields that were not set are there', 'Taint', { key: 'a' }, { Key: 'a', Value: '', Effect: '', TimeAdded: null }],
  ['nothing is null', 'Taint', undefined, null],
  [
    'structs in a list',
    'ServicePort',
    [{ port: 80 }],
    [{ Name: '', Protocol: '', AppProtocol: null, Port: 80, TargetPort: 0, NodePort: 0 }],
  ],
  [
    'metadata has its names on the wire',
    'PersistentVolumeClaimTemplate',
    { metadata: { labels: { a: 'b' } } },
    expect.objectContaining({ labels: { a: 'b' } }),
  ],
  [
    'flags of a pod belong to its security context',
    'PodSpec',
    { hostNetwork: true, securityContext: { runAsUser: 1 } },
    objectWith('SecurityContext', { HostNetwork: true, HostPID: false, RunAsUser: 1, HostUsers: null }),
  ],
  [
    'schemas that are a list, a flag or an extension',
    'JSONSchemaProps',
    { items: [{ type: 'string' }], additionalProperties: false, 'x-vendor-list-type': 'set' },
    expect.objectContaining({ AdditionalProperties: { Allows: false, Schema: null }, XListType: 'set' }),
  ],
])('%s', (_, type, value, expected) => {
  expect(inReferenceForm(type, value)).toEqual(expected);
});

test('fields have the order of the reference implementation', () => {
  const shown = inReferenceForm('PodDisruptionBudgetSpec', { maxUnavailable: 1, minAvailable: 2 }) as object;
  expect(Object.keys(shown)).toEqual(['MinAvailable', 'Selector', 'MaxUnavailable', 'UnhealthyPodEvictionPolicy']);
});
