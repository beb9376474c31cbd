// What a PodSecurityPolicy may say.

import type { Dialect } from '../../../meta/dialect.ts';
import { duplicate, invalidValue, notSupported, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import type { StrategyContext } from '../../../schema/strategy.ts';
import { appArmorAdvice, isAppArmorProfile, validateSeccomp } from '../../core/v1/pod/pod-annotation-rules.ts';
import { checked, repeatsIn, type ValidationErrors } from '../../rules.ts';
import type { IdRange, PodSecurityPolicy, PolicySpec } from './pod-security-policy-type.ts';
import { validateSysctlLists } from './policy-sysctl-rules.ts';

const mustRunAs = 'MustRunAs';
const mayRunAs = 'MayRunAs';
const runAsAny = 'RunAsAny';

/** Types of volumes that policies name; those of pods are called the same, with one exception. */
const volumeTypes: readonly string[] = `awsElasticBlockStore azureDisk azureFile cephFS cinder configMap csi downwardAPI
  emptyDir ephemeral fc flexVolume flocker gcePersistentDisk gitRepo glusterfs hostPath iscsi nfs persistentVolumeClaim
  photonPersistentDisk portworxVolume projected quobyte rbd scaleIO secret storageos vsphereVolume`.split(/\s+/);

/** Annotations of a policy about profiles. */
export const profileKeys = ({ labelDomain }: Pick<Dialect, 'labelDomain'>) => ({
  seccompDefault: `seccomp.security.alpha.${labelDomain}/defaultProfileName`,
  seccompAllowed: `seccomp.security.alpha.${labelDomain}/allowedProfileNames`,
  appArmorDefault: `apparmor.security.beta.${labelDomain}/defaultProfileName`,
  appArmorAllowed: `apparmor.security.beta.${labelDomain}/allowedProfileNames`,
});

export function validatePodSecurityPolicy(
  { metadata, spec = {} }: PodSecurityPolicy,
  { dialect }: StrategyContext,
): ValidationErrors {
  return [...validateProfiles(metadata.annotations ?? {}, dialect), ...validateSpec(spec)];
}

function validateProfiles(annotations: Readonly<Record<string, string>>, dialect: Dialect): ValidationErrors {
  const keys = profileKeys(dialect);
  const at = (key: string) => `metadata.annotations[${key}]`;
  const said = (key: string) => annotations[key] ?? '';
  const listed = (key: string) => (said(key) === '' ? [] : said(key).split(','));
  const appArmor = (key: string, profiles: readonly string[]) =>
    profiles
      .filter((one) => !isAppArmorProfile(one))
      .map((one) => invalidValue(at(key), said(key), appArmorAdvice(one)));
  const seccomp = (key: string, profiles: readonly string[]) =>
    findEach(
      profiles.filter((one) => one !== '*'),
      (one) => validateSeccomp(one, at(key)),
    );
  const single = (key: string) => (said(key) === '' ? [] : [said(key)]);
  return [
    ...appArmor(keys.appArmorDefault, single(keys.appArmorDefault)),
    ...appArmor(keys.appArmorAllowed, listed(keys.appArmorAllowed)),
    ...single(keys.seccompDefault).flatMap((one) => validateSeccomp(one, at(keys.seccompDefault))),
    ...seccomp(keys.seccompAllowed, listed(keys.seccompAllowed)),
  ];
}

function validateSpec(spec: PolicySpec): ValidationErrors {
  const { seLinux = {}, supplementalGroups = {}, fsGroup = {}, allowPrivilegeEscalation = false } = spec;
  const { defaultAllowPrivilegeEscalation: escalates } = spec;
  return [
    ...rule('spec.runAsUser', spec.runAsUser ?? {}, [mustRunAs, 'MustRunAsNonRoot', runAsAny]),
    ...validateRunAsGroup(spec.runAsGroup),
    ...rule('spec.seLinux', seLinux, [mustRunAs, runAsAny]),
    ...rule('spec.supplementalGroups', supplementalGroups, [mayRunAs, mustRunAs, runAsAny]),
    ...rule('spec.fsGroup', fsGroup, [mayRunAs, mustRunAs, runAsAny]),
    ...validateVolumes(spec),
    ...validateCapabilities(spec),
    ...(escalates && !allowPrivilegeEscalation
      ? [invalidValue('spec.defaultAllowPrivilegeEscalation', escalates, escalationAdvice)]
      : []),
    ...findEach(spec.allowedProcMountTypes ?? [], (one, index) =>
      one === 'Default' || one === 'Unmasked'
        ? []
        : [notSupported(`spec.allowedProcMountTypes[${index}]`, one, ['Default', 'Unmasked'])],
    ),
    ...validateHostPaths(spec),
    ...validateDrivers(spec),
    ...validateSysctlLists(spec.allowedUnsafeSysctls ?? [], spec.forbiddenSysctls ?? []),
    ...validateRuntimeClass(spec.runtimeClass),
  ];
}

const escalationAdvice =
  'Cannot set DefaultAllowPrivilegeEscalation to true without also setting AllowPrivilegeEscalation to true';

interface Choice {
  readonly rule?: string;
  readonly ranges?: readonly IdRange[];
}

function rule(at: string, given: Choice, supported: readonly string[]): ValidationErrors {
  const { rule: named = '', ranges } = given;
  return [
    ...(supported.includes(named) ? [] : [notSupported(`${at}.rule`, named, supported)]),
    ...validateRanges(`${at}.ranges`, ranges),
  ];
}

function validateRanges(at: string, ranges: readonly IdRange[] = []): ValidationErrors {
  return findEach(ranges, ({ min = 0, max = 0 }, index) => [
    ...(min < 0 ? [invalidValue(`${at}[${index}].min`, min, 'min cannot be negative')] : []),
    ...(max < 0 ? [invalidValue(`${at}[${index}].max`, max, 'max cannot be negative')] : []),
    ...(min > max ? [invalidValue(`${at}[${index}].min`, min, 'min cannot be greater than max')] : []),
  ]);
}

function validateRunAsGroup(given: PolicySpec['runAsGroup']): ValidationErrors {
  if (given === undefined) return [];
  const { rule: named = '', ranges = [] } = given;
  const at = 'spec.runAsGroup';
  if (named === runAsAny)
    return ranges.length === 0 ? [] : [invalidValue(`${at}.ranges`, ranges, 'Ranges must be empty')];
  if (named !== mustRunAs && named !== mayRunAs)
    return [notSupported(`${at}.rule`, named, [mustRunAs, runAsAny, mayRunAs])];
  const none = ranges.length === 0 ? [invalidValue(`${at}.ranges`, ranges, 'must provide at least one range')] : [];
  return [...none, ...validateRanges(`${at}.ranges`, ranges)];
}

function validateVolumes({ volumes = [] }: PolicySpec): ValidationErrors {
  const supported = ['*', ...volumeTypes];
  return volumes.filter((one) => !supported.includes(one)).map((one) => notSupported('spec.volumes', one, supported));
}

function validateCapabilities(spec: PolicySpec): ValidationErrors {
  const { requiredDropCapabilities: drops = [], allowedCapabilities: allowed = [], defaultAddCapabilities = [] } = spec;
  const also = (at: string, capabilities: readonly string[]) =>
    capabilities
      .filter((one) => drops.includes(one))
      .map((one) => invalidValue(at, one, `capability is listed in ${at} and requiredDropCapabilities`));
  const wild =
    drops.length > 0 && allowed.includes('*')
      ? [
          invalidValue(
            'requiredDropCapabilities',
            drops,
            'must be empty when all capabilities are allowed by a wildcard',
          ),
        ]
      : [];
  return [...wild, ...also('defaultAddCapabilities', defaultAddCapabilities), ...also('allowedCapabilities', allowed)];
}

function validateHostPaths({ allowedHostPaths = [] }: PolicySpec): ValidationErrors {
  const errors = [];
  for (const [index, { pathPrefix = '' }] of allowedHostPaths.entries()) {
    const at = `spec.allowedHostPaths[${index}]`;
    if (pathPrefix === '') return [...errors, required(at, 'is required')];
    if (pathPrefix.split('/').includes('..')) errors.push(invalidValue(at, pathPrefix, "must not contain '..'"));
  }
  return errors;
}

/** compat: drivers are reported at paths that repeat the name of the list, or spell it in the singular */
function validateDrivers({ allowedFlexVolumes = [], allowedCSIDrivers = [] }: PolicySpec): ValidationErrors {
  return [
    ...findEach(allowedFlexVolumes, ({ driver }, index) =>
      driver ? [] : [required(`spec.allowedFlexVolumes.allowedFlexVolumes[${index}].driver`, 'must specify a driver')],
    ),
    ...findEach(allowedCSIDrivers, ({ name = '' }, index) => {
      const at = `spec.allowedCSIDrivers.allowedCSIDriver[${index}].name`;
      return name === '' ? [required(at)] : checked(at, name.toLowerCase(), checkSubdomain);
    }),
  ];
}

function validateRuntimeClass(given: PolicySpec['runtimeClass']): ValidationErrors {
  if (given === undefined) return [];
  const { allowedRuntimeClassNames, defaultRuntimeClassName: usual } = given;
  // null where the client left it out: the list is always written
  const allowed = allowedRuntimeClassNames ?? [];
  const at = 'spec.runtimeClass.allowedRuntimeClassNames';
  const isRepeated = repeatsIn(allowed);
  const entries = findEach(allowed, (name, index) => [
    ...(name === '*' ? [] : checked(`${at}[${index}]`, name, checkSubdomain)),
    ...(isRepeated(index) ? [duplicate(`${at}[${index}]`, name)] : []),
  ]);
  const isAllowed = usual === undefined || allowed.includes(usual) || allowed.includes('*');
  return [
    ...entries,
    ...(usual === undefined ? [] : checked('spec.runtimeClass.defaultRuntimeClassName', usual, checkSubdomain)),
    ...(isAllowed ? [] : [required(at, `default ${JSON.stringify(usual)} must be allowed`)]),
    ...(allowed.includes('*') && allowed.length > 1
      ? [invalidValue(at, allowed, "if '*' is present, must not specify other RuntimeClass names")]
      : []),
  ];
}
