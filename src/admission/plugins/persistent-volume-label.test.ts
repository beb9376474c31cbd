// Where volumes are: labels, and affinity to the nodes there.

import { expect, test } from 'vitest';
import { cluster, type Dialect, kubernetes } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import { requestFor } from '../testing.ts';
import { persistentVolumeLabel } from './persistent-volume-label.ts';
import type { LocateVolume } from './volume-places.ts';

const definition = { group: '', plural: 'persistentvolumes', version: 'v1' } as ResourceDefinition;
const zone = 'topology.kubernetes.io/zone';
const region = 'topology.kubernetes.io/region';
const provisioned = { 'pv.kubernetes.io/provisioned-by': 'example.com/disks' };

interface Made extends ApiObject {
  readonly spec: { readonly nodeAffinity?: { readonly required: { readonly nodeSelectorTerms: object[] } } };
}

interface Given {
  readonly annotations?: object;
  readonly dialect?: Dialect;
  readonly locateVolume?: LocateVolume;
}

async function create(labels: Record<string, string>, spec: object, given: Given = {}): Promise<Made> {
  const { annotations = provisioned, dialect = kubernetes, locateVolume } = given;
  const object = { kind: 'PersistentVolume', apiVersion: 'v1', metadata: { name: 'v', labels, annotations }, spec };
  const { mutate } = persistentVolumeLabel({ dialect, settings: { locateVolume } });
  return (await mutate?.(requestFor({ definition, object: object as ApiObject }))) as Made;
}

const at = (key: string, ...values: string[]) => ({ key, operator: 'In', values });

test('a volume that was provisioned is used in its zones only', async () => {
  const made = await create({ [zone]: 'b__a', [region]: 'r' }, { csi: {} });
  const terms = [{ matchExpressions: [at(zone, 'a', 'b'), at(region, 'r')] }];
  expect(made.spec.nodeAffinity).toEqual({ required: { nodeSelectorTerms: terms } });
});

test('the older labels count where the newer ones are not complete', async () => {
  const older = (name: string) => `failure-domain.beta.kubernetes.io/${name}`;
  const made = await create({ [zone]: 'x', [older('zone')]: 'a', [older('region')]: 'r' }, { csi: {} });
  const [term] = made.spec.nodeAffinity?.required.nodeSelectorTerms ?? [];
  expect(term).toEqual({ matchExpressions: [at(older('zone'), 'a'), at(older('region'), 'r')] });
});

test('every term gets the requirements, unless one says something about a zone or region itself', async () => {
  const terms = [{ matchExpressions: [at('disk', 'fast')] }, { matchFields: [at('metadata.name', 'n')] }];
  const spec = (nodeSelectorTerms: object[]) => ({ nodeAffinity: { required: { nodeSelectorTerms } } });
  const labels = { [zone]: 'a', [region]: 'r' };
  const added = [at(zone, 'a'), at(region, 'r')];
  expect((await create(labels, spec(terms))).spec.nodeAffinity?.required.nodeSelectorTerms).toEqual([
    { matchExpressions: [at('disk', 'fast'), ...added] },
    { matchFields: [at('metadata.name', 'n')], matchExpressions: added },
  ]);
  const own = [{ matchExpressions: [at(zone, 'z')] }, {}];
  expect((await create(labels, spec(own))).spec.nodeAffinity?.required.nodeSelectorTerms).toEqual(own);
});

test('labels that a client chose are not trusted', async () => {
  expect((await create({ [zone]: 'a', [region]: 'r' }, { csi: {} }, { annotations: {} })).spec).toEqual({ csi: {} });
  expect((await create({ [zone]: 'a' }, { csi: {} })).spec).toEqual({ csi: {} });
});

test('zones that cannot be distinguished are refused', async () => {
  await expect(create({ [zone]: 'a__', [region]: 'r' }, {})).rejects.toThrow(
    'persistentvolumes "v" is forbidden: failed to convert label string for Zone: a__ to a Set',
  );
});

test.each([
  [{ awsElasticBlockStore: { volumeID: 'd' } }, 'AWS EBS volume d: unable to build AWS cloud provider for EBS'],
  [{ gcePersistentDisk: { pdName: 'd' } }, 'GCE PD volume d: unable to build GCE cloud provider for PD'],
  [{ azureDisk: { diskName: 'd' } }, 'AzureDisk volume d: unable to build Azure cloud provider for AzureDisk'],
  [{ cinder: { volumeID: 'd' } }, 'Cinder volume d: unable to build OpenStack cloud provider for Cinder disk'],
  [{ vsphereVolume: { volumePath: 'd' } }, 'vSphere Volume d: unable to build vSphere cloud provider'],
])('disks that only a cloud knows are refused: %j', async (spec, why) => {
  await expect(create({}, spec)).rejects.toThrow(`persistentvolumes "v" is forbidden: error querying ${why}`);
});

test('a disk that is being made is not looked up', async () => {
  const spec = { gcePersistentDisk: { pdName: 'placeholder-for-provisioning' } };
  expect((await create({}, spec)).spec).toEqual(spec);
});

test('names of another dialect count there', async () => {
  const dialect = cluster({ labelDomain: 'c.example' });
  const labels = { 'topology.c.example/zone': 'a', 'topology.c.example/region': 'r' };
  const made = await create(labels, {}, { annotations: { 'pv.c.example/provisioned-by': 'x' }, dialect });
  expect(made.spec.nodeAffinity).toBeDefined();
});

const aws = (volumeID: string) => ({ awsElasticBlockStore: { volumeID } });
const gce = (pdName: string) => ({ gcePersistentDisk: { pdName } });
const byHand = { annotations: {} };

test.each<[object, Record<string, string>]>([
  [aws('aws://us-east-1a/vol-1'), { [zone]: 'us-east-1a', [region]: 'us-east-1' }],
  [aws('aws://us-west-2-lax-1a/vol-1'), { [zone]: 'us-west-2-lax-1a', [region]: 'us-west-2' }],
  [gce('projects/p/zones/europe-west1-b/disks/d'), { [zone]: 'europe-west1-b', [region]: 'europe-west1' }],
  [gce('projects/p/regions/europe-west1/disks/d'), { [region]: 'europe-west1' }],
])('the id of a disk names its place: %j', async (spec, labels) => {
  const made = await create({ [zone]: 'chosen', own: 'label' }, spec, byHand);
  expect(made.metadata.labels).toEqual({ own: 'label', [zone]: 'chosen', ...labels });
  const expressions = Object.entries(labels).map(([key, value]) => at(key, value));
  const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions: expressions }] } };
  expect(made.spec).toEqual({ ...spec, nodeAffinity });
});

test('an id without a zone names no place', async () => {
  await expect(create({}, aws('aws:///vol-1'), byHand)).rejects.toThrow('unable to build AWS cloud provider for EBS');
  await expect(create({}, aws('aws://moon/vol-1'), byHand)).rejects.toThrow('no region is known of zone moon');
});

test('a program names the place of a disk before its id does, and may know nothing of it', async () => {
  const lookups: unknown[] = [];
  const locateVolume: LocateVolume = ({ source, id, volume }) => {
    lookups.push([source, id, volume.metadata.name]);
    if (id === 'broken') throw new Error('the cloud is away');
    return id.endsWith('vol-1') ? { zones: ['z2', 'z1', 'z2'], region: 'r' } : undefined;
  };
  const made = await create({}, aws('aws://us-east-1a/vol-1'), { ...byHand, locateVolume });
  expect(made.metadata.labels).toEqual({ [zone]: 'z1__z2', [region]: 'r' });
  expect(made.spec.nodeAffinity?.required.nodeSelectorTerms).toEqual([
    { matchExpressions: [at(zone, 'z1', 'z2'), at(region, 'r')] },
  ]);
  const other = await create({}, aws('aws://us-east-1a/vol-2'), { ...byHand, locateVolume });
  expect(other.metadata.labels).toMatchObject({ [zone]: 'us-east-1a' });
  const refused = (spec: object) => expect(create({}, spec, { ...byHand, locateVolume })).rejects;
  await refused(gce('d')).toThrow('error querying GCE PD volume d: the cloud configuration has no zone of it');
  await refused(gce('broken')).toThrow('error querying GCE PD volume broken: the cloud is away');
  expect(lookups[0]).toEqual(['awsElasticBlockStore', 'aws://us-east-1a/vol-1', 'v']);
  // volumes of no cloud are not looked up
  await create({}, { nfs: { server: 's' } }, { ...byHand, locateVolume });
  expect(lookups).toHaveLength(4);
});
