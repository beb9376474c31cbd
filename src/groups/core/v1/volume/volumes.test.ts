import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../../meta/dialect.ts';
import { lines } from '../../../../testing/error-lines.ts';
import { FakeClock } from '../../../../testing/fake-clock.ts';
import { rulesOf } from '../../../../testing/kind-rules.ts';
import { persistentVolume } from './persistent-volume.ts';
import { persistentVolumeClaim } from './persistent-volume-claim.ts';

describe('a volume', () => {
  const rules = rulesOf(persistentVolume);
  const good = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } };
  const spec = (fields: object) => ({ spec: { ...good, ...fields } });
  const csi = (fields: object) =>
    spec({ hostPath: undefined, csi: { driver: 'd.example', volumeHandle: 'h', ...fields } });

  test('is kept after use, as a file system, by default', () => {
    expect(rules.defaulted({ spec: good })).toMatchObject({
      spec: { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem', hostPath: { type: '' } },
      status: { phase: 'Pending' },
    });
  });

  test.each<[string, object, string[]]>([
    ['all it needs', spec({}), []],
    ['no size', spec({ capacity: {} }), ['Required spec.capacity', 'NotSupported spec.capacity']],
    ['a size of nothing', spec({ capacity: { storage: '0' } }), ['Invalid spec.capacity[storage]']],
    ['no access', spec({ accessModes: [] }), ['Required spec.accessModes']],
    ['odd access', spec({ accessModes: ['Odd'] }), ['NotSupported spec.accessModes']],
    [
      'exclusive and other access',
      spec({ accessModes: ['ReadWriteOncePod', 'ReadOnlyMany'] }),
      ['Forbidden spec.accessModes'],
    ],
    ['no storage', spec({ hostPath: undefined }), ['Required spec']],
    ['two kinds of storage', spec({ nfs: { server: 's', path: '/' } }), ['Forbidden spec.nfs']],
    ['a path that climbs', spec({ hostPath: { path: '/a/../b' } }), ['Invalid spec.hostPath.path']],
    [
      'an odd policy',
      spec({ persistentVolumeReclaimPolicy: 'Odd' }),
      ['NotSupported spec.persistentVolumeReclaimPolicy'],
    ],
    ['local storage on no node', spec({ hostPath: undefined, local: { path: '/x' } }), ['Required spec.nodeAffinity']],
    [
      'nodes that are none',
      spec({ nodeAffinity: { required: {} } }),
      ['Required spec.nodeAffinity.required.nodeSelectorTerms'],
    ],
    ['a driver', csi({}), []],
    ['no handle', csi({ volumeHandle: '' }), ['Required spec.csi.volumeHandle']],
    [
      'a nameless secret',
      csi({ nodePublishSecretRef: { namespace: 'n' } }),
      ['Required spec.csi.nodePublishSecretRef.name'],
    ],
    [
      "options that are the node's to add",
      spec({
        hostPath: undefined,
        flexVolume: {
          driver: 'd/e',
          options: { 'a.Kubernetes.io/x': '', 'k8s.io': '', 'mykubernetes.io/x': '', y: '' },
        },
      }),
      ['Invalid spec.flexVolume.options[a.Kubernetes.io/x]', 'Invalid spec.flexVolume.options[k8s.io]'],
    ],
    [
      "a portal that is long next to a name of one's own",
      spec({
        hostPath: undefined,
        iscsi: { targetPortal: 'p'.repeat(64), iqn: 'iqn.2026-01.example:a', initiatorName: 'iqn.2026-01.example:b' },
      }),
      ['Invalid spec.iscsi.targetportal'],
    ],
    ['attributes without a driver', spec({ volumeAttributesClassName: 'a' }), ['Required spec.csi']],
  ])('with %s', (_, fields, expected) => {
    expect(rules.create(fields)).toEqual(expected);
  });

  test('stays what it is, but gets a secret for growing', () => {
    expect(rules.update(spec({ hostPath: { path: '/y' } }), spec({}))).toEqual([
      'Forbidden spec.persistentvolumesource',
    ]);
    expect(rules.update(spec({ volumeMode: 'Block' }), spec({}))).toEqual(['Invalid volumeMode']);
    expect(rules.update(spec({ capacity: { storage: '2Gi' } }), spec({}))).toEqual([]);
    const secret = { controllerExpandSecretRef: { name: 's', namespace: 'n' } };
    expect(rules.update(csi(secret), csi({}))).toEqual([]);
    expect(rules.update(csi({}), csi(secret))).toEqual(['Forbidden spec.persistentvolumesource']);
  });

  const onNodes = (key: string, value = 'a') =>
    spec({
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: [value] }] }] },
      },
    });
  test.each<[string, object, object, string[]]>([
    ['is placed once', onNodes('zone'), spec({}), []],
    ['stays where it is', onNodes('zone', 'b'), onNodes('zone'), ['Invalid nodeAffinity']],
    [
      'is placed by newer names of labels',
      onNodes('topology.kubernetes.io/zone'),
      onNodes('failure-domain.beta.kubernetes.io/zone'),
      [],
    ],
    [
      'is not placed by older ones again',
      onNodes('failure-domain.beta.kubernetes.io/zone'),
      onNodes('topology.kubernetes.io/zone'),
      ['Invalid nodeAffinity'],
    ],
    [
      'is placed nowhere else by a newer name',
      onNodes('topology.kubernetes.io/zone', 'b'),
      onNodes('failure-domain.beta.kubernetes.io/zone'),
      ['Invalid nodeAffinity'],
    ],
  ])('%s', (_, next, old, expected) => expect(rules.update(next, old)).toEqual(expected));

  test('tells what changed that may not', () => {
    expect(rules.complaints(spec({ hostPath: { path: '/y' } }), spec({}))).toEqual([
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n' +
        '@@ -2,7 +2,7 @@\n  "GCEPersistentDisk": null,\n  "AWSElasticBlockStore": null,\n  "HostPath": {\n' +
        '-  "Path": "/x",\n+  "Path": "/y",\n   "Type": ""\n  },\n  "Glusterfs": null,\n',
    ]);
  });

  test('shows what it is and who has it', () => {
    const claimRef = { namespace: 'n', name: 'c' };
    const shown = rules.cells(
      spec({ claimRef, storageClassName: 'fast', accessModes: ['ReadWriteMany', 'ReadWriteOnce'] }),
    );
    expect(shown).toMatchObject({
      Capacity: '1Gi',
      'Access Modes': 'RWO,RWX',
      'Reclaim Policy': 'Retain',
      Status: 'Pending',
      Claim: 'n/c',
      StorageClass: 'fast',
      VolumeAttributesClass: '<unset>',
      Reason: '',
      VolumeMode: 'Filesystem',
    });
  });
});

describe('a claim', () => {
  const rules = rulesOf(persistentVolumeClaim);
  const good = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const spec = (fields: object, phase?: string) => ({
    spec: { ...good, ...fields },
    ...(phase ? { status: { phase, capacity: { storage: '1Gi' } } } : {}),
  });
  const sized = (storage: string) => ({ resources: { requests: { storage } } });

  test.each<[string, object, string[]]>([
    ['all it needs', spec({}), []],
    ['no access', spec({ accessModes: [] }), ['Required spec.accessModes']],
    ['no size', spec({ resources: {} }), ['Required spec.resources[storage]']],
    ['a size of nothing', spec(sized('0')), ['Invalid spec.resources[storage]']],
    ['a bad class', spec({ storageClassName: 'A' }), ['Invalid spec.storageClassName']],
    ['no class on purpose', spec({ storageClassName: '' }), []],
    ['an odd mode', spec({ volumeMode: 'Odd' }), ['NotSupported spec.volumeMode']],
    [
      'a source of a core kind',
      spec({ dataSourceRef: { kind: 'Pod', name: 'p' } }),
      ['Invalid spec.dataSource', 'Invalid spec.dataSourceRef'],
    ],
    ['a source that is a claim', spec({ dataSource: { kind: 'PersistentVolumeClaim', name: 'p' } }), []],
  ])('with %s', (_, fields, expected) => {
    expect(rules.create(fields)).toEqual(expected);
  });

  test.each<[string, object, object, string[]]>([
    ['is named its volume once', spec({ volumeName: 'v' }), spec({}), []],
    ['keeps its volume', spec({ volumeName: 'w' }), spec({ volumeName: 'v' }), ['Forbidden spec']],
    ['grows when bound', spec(sized('2Gi'), 'Bound'), spec({}, 'Bound'), []],
    ['does not grow before', spec(sized('2Gi')), spec({}), ['Forbidden spec']],
    [
      'does not shrink',
      spec(sized('512Mi'), 'Bound'),
      spec({}, 'Bound'),
      ['Forbidden spec.resources.requests.storage'],
    ],
    ['gets a class when it had none', spec({ storageClassName: 'a' }), spec({}), []],
    ['keeps its class', spec({ storageClassName: 'b' }), spec({ storageClassName: 'a' }), ['Forbidden spec']],
  ])('%s', (_, next, old, expected) => {
    expect(rules.update(next, old)).toEqual(expected);
  });

  test('shows what it has once it has it', () => {
    const status = { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '5Gi' } };
    expect(rules.cells({ ...spec({ volumeName: 'v', storageClassName: 'fast' }), status })).toMatchObject({
      Status: 'Bound',
      Volume: 'v',
      Capacity: '5Gi',
      'Access Modes': 'RWO',
      StorageClass: 'fast',
    });
    expect(rules.cells(spec({}))).toMatchObject({ Status: 'Pending', Volume: '', Capacity: '', 'Access Modes': '' });
  });
});

describe('the status of a claim', () => {
  const context = { dialect: kubernetes, clock: new FakeClock() };
  const [part] = persistentVolumeClaim.subresources ?? [];
  const found = (status: object) => {
    const claim = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', metadata: { name: 'c' }, status };
    return lines(part?.is === 'part' ? part.validateUpdate?.(claim, claim, context) : []);
  };

  test('says how much there is, and how growth goes', () => {
    const stages = { storage: 'NodeResizePending' };
    expect(found({ capacity: { storage: '1Gi' }, allocatedResourceStatuses: stages })).toEqual([]);
    expect(found({ capacity: { storage: '-1' }, allocatedResourceStatuses: { storage: 'Odd' } })).toEqual([
      'status.capacity[storage]: Invalid value: -1: must be a valid resource quantity',
      'status.allocatedResourceStatuses: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
    ]);
  });
});
