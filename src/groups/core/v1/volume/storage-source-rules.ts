// What is wrong with a kind of storage: rules that volumes of pods and persistent volumes share.

import { type Dialect, isReservedGroup } from '../../../../meta/dialect.ts';
import { forbiddenField, invalidValue, notSupported, required, tooLong } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import { checkLabelName, checkSubdomain } from '../../../../meta/names.ts';
import { checked, oneOf, type ValidationErrors } from '../../../rules.ts';
import { checkAbsolute, checkNoClimb, checkRelativePath } from './path-rules.ts';

export type SourceRules<T> = {
  readonly [N in keyof T]?: (source: NonNullable<T[N]>, at: string, dialect: Dialect) => ValidationErrors;
};

/** Kinds of storage that there are in one place: which of two is one too many depends on their order. */
interface Sources<T> {
  readonly order: readonly (keyof T & string)[];
  readonly rules: SourceRules<T>;
  /** One that is looked at by itself, whatever stands before it, and not refused. */
  readonly besideOthers?: keyof T & string;
}

/** Fields that a kind of storage cannot do without. */
const needed: Readonly<Record<string, readonly string[]>> = {
  hostPath: ['path'],
  gitRepo: ['repository'],
  gcePersistentDisk: ['pdName'],
  awsElasticBlockStore: ['volumeID'],
  secret: ['secretName'],
  nfs: ['server', 'path'],
  iscsi: ['targetPortal', 'iqn'],
  glusterfs: ['endpoints', 'path'],
  persistentVolumeClaim: ['claimName'],
  rbd: ['monitors', 'image'],
  flexVolume: ['driver'],
  cinder: ['volumeID'],
  cephfs: ['monitors'],
  configMap: ['name'],
  vsphereVolume: ['volumePath'],
  azureDisk: ['diskName', 'diskURI'],
  azureFile: ['secretName', 'shareName'],
  photonPersistentDisk: ['pdID'],
  portworxVolume: ['volumeID'],
  scaleIO: ['gateway', 'system', 'volumeName'],
  storageos: ['volumeName'],
  local: ['path'],
  ephemeral: ['volumeClaimTemplate'],
};

// compat: validation errors inside of a disk of this kind are reported below persistentDisk, not below its own field
const fieldOf = (name: string) => (name === 'gcePersistentDisk' ? 'persistentDisk' : name);

/** Names of two kinds of storage as they stand in the validation error about one kind too many. */
const misspelt: Readonly<Record<string, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };

/** Exactly one kind of storage, the first in order, and that one without fault. */
export function validateOneSource<T extends object>(
  given: T,
  at: string,
  sources: Sources<T>,
  dialect: Dialect,
): ValidationErrors {
  const [first, ...others] = sources.order.filter((name) => given[name] !== undefined);
  if (first === undefined) return [required(at, 'must specify a volume type')];
  const validateSource = (name: typeof first): ValidationErrors => [
    ...validateNeeded(given[name] as object, name, `${at}.${fieldOf(name)}`),
    ...(sources.rules[name]?.(given[name] as NonNullable<T[typeof name]>, `${at}.${fieldOf(name)}`, dialect) ?? []),
  ];
  return [
    ...validateSource(first),
    ...others.flatMap((name) =>
      name === sources.besideOthers
        ? validateSource(name)
        : [forbiddenField(`${at}.${misspelt[name] ?? name}`, 'may not specify more than 1 volume type')],
    ),
  ];
}

function validateNeeded(source: object, name: string, at: string): ValidationErrors {
  const values = source as Readonly<Record<string, unknown>>;
  const isMissing = (value: unknown) => !value || (Array.isArray(value) && value.length === 0);
  return findEach(needed[name] ?? [], (field) => (isMissing(values[field]) ? [required(`${at}.${field}`)] : []));
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

interface Located {
  readonly path?: string;
}

/** Without a path nothing else is looked at. */
export function validateHostPath({ path, type }: Located & { readonly type?: string }, at: string): ValidationErrors {
  if (!path) return [];
  return [
    ...checked(`${at}.path`, path, checkNoClimb),
    ...(type === undefined ? [] : oneOf(`${at}.type`, type, hostPathTypes)),
  ];
}

export const validateLocal = ({ path }: Located, at: string): ValidationErrors =>
  path ? checked(`${at}.path`, path, checkNoClimb) : [];

export const validateGitRepo = ({ directory = '' }: { readonly directory?: string }, at: string): ValidationErrors =>
  checked(`${at}.directory`, directory, checkRelativePath);

/** compat: a path that is missing is no absolute path either */
export const validateNfs = ({ path = '' }: Located, at: string): ValidationErrors =>
  checked(`${at}.path`, path, checkAbsolute);

const validateByte = (value: number | undefined, at: string, from = 0): ValidationErrors =>
  value === undefined || (value >= 0 && value <= 255)
    ? []
    : [invalidValue(at, value, `must be between ${from} and 255, inclusive`)];

export const validatePartition = ({ partition }: { readonly partition?: number }, at: string): ValidationErrors =>
  validateByte(partition, `${at}.partition`, 1);

interface Iscsi {
  readonly targetPortal?: string;
  readonly iqn?: string;
  readonly lun?: number;
  readonly chapAuthDiscovery?: boolean;
  readonly chapAuthSession?: boolean;
  readonly secretRef?: object;
  readonly initiatorName?: string;
}

export function validateIscsi(source: Iscsi, at: string, checkName = checkIscsiName): ValidationErrors {
  const { iqn, lun, chapAuthDiscovery, chapAuthSession, secretRef, initiatorName } = source;
  const needsSecret = (chapAuthDiscovery || chapAuthSession) && secretRef === undefined;
  return [
    ...(iqn ? checked(`${at}.iqn`, iqn, checkName) : []),
    ...validateByte(lun, `${at}.lun`),
    ...(needsSecret ? [required(`${at}.secretRef`)] : []),
    ...(initiatorName === undefined ? [] : checked(`${at}.initiatorname`, initiatorName, checkName)),
  ];
}

const iscsiForms: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([A-Za-z0-9.-]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

function checkIscsiName(name: string): readonly string[] {
  if (iscsiForms[name.slice(0, 3)] === undefined) return ['must be valid format starting with iqn, eui, or naa'];
  return checkIscsiForm(name);
}

/** The same in fewer words. */
export const checkIscsiForm = (name: string): readonly string[] =>
  iscsiForms[name.slice(0, 3)]?.test(name) ? [] : ['must be valid format'];

const longestPortal = 64;
const portalTooLong =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

/** What is wrong with the portal of a volume of that name. */
export function checkPortal(volume: string, iscsi: Pick<Iscsi, 'initiatorName' | 'targetPortal'>): readonly string[] {
  const named = `${volume}:${iscsi.targetPortal ?? ''}`;
  return iscsi.initiatorName !== undefined && named.length > longestPortal ? [portalTooLong] : [];
}

interface FlexVolume {
  readonly options?: Readonly<Record<string, string>>;
}

/** Options below the product's own domains are for the node to add. */
export function validateFlexVolume({ options = {} }: FlexVolume, at: string, dialect: Dialect): ValidationErrors {
  const detail = `${dialect.labelDomain} and ${dialect.apiDomain} namespaces are reserved`;
  return findEach(Object.keys(options), (name) =>
    isReservedGroup(dialect, (name.split('/')[0] as string).toLowerCase())
      ? [invalidValue(`${at}.options[${name}]`, name, detail)]
      : [],
  );
}

interface FibreChannel {
  readonly targetWWNs?: readonly string[];
  readonly wwids?: readonly string[];
  readonly lun?: number;
}

export function validateFibreChannel({ targetWWNs = [], wwids = [], lun }: FibreChannel, at: string): ValidationErrors {
  const field = `${at}.targetWWNs`;
  if (targetWWNs.length === 0)
    return wwids.length > 0 ? [] : [required(field, 'must specify either targetWWNs or wwids, but not both')];
  return [
    ...(wwids.length > 0
      ? [invalidValue(field, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously')]
      : []),
    ...(lun === undefined
      ? [required(`${at}.lun`, 'lun is required if targetWWNs is specified')]
      : validateByte(lun, `${at}.lun`)),
  ];
}

interface Flocker {
  readonly datasetName?: string;
  readonly datasetUUID?: string;
}

export function validateFlocker({ datasetName = '', datasetUUID = '' }: Flocker, at: string): ValidationErrors {
  const both = 'datasetName and datasetUUID can not be specified simultaneously';
  return [
    ...(datasetName === '' && datasetUUID === ''
      ? [required(at, 'one of datasetName and datasetUUID is required')]
      : []),
    ...(datasetName !== '' && datasetUUID !== '' ? [invalidValue(at, 'resource', both)] : []),
    ...(datasetName.includes('/') ? [invalidValue(`${at}.datasetName`, datasetName, "must not contain '/'")] : []),
  ];
}

interface Quobyte {
  readonly registry?: string;
  readonly tenant?: string;
  readonly volume?: string;
}

const longestTenant = 64;

export const validateQuobyte = (source: Quobyte, at: string): ValidationErrors => [
  ...validateRegistry(source, at),
  ...(source.volume ? [] : [required(`${at}.volume`)]),
];

function validateRegistry({ registry, tenant = '' }: Quobyte, at: string): ValidationErrors {
  const advice = 'must be a host:port pair or multiple pairs separated by commas';
  if (!registry) return [required(`${at}.registry`, advice)];
  const detail = `must be a UUID and may not exceed a length of ${longestTenant} characters`;
  if (tenant.length > longestTenant) return [required(`${at}.tenant`, detail)];
  const wrong = registry.split(',').filter((pair) => !/^(\[[^\]]*\]|[^:[\]]*):[^:]*$/.test(pair));
  return wrong.map(() => invalidValue(`${at}.registry`, registry, advice));
}

interface SecretRef {
  readonly name?: string;
  readonly namespace?: string;
}

/** A Secret by name, and by namespace too where the storage belongs to none. */
export function validateSecretRef(ref: SecretRef | undefined, at: string, fields: readonly (keyof SecretRef)[]) {
  if (ref === undefined) return [];
  return fields.filter((field) => !ref[field]).map((field) => required(`${at}.secretRef.${field}`));
}

interface StorageOs {
  readonly volumeName?: string;
  readonly volumeNamespace?: string;
}

export function validateStorageOs({ volumeName, volumeNamespace }: StorageOs, at: string): ValidationErrors {
  return [
    ...(volumeName ? checked(`${at}.volumeName`, volumeName, checkLabelName) : []),
    ...(volumeNamespace ? checked(`${at}.volumeNamespace`, volumeNamespace, checkLabelName) : []),
  ];
}

interface AzureDisk {
  readonly diskURI?: string;
  readonly cachingMode?: string;
  readonly kind?: string;
}

const managedDisk = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

export function validateAzureDisk({ diskURI = '', cachingMode, kind }: AzureDisk, at: string): ValidationErrors {
  const [prefix, form] = kind === 'Managed' ? ['/subscriptions/', managedDisk] : ['https://', blobDisk];
  return [
    ...(cachingMode === undefined ? [] : oneOf(`${at}.cachingMode`, cachingMode, ['None', 'ReadOnly', 'ReadWrite'])),
    ...(kind === undefined ? [] : oneOf(`${at}.kind`, kind, ['Dedicated', 'Managed', 'Shared'])),
    ...(kind === undefined || diskURI.startsWith(prefix) ? [] : [notSupported(`${at}.diskURI`, diskURI, [form])]),
  ];
}

const maxDriverName = 63;

/** Names of CSI drivers: domains, in any case, not too long. */
export function validateDriverName(name: string, at: string): ValidationErrors {
  if (name === '') return [required(at)];
  return [
    ...(name.length > maxDriverName ? [tooLong(at, maxDriverName)] : []),
    ...checkSubdomain(name.toLowerCase()).map((e) => invalidValue(at, name, e)),
  ];
}

interface InlineCsi {
  readonly driver?: string;
  readonly nodePublishSecretRef?: SecretRef;
}

/** compat: a malformed name of the Secret is reported at a field `name` that there is not */
export function validateInlineCsi({ driver = '', nodePublishSecretRef: ref }: InlineCsi, at: string): ValidationErrors {
  const field = `${at}.nodePublishSecretRef.name`;
  return [
    ...validateDriverName(driver, `${at}.driver`),
    ...(ref && !ref.name ? [required(field)] : []),
    ...(ref?.name ? checked(`${at}.name`, ref.name, checkSubdomain) : []),
  ];
}
