import { expect, test } from 'vitest';
import { qosClassOf } from './pod-resources.ts';

const of = (...resources: readonly object[]) => ({
  containers: resources.map((one, i) => ({ name: `c${i}`, resources: one })),
});
const full = { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1000m', memory: '1024Mi' } };

test.each([
  ['nothing asked', of({}), 'BestEffort'],
  ['zeros', of({ requests: { cpu: '0' } }), 'BestEffort'],
  ['other resources only', of({ limits: { 'example.com/gpu': '1' } }), 'BestEffort'],
  ['requests equal to limits', of(full), 'Guaranteed'],
  ['one container without', of(full, {}), 'Burstable'],
  ['requests below limits', of({ ...full, requests: { cpu: '500m', memory: '1Gi' } }), 'Burstable'],
  ['only cpu', of({ limits: { cpu: '1' }, requests: { cpu: '1' } }), 'Burstable'],
  ['an init container without', { ...of(full), initContainers: [{ name: 'i' }] }, 'Burstable'],
  ['resources of the pod', { ...of({}), resources: full }, 'Guaranteed'],
])('%s', (_, spec, expected) => expect(qosClassOf(spec)).toBe(expected));
