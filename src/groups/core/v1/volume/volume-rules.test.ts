import { describe, expect, test } from 'vitest';
import { base, found, podWith } from '../../../../testing/pod-rules.ts';
import type { PodSpec } from '../pod/pod-spec.ts';

describe('volumes', () => {
  test.each<[string, object, string[]]>([
    ['a bad name', { name: 'A' }, ['.name Invalid']],
    ['two sources', { name: 'v', emptyDir: {}, nfs: { server: 's', path: '/' } }, ['.nfs Forbidden']],
    [
      'hostPath',
      { name: 'v', hostPath: { path: '/a/../b', type: 'Odd' } },
      ['.hostPath.path Invalid', '.hostPath.type NotSupported'],
    ],
    ['nfs', { name: 'v', nfs: { path: 'a' } }, ['.nfs.server Required', '.nfs.path Invalid']],
    [
      'secret',
      { name: 'v', secret: { defaultMode: 512 } },
      ['.secret.secretName Required', '.secret.defaultMode Invalid'],
    ],
    [
      'items',
      { name: 'v', configMap: { name: 'm', items: [{ path: '../x' }] } },
      ['.configMap.items[0].key Required', '.configMap.items[0].path Invalid'],
    ],
    ['claim', { name: 'v', persistentVolumeClaim: {} }, ['.persistentVolumeClaim.claimName Required']],
    [
      'projection',
      {
        name: 'v',
        projected: { sources: [{}, { secret: {} }, { serviceAccountToken: { path: 't', expirationSeconds: 1 } }] },
      },
      [
        '.projected.sources[1].secret.name Required',
        '.projected.sources[2].serviceAccountToken.expirationSeconds Invalid',
      ],
    ],
    [
      'the same file twice',
      {
        name: 'v',
        projected: { sources: [1, 2].map(() => ({ secret: { name: 's', items: [{ key: 'k', path: 't' }] } })) },
      },
      ['.projected Invalid'],
    ],
    [
      'ephemeral',
      { name: 'v', ephemeral: { volumeClaimTemplate: { spec: {} } } },
      [
        '.ephemeral.volumeClaimTemplate.spec.accessModes Required',
        '.ephemeral.volumeClaimTemplate.spec.resources[storage] Required',
      ],
    ],
    ['downward', { name: 'v', downwardAPI: { items: [{ path: 'p' }] } }, ['.downwardAPI Required']],
    ['two kinds', { name: 'v', hostPath: { path: '/' }, emptyDir: {} }, ['.hostPath Forbidden']],
    [
      'two kinds in a projection',
      { name: 'v', projected: { sources: [{ secret: { name: 's' }, configMap: { name: 'm' } }] } },
      ['.projected.sources[0] Forbidden'],
    ],
    [
      'a token without a path',
      { name: 'v', projected: { sources: [{ serviceAccountToken: {} }] } },
      ['.projected.path Required'],
    ],
    [
      'a disk of a cloud',
      { name: 'v', gcePersistentDisk: { partition: 256 } },
      ['.persistentDisk.pdName Required', '.persistentDisk.partition Invalid'],
    ],
    [
      'nfs without anything',
      { name: 'v', nfs: {} },
      ['.nfs.server Required', '.nfs.path Required', '.nfs.path Invalid'],
    ],
    [
      'iscsi',
      { name: 'v', iscsi: { targetPortal: 'p', iqn: 'x', lun: 1, chapAuthSession: true } },
      ['.iscsi.iqn Invalid', '.iscsi.secretRef Required'],
    ],
    [
      'csi',
      { name: 'v', csi: { nodePublishSecretRef: {} } },
      ['.csi.driver Required', '.csi.nodePublishSecretRef.name Required'],
    ],
    ['an image', { name: 'v', image: {} }, ['.image.reference Required']],
    [
      'a claim with a name',
      {
        name: 'v',
        ephemeral: {
          volumeClaimTemplate: {
            metadata: { name: 'x' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } },
          },
        },
      },
      ['.ephemeral.volumeClaimTemplate.metadata.name Forbidden'],
    ],
  ])('%s', (_, volume, expected) => {
    expect(found(podWith({ volumes: [volume] })).sort()).toEqual(
      expected.map((text) => `spec.volumes[0]${text}`).sort(),
    );
  });

  test('no container can mount a volume that is not in order, or use a claim that comes with the pod', () => {
    const claim = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } } };
    const spec: PodSpec = {
      containers: [{ ...base, volumeMounts: [{ name: 'v', mountPath: '/a' }, { mountPath: '/b' }] }],
      volumes: [
        { name: 'v', secret: {} },
        { name: 'e', ephemeral: { volumeClaimTemplate: claim } },
        { name: 'c', persistentVolumeClaim: { claimName: 'p-e' } },
      ],
    };
    expect(found(spec)).toEqual([
      'spec.volumes[0].secret.secretName Required',
      'spec.volumes[2].persistentVolumeClaim.claimName Invalid',
      'spec.containers[0].volumeMounts[0].name NotFound',
      'spec.containers[0].volumeMounts[1].name Required',
      'spec.containers[0].volumeMounts[1].name NotFound',
    ]);
  });

  test('the same name twice', () => {
    expect(found(podWith({ volumes: [{ name: 'v' }, { name: 'v' }] }))).toEqual(['spec.volumes[1].name Duplicate']);
  });
});
