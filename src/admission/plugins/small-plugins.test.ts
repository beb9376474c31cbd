// Plugins that do one small thing.

import { describe, expect, test } from 'vitest';
import type { AccessAttributes } from '../../meta/access.ts';
import { kubernetes } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import { lookupOf, requestFor } from '../testing.ts';
import {
  certificateApproval,
  certificateSigning,
  clusterTrustBundleAttest,
  podCertificateSigning,
} from './certificate-rights.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import { deviceAdminAccess } from './device-admin-access.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';

const dialect = kubernetes;
const resource = (plural: string, group = '') => ({ plural, group }) as ResourceDefinition;
const object = (spec: object, more: object = {}): ApiObject => ({
  ...{ kind: 'X', apiVersion: 'v1', metadata: { name: 'x' }, spec },
  ...more,
});

describe('DefaultTolerationSeconds', () => {
  const settings = { notReadyTolerationSeconds: 60, unreachableTolerationSeconds: 90 };
  const plugin = defaultTolerationSeconds({ dialect, settings });
  const admit = (tolerations?: object[]) =>
    plugin.mutate?.(requestFor({ definition: resource('pods'), object: object({ tolerations }) })) as {
      spec?: { tolerations?: { key?: string; tolerationSeconds?: number }[] };
    };
  const added = (tolerations?: object[]) =>
    admit(tolerations).spec?.tolerations?.map(({ key, tolerationSeconds: seconds }) => [key, seconds]);
  const notReady = 'node.kubernetes.io/not-ready';
  const unreachable = 'node.kubernetes.io/unreachable';

  test.each([
    [
      'nothing',
      undefined,
      [
        [notReady, 60],
        [unreachable, 90],
      ],
    ],
    [
      'one of the two',
      [{ key: notReady, effect: 'NoExecute' }],
      [
        [notReady, undefined],
        [unreachable, 90],
      ],
    ],
    [
      'another effect of it',
      [{ key: notReady, effect: 'NoSchedule' }],
      [
        [notReady, undefined],
        [notReady, 60],
        [unreachable, 90],
      ],
    ],
    ['everything', [{ operator: 'Exists' }], [[undefined, undefined]]],
  ])('adds what is missing to a pod that tolerates %s', (_, given, expected) => {
    expect(added(given)).toEqual(expected);
  });
});

test('a new node is tainted until it is ready, once', () => {
  const plugin = taintNodesByCondition({ dialect });
  const admit = (taints?: object[]) =>
    plugin.mutate?.(requestFor({ definition: resource('nodes'), object: object({ taints }) })) as ApiObject;
  const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
  expect(admit()['spec']).toEqual({ taints: [taint] });
  expect(admit([{ ...taint, value: 'x' }])['spec']).toEqual({ taints: [{ ...taint, value: 'x' }] });
});

describe('rights that name a signer', () => {
  const asked: Pick<AccessAttributes, 'verb' | 'name' | 'group' | 'resource'>[] = [];
  const access = (allowed: string) => ({
    decide({ verb, name, group, resource: plural }: AccessAttributes) {
      asked.push({ verb, name, group, resource: plural });
      return { kind: `${verb} ${name}` === allowed ? ('allow' as const) : ('noOpinion' as const) };
    },
  });
  const definition = resource('certificatesigningrequests', 'certificates.k8s.io');
  const csr = (status: object = {}) => object({ signerName: 'example.com/a' }, { status });
  const update = (next: ApiObject) => requestFor({ definition, operation: 'UPDATE', object: next, oldObject: csr() });

  test('approving needs one, for the signer or for its domain', () => {
    for (const right of ['approve example.com/a', 'approve example.com/*'])
      expect(() => certificateApproval({ dialect, access: access(right) }).validate?.(update(csr()))).not.toThrow();
    asked.length = 0;
    const plugin = certificateApproval({ dialect, access: access('approve example.com/b') });
    expect(() => plugin.validate?.(update(csr()))).toThrow(
      'user not permitted to approve requests with signerName "example.com/a"',
    );
    const signers = { group: 'certificates.k8s.io', resource: 'signers' };
    expect(asked).toEqual([
      { verb: 'approve', name: 'example.com/a', ...signers },
      { verb: 'approve', name: 'example.com/*', ...signers },
    ]);
  });

  test('signing needs one, where the certificate or the conditions change', () => {
    const plugin = certificateSigning({ dialect, access: access('') });
    expect(() => plugin.validate?.(update(csr()))).not.toThrow();
    expect(() => plugin.validate?.(update(csr({ certificate: 'x' })))).toThrow('not permitted to sign requests');
    expect(() => plugin.validate?.(update(csr({ conditions: [{}] })))).toThrow('not permitted to sign requests');
  });

  test('vouching for a bundle needs one, where the bundle names a signer', () => {
    const plugin = clusterTrustBundleAttest({ dialect, access: access('') });
    const bundle = (spec: object) =>
      requestFor({ definition: resource('clustertrustbundles', 'certificates.k8s.io'), object: object(spec) });
    expect(() => plugin.validate?.(bundle({}))).not.toThrow();
    expect(() => plugin.validate?.(bundle({ signerName: 'example.com/a' }))).toThrow(
      'user not permitted to attest for signerName "example.com/a"',
    );
    const of = resource('clustertrustbundles', 'certificates.k8s.io');
    const old = object({ signerName: 'example.com/a' }, { metadata: { name: 'x', finalizers: ['x/y'] } });
    const update = (next: ApiObject) => () =>
      plugin.validate?.(requestFor({ definition: of, operation: 'UPDATE', object: next, oldObject: old }));
    expect(update(object({ signerName: 'example.com/a' }))).not.toThrow();
    expect(update(object({ signerName: 'example.com/a', trustBundle: 'x' }))).toThrow('user not permitted to attest');
  });

  test('issuing a certificate to a pod needs one, where the certificate changes', () => {
    const request = (status: object, right = '') => {
      const of = resource('podcertificaterequests', 'certificates.k8s.io');
      const plugin = podCertificateSigning({ dialect, access: access(right) });
      expect([plugin.covers(of, 'status', 'UPDATE'), plugin.covers(of, '', 'UPDATE')]).toEqual([true, false]);
      return plugin.validate?.(
        requestFor({
          ...{ definition: of, operation: 'UPDATE', subresource: 'status' },
          ...{ object: csr(status), oldObject: csr() },
        }),
      );
    };
    expect(() => request({ conditions: [{ type: 'Denied' }] })).not.toThrow();
    expect(() => request({ certificateChain: 'x' }, 'sign example.com/*')).not.toThrow();
    expect(() => request({ certificateChain: 'x' }, 'sign example.com/b')).toThrow(
      'spec.signerName: Forbidden: User "author" is not permitted to "sign" for signer "example.com/a"',
    );
  });
});

describe("administrators' access to devices", () => {
  const namespace = (name: string, value?: string): ApiObject => ({
    ...{ kind: 'Namespace', apiVersion: 'v1' },
    metadata: { name, labels: value === undefined ? {} : { 'resource.kubernetes.io/admin-access': value } },
  });
  const objects = lookupOf({ namespaces: [namespace('plain'), namespace('odd', 'True'), namespace('admin', 'true')] });
  const plugin = deviceAdminAccess({ dialect, objects });
  const request = (plural: string, parts: object, next: object, old?: object) =>
    requestFor({
      definition: resource(plural, 'resource.k8s.io'),
      namespace: 'plain',
      object: object({}, next),
      ...(old ? { oldObject: object({}, old) } : {}),
      ...parts,
    });
  const flat = { devices: { requests: [{ name: 'a' }, { name: 'b', adminAccess: true }] } };
  const exact = { devices: { requests: [{ name: 'b', exactly: { adminAccess: true } }] } };
  const granted = { status: { allocation: { devices: { results: [{ adminAccess: true }] } } } };
  const detail = 'Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label';

  test.each([
    ['a claim', 'resourceclaims', {}, { spec: exact }, 'spec.devices.requests[0].adminAccess'],
    ['a claim of an older version', 'resourceclaims', {}, { spec: flat }, 'spec.devices.requests[1].adminAccess'],
    ['a template', 'resourceclaimtemplates', {}, { spec: { spec: exact } }, 'spec.devices.requests[0].adminAccess'],
    [
      'an allocation',
      'resourceclaims',
      { operation: 'UPDATE', subresource: 'status' },
      granted,
      'status.allocation.devices.results[0].adminAccess',
    ],
  ])('is for labelled namespaces only: %s', (_, plural, parts, next, field) => {
    expect(() => plugin.validate?.(request(plural, parts, next))).toThrow(`${field}: ${detail}`);
    expect(() => plugin.validate?.(request(plural, { ...parts, namespace: 'odd' }, next))).toThrow(detail);
    expect(() => plugin.validate?.(request(plural, { ...parts, namespace: 'admin' }, next))).not.toThrow();
  });

  test('stays with a claim that has it', () => {
    const parts = { operation: 'UPDATE', subresource: 'status' };
    expect(() => plugin.validate?.(request('resourceclaims', parts, granted, granted))).not.toThrow();
  });

  test('is asked for by no other plugin', () => {
    expect(plugin.covers(resource('resourceclaims', 'resource.k8s.io'), '', 'CREATE')).toBe(true);
    expect(plugin.covers(resource('resourceslices', 'resource.k8s.io'), '', 'CREATE')).toBe(false);
    expect(plugin.covers(resource('resourceclaims', 'example.com'), '', 'CREATE')).toBe(false);
    const plain = { spec: { devices: { requests: [{ exactly: { adminAccess: false } }] } } };
    expect(() => plugin.validate?.(request('resourceclaims', {}, plain))).not.toThrow();
  });
});
