// What is wrong with the volumes of a pod.

import type { Dialect } from '../../../../meta/dialect.ts';
import { duplicate, forbiddenField, invalidValue, required } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import { checkLabelName, checkSubdomain } from '../../../../meta/names.ts';
import { parseQuantity } from '../../../../meta/quantity.ts';
import { oneOf, requiredChecked, type ValidationErrors } from '../../../rules.ts';
import { validateClaimTemplate } from './claim-template-rules.ts';
import { validateDownwardFile, validateKeyed, validateMode, validateProjected } from './projected-rules.ts';
import {
  checkPortal,
  type SourceRules,
  validateAzureDisk,
  validateFibreChannel,
  validateFlexVolume,
  validateFlocker,
  validateGitRepo,
  validateHostPath,
  validateInlineCsi,
  validateIscsi,
  validateNfs,
  validateOneSource,
  validatePartition,
  validateQuobyte,
  validateSecretRef,
  validateStorageOs,
} from './storage-source-rules.ts';
import type { Volume } from './volume-defaults.ts';

type SourceName = Exclude<keyof Volume, 'name'>;

/** What stands in the list, and which of it containers can mount: volumes that are themselves in order. */
export interface CheckedVolumes {
  readonly validationErrors: ValidationErrors;
  readonly sound: ReadonlyMap<string, Volume>;
}

/** `podName` is known where the volumes are those of a pod, and not of a template. */
export function checkVolumes(
  volumes: readonly Volume[],
  at: string,
  podName: string,
  dialect: Dialect,
): CheckedVolumes {
  const sound = new Map<string, Volume>();
  const claims = claimsMadeFor(volumes, podName);
  const validationErrors = findEach(volumes, (volume, i) => {
    const { name = '' } = volume;
    const here = `${at}[${i}]`;
    const wrong = [
      ...validateOneSource(volume, here, sources, dialect),
      ...validateNames(volume, here, podName),
      ...requiredChecked(`${here}.name`, name, checkLabelName),
      ...(sound.has(name) ? [duplicate(`${here}.name`, name)] : []),
    ];
    if (wrong.length === 0) sound.set(name, volume);
    return [...wrong, ...borrowedClaim(volume, claims, here)];
  });
  return { validationErrors, sound };
}

/** Names of the claims that come into being with the pod. */
function claimsMadeFor(volumes: readonly Volume[], podName: string): ReadonlySet<string> {
  if (podName === '') return new Set();
  return new Set(volumes.filter(({ ephemeral }) => ephemeral).map(({ name = '' }) => `${podName}-${name}`));
}

function borrowedClaim(
  { persistentVolumeClaim: claim }: Volume,
  made: ReadonlySet<string>,
  at: string,
): ValidationErrors {
  const name = claim?.claimName ?? '';
  if (!made.has(name)) return [];
  const detail = 'must not reference a PVC that gets created for an ephemeral volume';
  return [invalidValue(`${at}.persistentVolumeClaim.claimName`, name, detail)];
}

const order: readonly SourceName[] = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
];

const rules: SourceRules<Volume> = {
  emptyDir({ sizeLimit }, at) {
    const negative = sizeLimit !== undefined && (parseQuantity(sizeLimit)?.digits ?? 0n) < 0n;
    const detail = 'SizeLimit field must be a valid resource quantity';
    return negative ? [forbiddenField(`${at}.sizeLimit`, detail)] : [];
  },
  hostPath: validateHostPath,
  gitRepo: validateGitRepo,
  gcePersistentDisk: validatePartition,
  awsElasticBlockStore: validatePartition,
  secret: validateKeyed,
  nfs: validateNfs,
  iscsi: (source, at) => validateIscsi(source, at),
  flocker: validateFlocker,
  cinder: ({ secretRef }, at) => validateSecretRef(secretRef, at, ['name']),
  quobyte: validateQuobyte,
  downwardAPI: ({ defaultMode, items = [] }, at) => [
    ...validateMode(defaultMode, `${at}.defaultMode`),
    ...findEach(items, (item) => validateDownwardFile(item, at)),
  ],
  fc: validateFibreChannel,
  flexVolume: validateFlexVolume,
  configMap: validateKeyed,
  azureDisk: validateAzureDisk,
  storageos: (source, at) => [...validateStorageOs(source, at), ...validateSecretRef(source.secretRef, at, ['name'])],
  projected: validateProjected,
  csi: validateInlineCsi,
  ephemeral: ({ volumeClaimTemplate: template }, at) =>
    template ? validateClaimTemplate(template, `${at}.volumeClaimTemplate`) : [],
  image: ({ pullPolicy }, at) =>
    pullPolicy ? oneOf(`${at}.pullPolicy`, pullPolicy, ['Always', 'IfNotPresent', 'Never']) : [],
};

const sources = { order, rules };

/** What follows from the names of a volume and its pod. */
function validateNames(volume: Volume, at: string, podName: string): ValidationErrors {
  const { name = '', ephemeral, image, iscsi = {} } = volume;
  // next to another source an image is refused as a whole
  const isImage = image !== undefined && Object.keys(volume).every((key) => key === 'name' || key === 'image');
  const claim = `${podName}-${name}`;
  const made = ephemeral !== undefined && podName !== '' && name !== '';
  return [
    ...checkPortal(name, iscsi).map((e) => invalidValue(`${at}.name`, name, e)),
    ...(isImage && podName !== '' && !image.reference ? [required(`${at}.image.reference`)] : []),
    ...(made
      ? checkSubdomain(claim).map((e) => invalidValue(`${at}.name`, name, `PVC name ${JSON.stringify(claim)}: ${e}`))
      : []),
  ];
}
