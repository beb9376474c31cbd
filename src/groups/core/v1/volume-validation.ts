// What is wrong with the volumes of a pod.

import { duplicate, forbiddenField, invalidValue, required } from '../../../meta/field-errors.ts';
import { checkConfigKey, checkLabelName, checkSubdomain } from '../../../meta/names.ts';
import { parseQuantity } from '../../../meta/quantity.ts';
import type { FieldError } from '../../../meta/status.ts';
import type { Infer } from '../../../schema/types.ts';
import { checked, type Findings, oneOf, requiredChecked } from '../../rules.ts';
import { validateFieldRef, validateResourceRef } from './downward-validation.ts';
import { checkAbsolute, checkFilePath, checkNoClimb, checkRelativePath } from './path-rules.ts';
import type { downwardAPIVolumeFile, keyToPath, projectedVolumeSource, volumeProjection } from './projected-volume.ts';
import type { Volume } from './volume-defaults.ts';

type KeyToPath = Infer<typeof keyToPath>;
type DownwardFile = Infer<typeof downwardAPIVolumeFile>;
type Projected = Infer<typeof projectedVolumeSource>;
type Projection = Infer<typeof volumeProjection>;
type SourceName = Exclude<keyof Volume, 'name'>;
type Source<N extends SourceName> = NonNullable<Volume[N]>;
type Rules = { readonly [N in SourceName]?: (source: Source<N>, at: string) => Findings };

export function validateVolumes(volumes: readonly Volume[], at: string): Findings {
  const names = new Set<string>();
  return volumes.flatMap((volume, i) => {
    const { name = '' } = volume;
    const wrong = requiredChecked(`${at}[${i}].name`, name, checkLabelName);
    const repeated = wrong.length === 0 && names.has(name);
    names.add(name);
    return [
      ...validateSource(volume, `${at}[${i}]`),
      ...wrong,
      ...(repeated ? [duplicate(`${at}[${i}].name`, name)] : []),
    ];
  });
}

/** Exactly one source, and that one in order. */
function validateSource(volume: Volume, at: string): Findings {
  const { name: _, ...sources } = volume;
  const given = Object.entries(sources).filter(([, source]) => source !== undefined);
  const [first, ...others] = given;
  if (first === undefined) return [required(at, 'must specify a volume type')];
  const [name, source] = first as [SourceName, object];
  return [
    ...requiredFields(name, source, `${at}.${name}`),
    ...((rules[name] as ((source: object, at: string) => Findings) | undefined)?.(source, `${at}.${name}`) ?? []),
    ...others.map(([other]) => forbiddenField(`${at}.${other}`, 'may not specify more than 1 volume type')),
  ];
}

/** Fields that a source cannot do without. */
const needed: Readonly<Partial<Record<SourceName, readonly string[]>>> = {
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
  quobyte: ['registry', 'volume'],
  azureDisk: ['diskName', 'diskURI'],
  azureFile: ['secretName', 'shareName'],
  photonPersistentDisk: ['pdID'],
  portworxVolume: ['volumeID'],
  scaleIO: ['gateway', 'system', 'volumeName'],
  csi: ['driver'],
  ephemeral: ['volumeClaimTemplate'],
};

function requiredFields(name: SourceName, source: object, at: string): Findings {
  const given = source as Readonly<Record<string, unknown>>;
  const isMissing = (value: unknown) => !value || (Array.isArray(value) && value.length === 0);
  return (needed[name] ?? []).filter((field) => isMissing(given[field])).map((field) => required(`${at}.${field}`));
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

const rules: Rules = {
  emptyDir({ sizeLimit }, at) {
    const negative = sizeLimit !== undefined && (parseQuantity(sizeLimit)?.digits ?? 0n) < 0n;
    const detail = 'SizeLimit field must be a valid resource quantity';
    return negative ? [forbiddenField(`${at}.sizeLimit`, detail)] : [];
  },
  hostPath: ({ path = '', type }, at) => [
    ...checked(`${at}.path`, path, checkNoClimb),
    ...(type === undefined ? [] : oneOf(`${at}.type`, type, hostPathTypes)),
  ],
  gitRepo: ({ directory }, at) => (directory ? checked(`${at}.directory`, directory, checkRelativePath) : []),
  gcePersistentDisk: ({ partition }, at) => validateByte(partition, `${at}.partition`),
  awsElasticBlockStore: ({ partition }, at) => validateByte(partition, `${at}.partition`),
  iscsi: ({ lun }, at) => validateByte(lun, `${at}.lun`),
  nfs: ({ path }, at) => (path ? checked(`${at}.path`, path, checkAbsolute) : []),
  secret: (source, at) => validateKeyed(source, at),
  configMap: (source, at) => validateKeyed(source, at),
  downwardAPI: (source, at) => [
    ...validateMode(source.defaultMode, `${at}.defaultMode`),
    ...(source.items ?? []).flatMap((item) => validateDownwardFile(item, at)),
  ],
  fc: ({ targetWWNs = [], wwids = [], lun }, at) => [
    ...(targetWWNs.length === 0 && wwids.length === 0
      ? [required(`${at}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both')]
      : []),
    ...(targetWWNs.length > 0 && wwids.length > 0
      ? [invalidValue(`${at}.targetWWNs`, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously')]
      : []),
    ...(targetWWNs.length > 0 && lun === undefined
      ? [required(`${at}.lun`, 'lun is required if targetWWNs is specified')]
      : []),
    ...validateByte(lun, `${at}.lun`),
  ],
  flocker({ datasetName, datasetUUID }, at) {
    if (datasetName && datasetUUID)
      return [invalidValue(at, 'resource', 'can not specify datasetName and datasetUUID simultaneously')];
    if (!datasetName && !datasetUUID) return [required(at, 'one of datasetName and datasetUUID is required')];
    return datasetName?.includes('/') ? [invalidValue(`${at}.datasetName`, datasetName, "must not contain '/'")] : [];
  },
  projected: (source, at) => validateProjected(source, at),
  csi: ({ driver }, at) => (driver ? checked(`${at}.driver`, driver, checkDriver) : []),
  ephemeral: ({ volumeClaimTemplate: template }, at) =>
    template ? validateClaimTemplate(template, `${at}.volumeClaimTemplate`) : [],
  image: ({ pullPolicy }, at) =>
    pullPolicy ? oneOf(`${at}.pullPolicy`, pullPolicy, ['Always', 'IfNotPresent', 'Never']) : [],
};

const checkDriver = (name: string) => [
  ...(name.length > 63 ? ['must be no more than 63 bytes'] : []),
  ...checkSubdomain(name.toLowerCase()),
];

const validateByte = (value: number | undefined, at: string): Findings =>
  value === undefined || (value >= 0 && value <= 255)
    ? []
    : [invalidValue(at, value, 'must be between 0 and 255, inclusive')];

function validateMode(mode: number | undefined, at: string): Findings {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [invalidValue(at, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

interface Keyed {
  readonly items?: readonly KeyToPath[];
  readonly defaultMode?: number;
}

function validateKeyed({ items = [], defaultMode }: Keyed, at: string): Findings {
  return [
    ...validateMode(defaultMode, `${at}.defaultMode`),
    ...items.flatMap((item, i) => validateKeyToPath(item, `${at}.items[${i}]`)),
  ];
}

function validateKeyToPath({ key, path, mode }: KeyToPath, at: string): Findings {
  return [
    ...requiredChecked(`${at}.key`, key, checkConfigKey),
    ...requiredChecked(`${at}.path`, path, checkFilePath),
    ...validateMode(mode, `${at}.mode`),
  ];
}

function validateDownwardFile({ path, fieldRef, resourceFieldRef, mode }: DownwardFile, at: string): Findings {
  const errors: FieldError[] = [...requiredChecked(`${at}.path`, path, checkFilePath)];
  if (fieldRef) {
    errors.push(...validateFieldRef(fieldRef, `${at}.fieldRef`, 'file'));
    if (resourceFieldRef) {
      const detail = 'fieldRef and resourceFieldRef can not be specified simultaneously';
      errors.push(invalidValue(at, 'resource', detail));
    }
  } else if (resourceFieldRef) {
    errors.push(...validateResourceRef(resourceFieldRef, `${at}.resourceFieldRef`, true));
  } else errors.push(required(at, 'one of fieldRef and resourceFieldRef is required'));
  return [...errors, ...validateMode(mode, `${at}.mode`)];
}

function validateProjected({ sources, defaultMode }: Projected, at: string): Findings {
  return [
    ...validateMode(defaultMode, `${at}.defaultMode`),
    ...(sources ?? []).flatMap((source, i) => validateProjection(source, `${at}.sources[${i}]`)),
    ...repeatedPaths(sources ?? [], at),
  ];
}

function validateProjection(source: Projection, at: string): Findings {
  const given = Object.entries(source).filter(([, value]) => value !== undefined);
  const [first, ...others] = given.map(([name]) => name);
  const { secret, configMap, downwardAPI, serviceAccountToken: token } = source;
  return [
    ...(secret ? [...nameOf(secret, `${at}.secret`), ...validateKeyed(secret, `${at}.secret`)] : []),
    ...(configMap ? [...nameOf(configMap, `${at}.configMap`), ...validateKeyed(configMap, `${at}.configMap`)] : []),
    ...(downwardAPI?.items ?? []).flatMap((item) => validateDownwardFile(item, `${at}.downwardAPI`)),
    ...(token ? validateToken(token, `${at}.serviceAccountToken`) : []),
    ...(first === undefined ? [required(at, 'must specify a projected volume source')] : []),
    ...others.map((name) => forbiddenField(`${at}.${name}`, 'may not specify more than 1 volume type')),
  ];
}

const nameOf = ({ name }: { readonly name?: string }, at: string): Findings => (name ? [] : [required(`${at}.name`)]);

const minTokenSeconds = 600;
const maxTokenSeconds = 2 ** 32;

function validateToken(
  { path, expirationSeconds: seconds = 0 }: NonNullable<Projection['serviceAccountToken']>,
  at: string,
): Findings {
  const field = `${at}.expirationSeconds`;
  return [
    ...(seconds < minTokenSeconds
      ? [invalidValue(field, seconds, 'may not specify a duration less than 10 minutes')]
      : []),
    ...(seconds > maxTokenSeconds
      ? [invalidValue(field, seconds, 'may not specify a duration larger than 2^32 seconds')]
      : []),
    ...requiredChecked(`${at}.path`, path, checkFilePath),
  ];
}

/** Two sources cannot write the same file. */
function repeatedPaths(sources: readonly Projection[], at: string): Findings {
  const seen = new Set<string>();
  const paths = sources.flatMap(({ secret, configMap, downwardAPI, serviceAccountToken: token }) => [
    ...[...(secret?.items ?? []), ...(configMap?.items ?? []), ...(downwardAPI?.items ?? [])].map(({ path }) => path),
    ...(token ? [token.path] : []),
  ]);
  return paths.flatMap((path = '') => {
    if (path === '') return [];
    if (seen.has(path)) return [invalidValue(at, path, 'conflicting duplicate paths')];
    seen.add(path);
    return [];
  });
}

function validateClaimTemplate(
  { spec }: NonNullable<Source<'ephemeral'>['volumeClaimTemplate']>,
  at: string,
): Findings {
  const { accessModes = [], resources } = spec ?? {};
  const storage = resources?.requests?.['storage'];
  return [
    ...(accessModes.length === 0 ? [required(`${at}.spec.accessModes`, 'at least 1 access mode is required')] : []),
    ...(storage === undefined ? [required(`${at}.spec.resources[storage]`)] : []),
  ];
}
