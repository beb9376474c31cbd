import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import type { KindDefinition } from '../../../schema/resource.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { rulesOf } from '../../../testing/kind-rules.ts';
import { endpointSlice } from '../../discovery/v1/endpoint-slice.ts';
import { csiDriver } from './csi-driver.ts';
import { csiNode } from './csi-node.ts';
import { csiStorageCapacity } from './csi-storage-capacity.ts';
import { storageClass } from './storage-class.ts';
import { volumeAttachment } from './volume-attachment.ts';
import { volumeAttributesClass } from './volume-attributes-class.ts';

const context = { dialect: kubernetes, clock: new FakeClock() };
const attachment = { attacher: 'd.example', nodeName: 'n', source: { persistentVolumeName: 'v' } };
const inline = { accessModes: ['ReadWriteOnce'], csi: { driver: 'd.example', volumeHandle: 'h' } };
const driver = { name: 'd.example', nodeID: 'i' };

test.each<[string, KindDefinition, object, string[]]>([
  ['a class', storageClass, { provisioner: 'd.example' }, []],
  ['a class without a provisioner', storageClass, {}, ['Required provisioner']],
  [
    'a class that recycles',
    storageClass,
    { provisioner: 'a', reclaimPolicy: 'Recycle' },
    ['NotSupported reclaimPolicy'],
  ],
  ['a class of no policy', storageClass, { provisioner: 'a', reclaimPolicy: '' }, []],
  [
    'a class that binds oddly',
    storageClass,
    { provisioner: 'a', volumeBindingMode: 'Odd' },
    ['NotSupported volumeBindingMode'],
  ],
  [
    'a class of no zone',
    storageClass,
    { provisioner: 'a', allowedTopologies: [{ matchLabelExpressions: [{ key: 'z' }] }] },
    ['Required allowedTopologies[0].matchLabelExpressions[0].values'],
  ],
  ['a driver', csiDriver, { spec: {} }, []],
  ['a driver with an odd policy', csiDriver, { spec: { fsGroupPolicy: 'Odd' } }, ['NotSupported spec.fsGroupPolicy']],
  [
    'a driver with short tokens',
    csiDriver,
    { spec: { tokenRequests: [{ audience: 'a', expirationSeconds: 60 }] } },
    ['Invalid spec.tokenRequests[0].expirationSeconds'],
  ],
  [
    'a driver with a token twice',
    csiDriver,
    { spec: { tokenRequests: [{ audience: 'a' }, { audience: 'a' }] } },
    ['Duplicate spec.tokenRequests[1].audience'],
  ],
  ['a node', csiNode, { spec: { drivers: [driver] } }, []],
  ['a node with a driver twice', csiNode, { spec: { drivers: [driver, driver] } }, ['Duplicate spec.drivers[1].name']],
  ['a node without an id', csiNode, { spec: { drivers: [{ name: 'd' }] } }, ['Required spec.drivers[0].nodeID']],
  [
    'a node with odd topology keys',
    csiNode,
    { spec: { drivers: [{ ...driver, topologyKeys: ['a', 'a', ''] }] } },
    ['Duplicate spec.drivers[0]', 'Required spec.drivers[0]', 'Invalid spec.drivers[0]', 'Invalid spec.drivers[0]'],
  ],
  ['a node with a long id', csiNode, { spec: { drivers: [{ ...driver, nodeID: 'i'.repeat(256) }] } }, []],
  ['what is free', csiStorageCapacity, { storageClassName: 'a', capacity: '1Gi' }, []],
  [
    'less than nothing free',
    csiStorageCapacity,
    { storageClassName: 'a', capacity: '-1', maximumVolumeSize: '-1' },
    ['Invalid capacity'],
  ],
  ['an attachment', volumeAttachment, { spec: attachment }, []],
  ['an attachment of nothing', volumeAttachment, { spec: { ...attachment, source: {} } }, ['Required spec.source']],
  [
    'an attachment of an unnamed volume',
    volumeAttachment,
    { spec: { ...attachment, source: { persistentVolumeName: '' } } },
    ['Required spec.source.persistentVolumeName', 'Invalid spec.source.persistentVolumeName'],
  ],
  [
    'an attachment of two volumes',
    volumeAttachment,
    { spec: { ...attachment, source: { persistentVolumeName: 'v', inlineVolumeSpec: {} } } },
    ['Forbidden spec.source'],
  ],
  [
    'an attachment of a volume described in place',
    volumeAttachment,
    { spec: { ...attachment, source: { inlineVolumeSpec: inline } } },
    [],
  ],
  [
    'an attachment of what only its own volume can be',
    volumeAttachment,
    {
      spec: {
        ...attachment,
        source: {
          inlineVolumeSpec: {
            ...{ claimRef: { name: 'c' }, capacity: { storage: '1' }, hostPath: { path: '/a' }, nodeAffinity: {} },
            ...{ persistentVolumeReclaimPolicy: 'Delete', storageClassName: 'c', volumeMode: 'Block' },
          },
        },
      },
    },
    [
      'Forbidden spec.source.inlineVolumeSpec.claimRef',
      'Forbidden spec.source.inlineVolumeSpec.capacity',
      'Required spec.source.inlineVolumeSpec.csi',
      'Required spec.source.inlineVolumeSpec.accessModes',
      'Forbidden spec.source.inlineVolumeSpec.persistentVolumeReclaimPolicy',
      'Forbidden spec.source.inlineVolumeSpec.nodeAffinity',
      'Forbidden spec.source.inlineVolumeSpec.storageClassName',
      'Forbidden spec.source.inlineVolumeSpec.volumeMode',
    ],
  ],
  ['attributes', volumeAttributesClass, { driverName: 'd.example', parameters: { a: 'b' } }, []],
  ['attributes of a class', volumeAttributesClass, { driverName: 'd.example/Class', parameters: { a: 'b' } }, []],
  ['no attributes', volumeAttributesClass, { driverName: 'd.example' }, ['Required parameters']],
])('%s', (_, kind, fields, expected) => {
  expect(rulesOf(kind).create(fields)).toEqual(expected);
});

test.each<[string, KindDefinition, object, object, string[]]>([
  [
    'a class',
    storageClass,
    { provisioner: 'a', parameters: { a: '1' } },
    { provisioner: 'b' },
    ['Invalid parameters', 'Invalid provisioner'],
  ],
  [
    'the way to bind',
    storageClass,
    { provisioner: 'a', volumeBindingMode: 'WaitForFirstConsumer' },
    { provisioner: 'a' },
    ['Invalid volumeBindingMode'],
  ],
  ['a driver', csiDriver, { spec: { attachRequired: false } }, { spec: {} }, ['Invalid spec.attachedRequired']],
  [
    'a node',
    csiNode,
    { spec: { drivers: [{ ...driver, nodeID: 'j' }] } },
    { spec: { drivers: [driver] } },
    ['Invalid spec.drivers'],
  ],
  [
    'the number of volumes',
    csiNode,
    { spec: { drivers: [{ ...driver, allocatable: { count: 2 } }] } },
    { spec: { drivers: [driver] } },
    [],
  ],
  [
    'an attachment to a malformed node',
    volumeAttachment,
    { spec: { ...attachment, nodeName: '' } },
    { spec: attachment },
    ['Invalid spec.nodeName', 'Invalid spec'],
  ],
  [
    'an attachment',
    volumeAttachment,
    { spec: { ...attachment, nodeName: 'm' } },
    { spec: attachment },
    ['Invalid spec'],
  ],
  [
    'attributes',
    volumeAttributesClass,
    { driverName: 'd', parameters: { a: '2' } },
    { driverName: 'd', parameters: { a: '1' } },
    ['Forbidden parameters'],
  ],
  [
    'the class of what is free',
    csiStorageCapacity,
    { storageClassName: 'b' },
    { storageClassName: 'a' },
    ['Invalid storageClassName'],
  ],
])('a change of %s', (_, kind, next, old, expected) => {
  expect(rulesOf(kind).update(next, old)).toEqual(expected);
});

test('a failure to attach is reported in few words', () => {
  const [part] = volumeAttachment.subresources ?? [];
  expect(part).toMatchObject({ name: 'status', validatesWhole: true });
  const attachError = { message: 'x'.repeat(1025), errorCode: -1 };
  const reported = {
    kind: 'VolumeAttachment',
    apiVersion: 'v1',
    metadata: { name: 'x' },
    spec: attachment,
    status: { attachError },
  };
  const found = volumeAttachment.strategy?.validate?.(reported, context);
  expect(found?.map(({ field }) => field)).toEqual(['status.attachError.message', 'status.attachError.errorCode']);
});

describe('tables', () => {
  test('mark the default class', () => {
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    expect(rulesOf(storageClass).cells({ metadata: { name: 'fast', annotations }, provisioner: 'd' })).toMatchObject({
      Name: 'fast (default)',
      Provisioner: 'd',
      ReclaimPolicy: 'Delete',
      VolumeBindingMode: 'Immediate',
      AllowVolumeExpansion: false,
    });
  });

  test('show what a driver does', () => {
    expect(rulesOf(csiDriver).cells({ spec: { tokenRequests: [{ audience: 'a' }] } })).toMatchObject({
      AttachRequired: true,
      PodInfoOnMount: false,
      StorageCapacity: false,
      TokenRequests: 'a',
      RequiresRepublish: false,
      Modes: 'Persistent',
    });
  });
});

describe('a slice of endpoints', () => {
  const rules = rulesOf(endpointSlice);
  const slice = (fields: object) => ({
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.1'] }],
    ports: [],
    ...fields,
  });
  const addresses = (...list: string[]) => ({ endpoints: [{ addresses: list }] });

  test.each<[string, object, string[]]>([
    ['an address', slice({}), []],
    ['no type', slice({ addressType: '' }), ['Required addressType']],
    ['an odd type', slice({ addressType: 'IP' }), ['NotSupported addressType']],
    ['no address', slice(addresses()), ['Required endpoints[0].addresses']],
    ['an address of the other family', slice(addresses('fd00::1')), ['Invalid endpoints[0].addresses']],
    ['a local address', slice(addresses('127.0.0.1')), ['Invalid endpoints[0].addresses[0]']],
    ['a name', slice({ addressType: 'FQDN', ...addresses('a.example') }), []],
    ['a port twice', slice({ ports: [{ port: 1 }, { port: 2 }] }), ['Duplicate ports[1].name']],
    ['an odd protocol', slice({ ports: [{ protocol: 'ICMP' }] }), ['NotSupported ports[0].protocol']],
    [
      'too many',
      slice({ endpoints: Array.from({ length: 1001 }, () => ({ addresses: ['192.0.2.1'] })) }),
      ['TooMany endpoints'],
    ],
  ])('with %s', (_, fields, expected) => {
    expect(rules.create(fields)).toEqual(expected);
  });

  test('shows three ports and addresses', () => {
    const ports = [{ port: 80 }, { name: 'b' }];
    expect(rules.cells(slice({ ports }))).toMatchObject({ Ports: '80,b', Endpoints: '192.0.2.1' });
    expect(rules.cells(slice({ endpoints: [] }))).toMatchObject({ Ports: '<unset>', Endpoints: '<unset>' });
  });
});
