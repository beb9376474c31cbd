// What may stand in a volume, and what may change.

import { isDeepStrictEqual } from 'node:util';
import {
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
  unchanged,
} from '../../../meta/field-errors.ts';
import { checkLabelName, checkSubdomain } from '../../../meta/names.ts';
import { compareQuantities, parseQuantity, type Quantity } from '../../../meta/quantity.ts';
import type { FieldError } from '../../../meta/status.ts';
import { validateAccessModes } from './access-modes.ts';
import { validateNodeSelector } from './node-selector-rules.ts';
import type { PersistentVolume } from './persistent-volume.ts';
import { persistentVolumeSourceFields } from './persistent-volume-source.ts';

export type VolumeSpec = NonNullable<PersistentVolume['spec']>;
type Source = keyof typeof persistentVolumeSourceFields;

const sourceNames = Object.keys(persistentVolumeSourceFields) as Source[];
const policies = ['Delete', 'Recycle', 'Retain'];
export const volumeModes = ['Block', 'Filesystem'];
const zero = parseQuantity('0') as Quantity;

export function validateVolumeSpec(spec: VolumeSpec, at = 'spec'): readonly FieldError[] {
  const { accessModes = [], persistentVolumeReclaimPolicy: policy = '', storageClassName: className = '' } = spec;
  return [
    ...(accessModes.length === 0 ? [required(`${at}.accessModes`)] : []),
    ...validateAccessModes(accessModes, `${at}.accessModes`),
    ...validateCapacity(spec.capacity ?? {}, `${at}.capacity`),
    ...(policy === '' || policies.includes(policy)
      ? []
      : [notSupported(`${at}.persistentVolumeReclaimPolicy`, policy, policies)]),
    ...validateAffinity(spec, `${at}.nodeAffinity`),
    ...validateSources(spec, at),
    ...(className === '' ? [] : checkSubdomain(className)).map((e) =>
      invalidValue(`${at}.storageClassName`, className, e),
    ),
    ...validateModes(spec, at),
  ];
}

function validateCapacity(capacity: Readonly<Record<string, string>>, at: string): readonly FieldError[] {
  const names = Object.keys(capacity);
  const onlyStorage = names.length === 1 && names[0] === 'storage';
  return [
    ...(names.length === 0 ? [required(at)] : []),
    ...(onlyStorage ? [] : [notSupported(at, capacity, ['storage'])]),
    ...Object.entries(capacity).flatMap(([name, amount]) => validatePositive(amount, `${at}[${name}]`)),
  ];
}

/** An amount of more than nothing. */
export function validatePositive(amount: string, at: string): readonly FieldError[] {
  const quantity = parseQuantity(amount) ?? zero;
  return compareQuantities(quantity, zero) > 0 ? [] : [invalidValue(at, amount, 'must be greater than zero')];
}

function validateAffinity({ nodeAffinity }: VolumeSpec, at: string): readonly FieldError[] {
  if (nodeAffinity === undefined) return [];
  if (nodeAffinity.required === undefined)
    return [required(`${at}.required`, 'must specify required node constraints')];
  return validateNodeSelector(nodeAffinity.required, `${at}.required`);
}

/** Exactly one kind of storage, and what it needs to be found. */
function validateSources(spec: VolumeSpec, at: string): readonly FieldError[] {
  const used = sourceNames.filter((name) => spec[name] !== undefined);
  const [first, ...more] = used;
  if (first === undefined) return [required(at, 'must specify a volume type')];
  const recycled = spec.persistentVolumeReclaimPolicy === 'Recycle' && /^[./]*$/.test(spec.hostPath?.path ?? 'x');
  return [
    ...validateSource(first, spec, `${at}.${first}`),
    ...more.map((name) => forbiddenField(`${at}.${name}`, 'may not specify more than 1 volume type')),
    ...(recycled
      ? [forbiddenField(`${at}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'")]
      : []),
  ];
}

/** Fields that each kind of storage cannot do without. */
const needed: Readonly<Partial<Record<Source, readonly string[]>>> = {
  hostPath: ['path'],
  gcePersistentDisk: ['pdName'],
  awsElasticBlockStore: ['volumeID'],
  glusterfs: ['endpoints', 'path'],
  nfs: ['server', 'path'],
  rbd: ['monitors', 'image'],
  iscsi: ['targetPortal', 'iqn'],
  cinder: ['volumeID'],
  cephfs: ['monitors'],
  flexVolume: ['driver'],
  azureFile: ['secretName', 'shareName'],
  vsphereVolume: ['volumePath'],
  azureDisk: ['diskName', 'diskURI'],
  photonPersistentDisk: ['pdID'],
  portworxVolume: ['volumeID'],
  scaleIO: ['gateway', 'system', 'volumeName'],
  local: ['path'],
  storageos: ['volumeName'],
  csi: ['volumeHandle'],
};

const isMissing = (value: unknown) => !value || (Array.isArray(value) && value.length === 0);

function validateSource(name: Source, spec: VolumeSpec, at: string): readonly FieldError[] {
  const source = spec[name] as Readonly<Record<string, unknown>>;
  const missing = (needed[name] ?? []).filter((field) => isMissing(source[field]));
  return [
    ...missing.map((field) => required(`${at}.${field}`)),
    ...pathFindings(name, source, at),
    ...(name === 'csi' ? validateCsi(spec.csi ?? {}, at) : []),
    ...(name === 'local' && spec.nodeAffinity === undefined
      ? [required(at.replace(/local$/, 'nodeAffinity'), 'Local volume requires node affinity')]
      : []),
  ];
}

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function pathFindings(name: Source, source: Readonly<Record<string, unknown>>, at: string): readonly FieldError[] {
  const path = String(source['path'] ?? '');
  const climbs = (name === 'hostPath' || name === 'local') && path.split('/').includes('..');
  const relative = name === 'nfs' && path !== '' && !path.startsWith('/');
  const type = source['type'];
  const odd = name === 'hostPath' && typeof type === 'string' && !hostPathTypes.includes(type);
  return [
    ...(climbs ? [invalidValue(`${at}.path`, path, "must not contain '..'")] : []),
    ...(relative ? [invalidValue(`${at}.path`, path, 'must be an absolute path')] : []),
    ...(odd ? [notSupported(`${at}.type`, type, hostPathTypes.slice(1))] : []),
  ];
}

const secretFields = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

function validateCsi(csi: NonNullable<VolumeSpec['csi']>, at: string): readonly FieldError[] {
  return [
    ...validateDriverName(csi.driver ?? '', `${at}.driver`),
    ...secretFields.flatMap((field) => {
      const ref = csi[field];
      return ref === undefined ? [] : validateSecret(ref, `${at}.${field}`);
    }),
  ];
}

function validateSecret({ name = '', namespace = '' }: { name?: string; namespace?: string }, at: string) {
  return [
    ...(name === '' ? [required(`${at}.name`)] : checkSubdomain(name).map((e) => invalidValue(`${at}.name`, name, e))),
    ...(namespace === ''
      ? [required(`${at}.namespace`)]
      : checkLabelName(namespace).map((e) => invalidValue(`${at}.namespace`, namespace, e))),
  ];
}

const maxDriverName = 63;

/** Names of CSI drivers: domains, in any case, not too long. */
export function validateDriverName(name: string, at: string): readonly FieldError[] {
  return [
    ...(name === '' ? [required(at)] : []),
    ...(name.length > maxDriverName ? [tooLong(at, maxDriverName)] : []),
    ...checkSubdomain(name.toLowerCase()).map((e) => invalidValue(at, name, e)),
  ];
}

function validateModes({ volumeMode: mode, volumeAttributesClassName: attributes, csi }: VolumeSpec, at: string) {
  const field = `${at}.volumeAttributesClassName`;
  const named = attributes === '' ? [required(field, 'an empty string is disallowed')] : [];
  return [
    ...(mode === undefined || volumeModes.includes(mode) ? [] : [notSupported(`${at}.volumeMode`, mode, volumeModes)]),
    ...named,
    ...(attributes ? checkSubdomain(attributes).map((e) => invalidValue(field, attributes, e)) : []),
    ...(attributes !== undefined && csi === undefined
      ? [required(`${at}.csi`, 'has to be specified when using volumeAttributesClassName')]
      : []),
  ];
}

/** The storage itself stays what it is; a secret for expanding it may be added. */
export function validateVolumeUpdate(next: PersistentVolume, old: PersistentVolume): readonly FieldError[] {
  const [spec, was] = [next.spec ?? {}, old.spec ?? {}];
  const errors: FieldError[] = [];
  if (!isDeepStrictEqual(sourceOf(spec, was), sourceOf(was, was)))
    errors.push(
      forbiddenField('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation'),
    );
  errors.push(...unchanged('volumeMode', spec.volumeMode, was.volumeMode));
  if (was.nodeAffinity !== undefined && !isDeepStrictEqual(spec.nodeAffinity, was.nodeAffinity)) {
    const detail = 'field is immutable, except for updating from beta label to GA';
    errors.push(invalidValue('nodeAffinity', spec.nodeAffinity ?? null, detail));
  }
  if (was.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined)
    errors.push(forbiddenField('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden'));
  return errors;
}

function sourceOf(spec: VolumeSpec, was: VolumeSpec): object {
  const found = Object.fromEntries(
    sourceNames.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]])),
  );
  if (spec.csi === undefined || was.csi === undefined || was.csi.controllerExpandSecretRef !== undefined) return found;
  const { controllerExpandSecretRef: _, ...csi } = spec.csi;
  return { ...found, csi };
}
