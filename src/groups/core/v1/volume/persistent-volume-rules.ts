// What may stand in a volume, and what may change.

import { posix } from 'node:path';
import { isSameJson } from '../../../../base/json/json.ts';
import { type Dialect, labelKey } from '../../../../meta/dialect.ts';
import { forbiddenField, invalidValue, notSupported, required, unchanged } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import { checkLabelName, checkSubdomain } from '../../../../meta/names.ts';
import { atScale, compareQuantities, parseQuantity, type Quantity } from '../../../../meta/quantity.ts';
import type { FieldError } from '../../../../meta/status.ts';
import type { Infer } from '../../../../schema/types.ts';
import { inReferenceForm } from '../../../../wording/types/reference-form.ts';
import { changes } from '../../../changes.ts';
import { checked, requiredChecked, type ValidationErrors } from '../../../rules.ts';
import { newerNodeLabel } from '../pod/node-label-warnings.ts';
import { validateNodeSelector } from '../pod/node-selector-rules.ts';
import type { nodeSelectorTerm } from '../selectors.ts';
import { validateAccessModes } from './access-modes.ts';
import { persistentVolumeSourceFields } from './persistent-volume-source.ts';
import type { PersistentVolume } from './persistent-volume-type.ts';
import {
  checkIscsiForm,
  checkPortal,
  type SourceRules,
  validateAzureDisk,
  validateDriverName,
  validateFibreChannel,
  validateFlexVolume,
  validateFlocker,
  validateHostPath,
  validateIscsi,
  validateLocal,
  validateNfs,
  validateOneSource,
  validatePartition,
  validateQuobyte,
  validateSecretRef,
  validateStorageOs,
} from './storage-source-rules.ts';

type VolumeSpec = NonNullable<PersistentVolume['spec']>;
type Source = keyof typeof persistentVolumeSourceFields;

const sourceNames = Object.keys(persistentVolumeSourceFields) as Source[];
const policies = ['Delete', 'Recycle', 'Retain'];
export const volumeModes = ['Block', 'Filesystem'];
const zero = parseQuantity('0') as Quantity;

const mountable: readonly Source[] = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
];

/** Options of mounting were an annotation before they were a field. */
function validateMountAnnotation({ metadata, spec = {} }: PersistentVolume, dialect: Dialect): ValidationErrors {
  const key = `volume.beta.${labelKey(dialect, 'mount-options')}`;
  const isPlain = mountable.every((source) => spec[source] === undefined);
  if (!isPlain || !Object.hasOwn(metadata.annotations ?? {}, key)) return [];
  return [forbiddenField(`metadata.annotations.${key}`, 'may not specify mount options for this volume type')];
}

export function validateVolume(volume: PersistentVolume, dialect: Dialect): ValidationErrors {
  const { metadata, spec = {} } = volume;
  const { iscsi = {} } = spec;
  return [
    ...validateVolumeSpec(spec, 'spec', dialect),
    ...validateMountAnnotation(volume, dialect),
    // compat: a portal that is too long is reported without its capital letter
    ...checkPortal(metadata.name ?? '', iscsi).map((e) =>
      invalidValue('spec.iscsi.targetportal', iscsi.targetPortal ?? '', e),
    ),
  ];
}

function validateVolumeSpec(spec: VolumeSpec, at: string, dialect: Dialect): readonly FieldError[] {
  const { accessModes = [], persistentVolumeReclaimPolicy: policy = '', storageClassName: className = '' } = spec;
  const { volumeMode: mode } = spec;
  return [
    ...validateAccess(accessModes, `${at}.accessModes`),
    ...validateCapacity(spec.capacity ?? null, `${at}.capacity`),
    ...(policy === '' || policies.includes(policy)
      ? []
      : [notSupported(`${at}.persistentVolumeReclaimPolicy`, policy, policies)]),
    ...validateAffinity(spec, `${at}.nodeAffinity`),
    ...validateSources(spec, at, dialect),
    ...(className === '' ? [] : checkSubdomain(className)).map((e) =>
      invalidValue(`${at}.storageClassName`, className, e),
    ),
    ...(mode === undefined || volumeModes.includes(mode) ? [] : [notSupported(`${at}.volumeMode`, mode, volumeModes)]),
    ...validateAttributesClass(spec, at),
  ];
}

const validateAccess = (modes: readonly string[], at: string): ValidationErrors => [
  ...(modes.length === 0 ? [required(at)] : []),
  ...validateAccessModes(modes, at),
];

/** A volume that is described where it is used, and has no life of its own. */
export function validateInlineVolume(spec: VolumeSpec, at: string, dialect: Dialect): ValidationErrors {
  const { claimRef, capacity = {}, csi, accessModes = [], nodeAffinity, storageClassName, volumeMode } = spec;
  const context = 'in the context of inline volumes';
  const never = (field: string, given: boolean) =>
    given ? [forbiddenField(`${at}.${field}`, `may not be specified ${context}`)] : [];
  const { persistentVolumeReclaimPolicy: policy = '' } = spec;
  return [
    ...never('claimRef', claimRef !== undefined),
    ...never('capacity', Object.keys(capacity).length > 0),
    ...(csi === undefined ? [required(`${at}.csi`, `has to be specified ${context}`)] : []),
    ...validateAccess(accessModes, `${at}.accessModes`),
    ...(['', 'Retain'].includes(policy)
      ? []
      : [forbiddenField(`${at}.persistentVolumeReclaimPolicy`, `may only be Retain ${context}`)]),
    ...never('nodeAffinity', nodeAffinity !== undefined),
    ...validateSources(spec, at, dialect),
    ...never('storageClassName', !!storageClassName),
    ...(['Filesystem', undefined].includes(volumeMode)
      ? []
      : [forbiddenField(`${at}.volumeMode`, `may not specify volumeMode other than Filesystem ${context}`)]),
    ...validateAttributesClass(spec, at),
  ];
}

function validateCapacity(capacity: Readonly<Record<string, string>> | null, at: string): readonly FieldError[] {
  const names = Object.keys(capacity ?? {});
  const onlyStorage = names.length === 1 && names[0] === 'storage';
  return [
    ...(names.length === 0 ? [required(at)] : []),
    ...(onlyStorage ? [] : [notSupported(at, capacity, ['storage'])]),
    ...findEach(Object.entries(capacity ?? {}), ([name, amount]) => [
      ...validateBasic(amount, `${at}[${name}]`),
      ...validatePositive(amount, `${at}[${name}]`),
    ]),
  ];
}

/** An amount of nothing or more, in whole units. */
export function validateBasic(amount: string, at: string): ValidationErrors {
  const units = atScale(parseQuantity(amount) ?? zero, 0);
  return units < 0n ? [invalidValue(at, Number(units), 'must be a valid resource quantity')] : [];
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

const sourceOrder: readonly Source[] = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
];

/** Secrets of volumes are somewhere: in a namespace. */
const placed = ['name', 'namespace'] as const;

const rules: SourceRules<VolumeSpec> = {
  hostPath: validateHostPath,
  gcePersistentDisk: validatePartition,
  awsElasticBlockStore: validatePartition,
  glusterfs: ({ endpointsNamespace: namespace }, at) =>
    namespace === undefined ? [] : checked(`${at}.endpointsNamespace`, namespace, checkGivenNamespace),
  flocker: validateFlocker,
  nfs: validateNfs,
  quobyte: validateQuobyte,
  iscsi: (source, at) => [
    ...validateIscsi(source, at, checkIscsiForm),
    ...validateSecretRef(source.secretRef, at, ['name']),
  ],
  cinder: ({ secretRef }, at) => validateSecretRef(secretRef, at, placed),
  fc: validateFibreChannel,
  flexVolume: validateFlexVolume,
  azureFile: ({ secretNamespace }, at) => (secretNamespace === '' ? [required(`${at}.secretNamespace`)] : []),
  azureDisk: validateAzureDisk,
  local: validateLocal,
  storageos: (source, at) => [...validateStorageOs(source, at), ...validateSecretRef(source.secretRef, at, placed)],
  csi: validateCsi,
};

const checkGivenNamespace = (name: string) =>
  name === '' ? ['if the endpointnamespace is set, it must be a valid namespace name'] : checkLabelName(name);

/** Exactly one kind of storage, and what follows from which it is. */
function validateSources(spec: VolumeSpec, at: string, dialect: Dialect): readonly FieldError[] {
  const { hostPath, local, nodeAffinity, persistentVolumeReclaimPolicy: policy } = spec;
  const isLocal = sourceOrder.find((name) => spec[name] !== undefined) === 'local';
  const root = hostPath !== undefined && posix.normalize(hostPath.path ?? '').replace(/(.)\/$/, '$1') === '/';
  return [
    ...validateOneSource(spec, at, { order: sourceOrder, rules, besideOthers: 'flexVolume' }, dialect),
    ...(isLocal && local && nodeAffinity === undefined
      ? [required(`${at}.nodeAffinity`, 'Local volume requires node affinity')]
      : []),
    ...(root && policy === 'Recycle'
      ? [forbiddenField(`${at}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'")]
      : []),
  ];
}

const secretFields = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

function validateCsi(csi: NonNullable<VolumeSpec['csi']>, at: string): ValidationErrors {
  return [
    ...validateDriverName(csi.driver ?? '', `${at}.driver`),
    ...(csi.volumeHandle ? [] : [required(`${at}.volumeHandle`)]),
    ...secretFields.flatMap((field) => {
      const ref = csi[field];
      return ref === undefined ? [] : validateSecret(ref, `${at}.${field}`);
    }),
  ];
}

function validateSecret({ name, namespace }: { name?: string; namespace?: string }, at: string): ValidationErrors {
  return [
    ...requiredChecked(`${at}.name`, name, checkSubdomain),
    ...requiredChecked(`${at}.namespace`, namespace, checkLabelName),
  ];
}

function validateAttributesClass(
  { volumeAttributesClassName: attributes, csi }: VolumeSpec,
  at: string,
): ValidationErrors {
  const field = `${at}.volumeAttributesClassName`;
  const named = attributes === '' ? [required(field, 'an empty string is disallowed')] : [];
  return [
    ...named,
    ...(attributes ? checkSubdomain(attributes).map((e) => invalidValue(field, attributes, e)) : []),
    ...(attributes !== undefined && csi === undefined
      ? [required(`${at}.csi`, 'has to be specified when using volumeAttributesClassName')]
      : []),
  ];
}

const sourceAt = 'spec.persistentvolumesource';
const fixedSource = `${sourceAt} is immutable after creation\n`;

/** The storage itself stays what it is; a secret for expanding it may be added. */
export function validateVolumeUpdate(
  next: PersistentVolume,
  old: PersistentVolume,
  dialect: Dialect,
): ValidationErrors {
  const [spec, was] = [next.spec ?? {}, old.spec ?? {}];
  const errors: FieldError[] = [];
  const [source, before] = [sourceOf(spec, was), sourceOf(was, was)];
  if (!isSameJson(source, before))
    errors.push(forbiddenField(sourceAt, fixedSource + changes('PersistentVolumeSource', before, source)));
  errors.push(...unchanged('volumeMode', spec.volumeMode, was.volumeMode));
  errors.push(...validateAffinityUpdate(spec, was, dialect));
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

/** Where a volume can be reached stays, once it is said; labels of nodes may be called by their newer names. */
function validateAffinityUpdate(
  { nodeAffinity: next }: VolumeSpec,
  was: VolumeSpec,
  dialect: Dialect,
): ValidationErrors {
  const { nodeAffinity: old } = was;
  if (old === undefined || isSameJson(next, old)) return [];
  const terms = (old.required?.nodeSelectorTerms ?? []).map((term, i) =>
    renamed(term, next?.required?.nodeSelectorTerms?.[i] ?? {}, dialect),
  );
  if (isSameJson(next, { ...old, required: { ...old.required, nodeSelectorTerms: terms } })) return [];
  const detail = 'field is immutable, except for updating from beta label to GA';
  return [invalidValue('nodeAffinity', inReferenceForm('VolumeNodeAffinity', next), detail)];
}

type Term = Infer<typeof nodeSelectorTerm>;

function renamed(old: Term, next: Term, dialect: Dialect): Term {
  const matchExpressions = old.matchExpressions?.map((one, i) => {
    const key = next.matchExpressions?.[i]?.key ?? '';
    // compat: a key that has no newer name may be left out
    return (newerNodeLabel(one.key ?? '', dialect) ?? '') === key ? { ...one, key } : one;
  });
  return matchExpressions === undefined ? old : { ...old, matchExpressions };
}
