import { expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { rulesOf } from '../../../testing/kind-rules.ts';
import { apiService } from './api-service.ts';

const rules = rulesOf(apiService);
const service = { namespace: 'n', name: 's' };
const spec = { group: 'a.example', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15, service };
const metadata = { name: 'v1.a.example' };
const caBundle = Buffer.from('pem').toString('base64');

test.each<[string, object, string[]]>([
  ['in order', {}, []],
  [
    'under another name',
    { version: 'v2' },
    ['metadata.name: Invalid value: "v1.a.example": must be `spec.version+"."+spec.group`: "v2.a.example"'],
  ],
  [
    'of odd ranks',
    { groupPriorityMinimum: 20001, versionPriority: 0 },
    [
      'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
    ],
  ],
  [
    'of no Service',
    { service: { port: 70000 } },
    [
      'spec.service.namespace: Required value',
      'spec.service.name: Required value',
      'spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive',
    ],
  ],
  [
    'trusted without looking',
    { insecureSkipTLSVerify: true, caBundle },
    ['spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present'],
  ],
  [
    'of this server',
    { service: undefined, insecureSkipTLSVerify: true, caBundle },
    [
      'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
      'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
    ],
  ],
])('an APIService %s', (_, change, expected) => {
  expect(rules.complaints({ metadata, spec: { ...spec, ...change } })).toEqual(expected);
});

test('only v1 has no group', () => {
  const ofVersion = (version: string) => ({ metadata: { name: `${version}.` }, spec: { ...spec, group: '', version } });
  expect(rules.create(ofVersion('v1'))).toEqual([]);
  expect(rules.create(ofVersion('v2'))).toEqual(['Required spec.group']);
});

test('a Service is asked on the port of HTTPS', () => {
  expect(rules.defaulted({ metadata, spec })).toMatchObject({ spec: { service: { port: 443 } } });
});

test('what this server handles is available at once', () => {
  const context = { dialect: kubernetes, clock: new FakeClock('2030-01-01T01:00:00Z') };
  const local = rules.defaulted({ metadata, spec: { ...spec, service: undefined } });
  const made = apiService.strategy?.prepareForCreate?.(local, context);
  expect(made?.['status']).toMatchObject({
    conditions: [{ type: 'Available', status: 'True', reason: 'Local', lastTransitionTime: '2030-01-01T01:00:00Z' }],
  });
  expect(rules.cells({ ...made })).toMatchObject({ Service: 'Local', Available: 'True' });
});

test('the table says where it is and why it is not there', () => {
  const condition = { type: 'Available', status: 'False', reason: 'MissingEndpoints', lastTransitionTime: null };
  const found = rules.cells({ metadata, spec, status: { conditions: [condition] } });
  expect(found).toMatchObject({ Service: 'n/s', Available: 'False (MissingEndpoints)' });
  expect(rules.cells({ metadata, spec })).toMatchObject({ Available: 'Unknown' });
});
