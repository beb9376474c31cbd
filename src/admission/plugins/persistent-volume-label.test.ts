// Where volumes are: labels, and affinity to the nodes there.

import { expect, test } from 'vitest';
import { cluster, kubernetes } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import { requestFor } from '../testing.ts';
import { persistentVolumeLabel } from './persistent-volume-label.ts';

const definition = { group: '', plural: 'persistentvolumes', version: 'v1' } as ResourceDefinition;
const zone = 'topology.kubernetes.io/zone';
const region = 'topology.kubernetes.io/region';
const provisioned = { 'pv.kubernetes.io/provisioned-by': 'example.com/disks' };

function create(labels: Record<string, string>, spec: object, annotations: object = provisioned, dialect = kubernetes) {
  const object = { kind: 'PersistentVolume', apiVersion: 'v1', metadata: { name: 'v', labels, annotations }, spec };
  return persistentVolumeLabel({ dialect }).mutate?.(
    requestFor({ definition, object: object as ApiObject }),
  ) as ApiObject & { spec: { nodeAffinity?: { required: { nodeSelectorTerms: object[] } } } };
}

const at = (key: string, ...values: string[]) => ({ key, operator: 'In', values });

test('a volume that was provisioned is used in its zones only', () => {
  const made = create({ [zone]: 'b__a', [region]: 'r' }, { csi: {} });
  const terms = [{ matchExpressions: [at(zone, 'a', 'b'), at(region, 'r')] }];
  expect(made.spec.nodeAffinity).toEqual({ required: { nodeSelectorTerms: terms } });
});

test('the older labels count where the newer ones are not complete', () => {
  const older = (name: string) => `failure-domain.beta.kubernetes.io/${name}`;
  const made = create({ [zone]: 'x', [older('zone')]: 'a', [older('region')]: 'r' }, { csi: {} });
  const [term] = made.spec.nodeAffinity?.required.nodeSelectorTerms ?? [];
  expect(term).toEqual({ matchExpressions: [at(older('zone'), 'a'), at(older('region'), 'r')] });
});

test('every term gets the requirements, unless one says something about a zone or region itself', () => {
  const terms = [{ matchExpressions: [at('disk', 'fast')] }, { matchFields: [at('metadata.name', 'n')] }];
  const spec = (nodeSelectorTerms: object[]) => ({ nodeAffinity: { required: { nodeSelectorTerms } } });
  const labels = { [zone]: 'a', [region]: 'r' };
  const added = [at(zone, 'a'), at(region, 'r')];
  expect(create(labels, spec(terms)).spec.nodeAffinity?.required.nodeSelectorTerms).toEqual([
    { matchExpressions: [at('disk', 'fast'), ...added] },
    { matchFields: [at('metadata.name', 'n')], matchExpressions: added },
  ]);
  const own = [{ matchExpressions: [at(zone, 'z')] }, {}];
  expect(create(labels, spec(own)).spec.nodeAffinity?.required.nodeSelectorTerms).toEqual(own);
});

test('labels that a client chose are not believed', () => {
  expect(create({ [zone]: 'a', [region]: 'r' }, { csi: {} }, {}).spec).toEqual({ csi: {} });
  expect(create({ [zone]: 'a' }, { csi: {} }).spec).toEqual({ csi: {} });
});

test('zones that cannot be told apart are refused', () => {
  expect(() => create({ [zone]: 'a__', [region]: 'r' }, {})).toThrow(
    'persistentvolumes "v" is forbidden: failed to convert label string for Zone: a__ to a Set',
  );
});

test.each([
  [{ awsElasticBlockStore: { volumeID: 'd' } }, 'AWS EBS volume d: unable to build AWS cloud provider for EBS'],
  [{ gcePersistentDisk: { pdName: 'd' } }, 'GCE PD volume d: unable to build GCE cloud provider for PD'],
  [{ azureDisk: { diskName: 'd' } }, 'AzureDisk volume d: unable to build Azure cloud provider for AzureDisk'],
  [{ cinder: { volumeID: 'd' } }, 'Cinder volume d: unable to build OpenStack cloud provider for Cinder disk'],
  [{ vsphereVolume: { volumePath: 'd' } }, 'vSphere Volume d: unable to build vSphere cloud provider'],
])('disks that only a cloud knows are refused: %j', (spec, why) => {
  expect(() => create({}, spec)).toThrow(`persistentvolumes "v" is forbidden: error querying ${why}`);
});

test('a disk that is being made is not asked for', () => {
  const spec = { gcePersistentDisk: { pdName: 'placeholder-for-provisioning' } };
  expect(create({}, spec).spec).toEqual(spec);
});

test('names of another dialect count there', () => {
  const dialect = cluster({ labelDomain: 'c.example' });
  const labels = { 'topology.c.example/zone': 'a', 'topology.c.example/region': 'r' };
  const made = create(labels, {}, { 'pv.c.example/provisioned-by': 'x' }, dialect);
  expect(made.spec.nodeAffinity).toBeDefined();
});
