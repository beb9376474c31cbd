// Plugins that do one small thing.

import { describe, expect, test } from 'vitest';
import type { AccessAttributes } from '../../meta/access.ts';
import { kubernetes } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import { requestFor } from '../testing.ts';
import { certificateApproval, certificateSigning, clusterTrustBundleAttest } from './certificate-rights.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
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
  });
});
