// What is wrong with a container: rules that regular, init and ephemeral containers share.

import type { Dialect } from '../../../../meta/dialect.ts';
import {
  duplicate,
  forbiddenField,
  invalidValue,
  notFoundValue,
  required,
  tooMany,
} from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import { checkConfigKey, checkLabelName, checkSubdomain } from '../../../../meta/names.ts';
import { checkPortName, validatePort } from '../../../../meta/network-names.ts';
import type { FieldError } from '../../../../meta/status.ts';
import type { Infer } from '../../../../schema/types.ts';
import { checked, oneOf, requiredChecked, requiredOneOf, type ValidationErrors } from '../../../rules.ts';
import { checkNoClimb, checkRelativePath } from '../volume/path-rules.ts';
import type { Volume } from '../volume/volume-defaults.ts';
import type { containerPort, containerRestartRule, volumeDevice, volumeMount } from './container.ts';
import type { Container, EphemeralContainer } from './container-defaults.ts';
import { validateFieldRef, validateResourceRef } from './downward-rules.ts';
import type { envFromSource, envVar, envVarSource } from './environment.ts';
import type { PodSpec } from './pod-spec.ts';
import { validateResources } from './resource-rules.ts';
import { validateSecurityContext } from './security-rules.ts';

type ContainerPort = Infer<typeof containerPort>;
type EnvVar = Infer<typeof envVar>;
type EnvVarSource = Infer<typeof envVarSource>;
type EnvFromSource = Infer<typeof envFromSource>;
type VolumeMount = Infer<typeof volumeMount>;
type VolumeDevice = Infer<typeof volumeDevice>;

/** What the parts of a pod need to know of the rest of it. */
export interface PodSurroundings {
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly claims: ReadonlySet<string>;
  readonly hostUsers: boolean | undefined;
  readonly gracePeriodSeconds: number;
  readonly restartPolicy: string | undefined;
  readonly dialect: Dialect;
}

export function validateContainer(
  one: Container | EphemeralContainer,
  at: string,
  pod: PodSurroundings,
): ValidationErrors {
  return [
    ...requiredChecked(`${at}.name`, one.name, checkLabelName),
    ...(one.image ? [] : [required(`${at}.image`)]),
    ...requiredOneOf(`${at}.terminationMessagePolicy`, one.terminationMessagePolicy, messagePolicies),
    ...validatePorts(one.ports ?? [], `${at}.ports`),
    ...findEach(one.env ?? [], (entry, i) => validateEnv(entry, `${at}.env[${i}]`)),
    ...findEach(one.envFrom ?? [], (entry, i) => validateEnvFrom(entry, `${at}.envFrom[${i}]`)),
    ...validateMounts(one, `${at}.volumeMounts`, pod),
    ...validateDevices(one, `${at}.volumeDevices`, pod),
    ...requiredOneOf(`${at}.imagePullPolicy`, one.imagePullPolicy, pullPolicies),
    ...validateResources(one.resources, `${at}.resources`, pod.claims, pod.dialect),
    ...validateResizePolicy(one, `${at}.resizePolicy`, pod),
    ...validateSecurityContext(one.securityContext, `${at}.securityContext`, pod.hostUsers),
  ];
}

const messagePolicies = ['File', 'FallbackToLogsOnError'];
const pullPolicies = ['Always', 'IfNotPresent', 'Never'];
const protocols = ['SCTP', 'TCP', 'UDP'];

function validatePorts(ports: readonly ContainerPort[], at: string): ValidationErrors {
  const names = new Set<string>();
  return findEach(ports, (port, i) => [
    ...validatePortName(port.name, `${at}[${i}].name`, names),
    ...validatePortNumbers(port, `${at}[${i}]`),
    ...requiredOneOf(`${at}[${i}].protocol`, port.protocol, protocols),
  ]);
}

function validatePortName(name: string | undefined, at: string, seen: Set<string>): ValidationErrors {
  if (!name) return [];
  const errors = checked(at, name, checkPortName);
  if (errors.length > 0) return errors;
  if (seen.has(name)) return [duplicate(at, name)];
  seen.add(name);
  return [];
}

function validatePortNumbers({ containerPort: port, hostPort }: ContainerPort, at: string): ValidationErrors {
  return [
    ...(port ? validatePort(port, `${at}.containerPort`) : [required(`${at}.containerPort`)]),
    ...(hostPort ? validatePort(hostPort, `${at}.hostPort`) : []),
  ];
}

const printable = /^[ -<>-~]+$/;
const envNameAdvice =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";
const checkEnvName = (name: string) => (printable.test(name) ? [] : [envNameAdvice]);

function validateEnv({ name, value, valueFrom }: EnvVar, at: string): ValidationErrors {
  return [
    ...requiredChecked(`${at}.name`, name, checkEnvName),
    ...(valueFrom ? validateEnvSource(valueFrom, value, `${at}.valueFrom`) : []),
  ];
}

function validateEnvSource(from: EnvVarSource, value: string | undefined, at: string): ValidationErrors {
  const count = Object.values(from).filter((source) => source !== undefined).length;
  const errors: FieldError[] = [];
  if (from.fieldRef) errors.push(...validateFieldRef(from.fieldRef, `${at}.fieldRef`, 'env'));
  if (from.resourceFieldRef)
    errors.push(...validateResourceRef(from.resourceFieldRef, `${at}.resourceFieldRef`, false));
  if (from.configMapKeyRef) errors.push(...validateKeyRef(from.configMapKeyRef, `${at}.configMapKeyRef`));
  if (from.secretKeyRef) errors.push(...validateKeyRef(from.secretKeyRef, `${at}.secretKeyRef`));
  if (from.fileKeyRef) errors.push(...validateFileRef(from.fileKeyRef, `${at}.fileKeyRef`));
  if (count === 0) errors.push(invalidValue(at, '', oneOfSources));
  else if (value) errors.push(invalidValue(at, '', 'may not be specified when `value` is not empty'));
  else if (count > 1) errors.push(invalidValue(at, '', moreThanOne));
  return errors;
}

const oneOfSources =
  'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
const moreThanOne = 'may not have more than one field specified at a time';

function validateKeyRef(
  { name, key }: { readonly name?: string; readonly key?: string },
  at: string,
): ValidationErrors {
  return [...checked(`${at}.name`, name ?? '', checkSubdomain), ...requiredChecked(`${at}.key`, key, checkConfigKey)];
}

function validateFileRef({ volumeName, path, key }: FileRef, at: string): ValidationErrors {
  return [
    ...requiredChecked(`${at}.key`, key, checkEnvName),
    ...requiredChecked(`${at}.volumeName`, volumeName, checkLabelName),
    ...requiredChecked(`${at}.path`, path, checkNoClimb),
  ];
}

type FileRef = NonNullable<EnvVarSource['fileKeyRef']>;

/** Variables that come from files need volumes that are made with the pod. */
export function validateFileVolumes(spec: PodSpec, at: string): ValidationErrors {
  let volumes: ReadonlyMap<string, Volume> | undefined;
  return findEach(['initContainers', 'containers', 'ephemeralContainers'] as const, (list) =>
    findEach(spec[list] ?? [], ({ env = [] }, i) =>
      findEach(env, ({ valueFrom }, j) => {
        const fileKeyRef = valueFrom?.fileKeyRef;
        if (!fileKeyRef) return [];
        const place = `${at}.${list}[${i}].env[${j}].valueFrom.fileKeyRef.volumeName`;
        volumes ??= new Map((spec.volumes ?? []).map((volume) => [volume.name ?? '', volume]));
        return fileVolumeErrors(fileKeyRef.volumeName ?? '', volumes, place);
      }),
    ),
  );
}

function fileVolumeErrors(name: string, volumes: ReadonlyMap<string, Volume>, at: string): ValidationErrors {
  const volume = volumes.get(name);
  if (volume === undefined) return [notFoundValue(at, name)];
  return volume.emptyDir ? [] : [invalidValue(at, name, 'referenced volume must be of type emptyDir')];
}

/** compat: names in envFrom may end as a prefix of a name may */
const checkNamePrefix = (name: string) => checkSubdomain(name, true);

function validateEnvFrom({ prefix, configMapRef, secretRef }: EnvFromSource, at: string): ValidationErrors {
  const list = at.replace(/\[[0-9]+\]$/, '');
  const count = [configMapRef, secretRef].filter((ref) => ref !== undefined).length;
  return [
    ...(prefix ? checked(`${at}.prefix`, prefix, checkEnvName) : []),
    ...(configMapRef ? requiredChecked(`${at}.configMapRef.name`, configMapRef.name, checkNamePrefix) : []),
    ...(secretRef ? requiredChecked(`${at}.secretRef.name`, secretRef.name, checkNamePrefix) : []),
    ...(count === 0 ? [invalidValue(list, '', 'must specify one of: `configMapRef` or `secretRef`')] : []),
    ...(count > 1 ? [invalidValue(list, '', moreThanOne)] : []),
  ];
}

function validateMounts(one: Container, at: string, pod: PodSurroundings): ValidationErrors {
  const all = one.volumeMounts ?? [];
  if (all.length === 0) return [];
  const paths = new Set<string>();
  const { volumeDevices } = one;
  const devices = volumeDevices ? new Set(volumeDevices.map(({ name }) => name)) : noNames;
  const devicePaths = volumeDevices ? new Set(volumeDevices.map(({ devicePath }) => devicePath)) : noNames;
  return findEach(all, (mount, i) => {
    const where = `${at}[${i}]`;
    const { name = '', mountPath = '' } = mount;
    const repeated = paths.has(mountPath);
    paths.add(mountPath);
    return [
      ...validateVolumeName(name, `${where}.name`, pod),
      ...(mountPath === '' ? [required(`${where}.mountPath`)] : []),
      ...(repeated ? [invalidValue(`${where}.mountPath`, mountPath, 'must be unique')] : []),
      ...(devices.has(name) ? [invalidValue(`${where}.name`, name, 'must not already exist in volumeDevices')] : []),
      ...(devicePaths.has(mountPath)
        ? [invalidValue(`${where}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices')]
        : []),
      ...validateSubPaths(mount, at, where),
      ...validatePropagation(mount, one, at),
      ...validateRecursiveReadOnly(mount, at),
    ];
  });
}

const noNames: ReadonlySet<string | undefined> = new Set();

function validateVolumeName(name: string | undefined, at: string, { volumes }: PodSurroundings): ValidationErrors {
  return [...(name ? [] : [required(at)]), ...(volumes.has(name ?? '') ? [] : [notFoundValue(at, name ?? '')])];
}

/** compat: ways of mounting are reported at the list of mounts, without the place of the mount in it */
function validateSubPaths({ subPath, subPathExpr }: VolumeMount, list: string, at: string): ValidationErrors {
  return [
    ...(subPath ? checked(`${list}.subPath`, subPath, checkRelativePath) : []),
    ...(subPath && subPathExpr
      ? [invalidValue(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive')]
      : []),
    ...(subPathExpr ? checked(`${list}.subPathExpr`, subPathExpr, checkRelativePath) : []),
  ];
}

function validatePropagation({ mountPropagation: mode }: VolumeMount, one: Container, at: string): ValidationErrors {
  if (mode === undefined) return [];
  const field = `${at}.mountPropagation`;
  const privileged = one.securityContext?.privileged === true;
  const why = 'Bidirectional mount propagation is available only to privileged containers';
  return [
    ...oneOf(field, mode, ['Bidirectional', 'HostToContainer', 'None']),
    ...(mode === 'Bidirectional' && !privileged ? [forbiddenField(field, why)] : []),
  ];
}

function validateRecursiveReadOnly(mount: VolumeMount, at: string): ValidationErrors {
  const { recursiveReadOnly: mode, readOnly, mountPropagation } = mount;
  if (mode === undefined) return [];
  const field = `${at}.recursiveReadOnly`;
  if (mode !== 'Enabled' && mode !== 'IfPossible') return oneOf(field, mode, ['Disabled', 'Enabled', 'IfPossible']);
  return [
    ...(readOnly ? [] : [forbiddenField(field, 'may only be specified when readOnly is true')]),
    ...(mountPropagation === undefined || mountPropagation === 'None'
      ? []
      : [forbiddenField(field, 'may only be specified when mountPropagation is None or not specified')]),
  ];
}

function validateDevices(one: Container, at: string, pod: PodSurroundings): ValidationErrors {
  const all = one.volumeDevices ?? [];
  if (all.length === 0) return [];
  const names = new Set<string>();
  const paths = new Set<string>();
  const mounts = new Set((one.volumeMounts ?? []).map(({ name }) => name));
  const mountPaths = new Set((one.volumeMounts ?? []).map(({ mountPath }) => mountPath));
  return findEach(all, (device, i) => {
    const where = `${at}[${i}]`;
    const { name = '', devicePath = '' } = device;
    const climbs = devicePath.split('/').includes('..');
    const validationErrors = [
      ...(name === '' ? [required(`${where}.name`)] : []),
      ...(names.has(name) ? [invalidValue(`${where}.name`, name, 'must be unique')] : []),
      ...validateDeviceSource(device, `${where}.name`, pod),
      ...(devicePath === '' ? [required(`${where}.devicePath`)] : []),
      ...(paths.has(devicePath) ? [invalidValue(`${where}.devicePath`, devicePath, 'must be unique')] : []),
      ...(climbs ? [invalidValue(`${where}.devicePath`, devicePath, "can not contain backsteps ('..')")] : []),
      ...(mounts.has(name) ? [invalidValue(`${where}.name`, name, 'must not already exist in volumeMounts')] : []),
      ...(mountPaths.has(devicePath)
        ? [invalidValue(`${where}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts')]
        : []),
    ];
    if (name !== '') names.add(name);
    if (!climbs) paths.add(devicePath);
    return validationErrors;
  });
}

function validateDeviceSource({ name = '' }: VolumeDevice, at: string, { volumes }: PodSurroundings): ValidationErrors {
  const volume = volumes.get(name);
  if (volume === undefined) return [notFoundValue(at, name)];
  if (volume.persistentVolumeClaim || volume.ephemeral) return [];
  const why = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
  return [invalidValue(at, name, why)];
}

function validateResizePolicy(
  { resizePolicy = [] }: Container,
  at: string,
  { restartPolicy }: PodSurroundings,
): ValidationErrors {
  if (resizePolicy.length === 0) return [];
  const seen = new Set<string>();
  return findEach(resizePolicy, ({ resourceName = '', restartPolicy: policy }, i) => {
    const where = `${at}[${i}]`;
    const repeated = seen.has(resourceName);
    seen.add(resourceName);
    return [
      ...(repeated ? [duplicate(where, resourceName)] : []),
      ...requiredOneOf(at, resourceName, ['cpu', 'memory']),
      ...requiredOneOf(at, policy, ['NotRequired', 'RestartContainer']),
      ...(restartPolicy === 'Never' && policy !== 'NotRequired'
        ? [invalidValue(at, policy, "must be 'NotRequired' when `restartPolicy` is 'Never'")]
        : []),
    ];
  });
}

/** Two containers of a pod cannot have the same port of the node. */
export function hostPortConflicts(containers: readonly Container[], at: string): ValidationErrors {
  const seen = new Set<string>();
  return findEach(containers, ({ ports = [] }, i) =>
    findEach(ports, ({ hostPort, protocol, hostIP = '' }, j) => {
      if (!hostPort) return [];
      const text = `${protocol}/${hostIP}/${hostPort}`;
      if (seen.has(text)) return [duplicate(`${at}[${i}].ports[${j}].hostPort`, text)];
      seen.add(text);
      return [];
    }),
  );
}

export const rulesWithoutPolicy = 'must specify restartPolicy when restart rules are used';
const maxRestartRules = 20;
const maxExitCodes = 255;

/** When an exited container is started again. */
export function validateRestartRules(
  { restartPolicy, restartPolicyRules: rules = [] }: Container,
  at: string,
): ValidationErrors {
  const where = `${at}.restartPolicyRules`;
  return [
    ...(restartPolicy === undefined
      ? []
      : oneOf(`${at}.restartPolicy`, restartPolicy, ['Always', 'Never', 'OnFailure'])),
    ...(rules.length > 0 && restartPolicy === undefined ? [required(`${at}.restartPolicy`, rulesWithoutPolicy)] : []),
    ...(rules.length > maxRestartRules ? [tooMany(where, rules.length, maxRestartRules)] : []),
    ...findEach(rules, (rule, i) => validateRestartRule(rule, `${where}[${i}]`)),
  ];
}

function validateRestartRule({ action, exitCodes }: Infer<typeof containerRestartRule>, at: string): ValidationErrors {
  const wrongAction = oneOf(`${at}.action`, action, ['Restart', 'RestartAllContainers']);
  if (exitCodes === undefined) return [...wrongAction, required(`${at}.exitCodes`, 'must be specified')];
  const { operator, values = [] } = exitCodes;
  const field = `${at}.exitCodes.values`;
  return [
    ...wrongAction,
    ...oneOf(`${at}.exitCodes.operator`, operator, ['In', 'NotIn']),
    ...(values.length > maxExitCodes ? [tooMany(field, values.length, maxExitCodes)] : []),
  ];
}
