// What is wrong with the security settings of a container or a pod.

import { duplicate, forbiddenField, invalidValue, required, tooLong } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import type { Infer } from '../../../../schema/types.ts';
import { inReferenceForm } from '../../../../wording/types/reference-form.ts';
import { checked, oneOf, type ValidationErrors } from '../../../rules.ts';
import { checkRelativePath } from '../volume/path-rules.ts';
import type { PodSpec } from './pod-spec.ts';
import type { podSecurityContext, seccompProfile, securityContext, sysctl } from './security-context.ts';
import { validateWindows } from './windows-rules.ts';

type SecurityContext = Infer<typeof securityContext>;
type PodSecurityContext = Infer<typeof podSecurityContext>;
type Profile = Infer<typeof seccompProfile>;
type Sysctl = Infer<typeof sysctl>;

const maxId = 2 ** 31 - 1;

/** Numbers of users and groups. */
export function validateId(id: number | undefined, at: string): ValidationErrors {
  if (id === undefined || (id >= 0 && id <= maxId)) return [];
  return [invalidValue(at, id, `must be between 0 and ${maxId}, inclusive`)];
}

export function validateSecurityContext(
  given: SecurityContext | undefined,
  at: string,
  hostUsers: boolean | undefined,
): ValidationErrors {
  if (given === undefined) return [];
  return [
    ...validateId(given.runAsUser, `${at}.runAsUser`),
    ...validateId(given.runAsGroup, `${at}.runAsGroup`),
    ...validateProcMount(given, `${at}.procMount`, hostUsers),
    ...validateEscalation(given, at),
    ...validateProfile(given.seccompProfile, `${at}.seccompProfile`, 'seccomp'),
    ...validateProfile(given.appArmorProfile, `${at}.appArmorProfile`, 'AppArmor'),
    ...validateWindows(given.windowsOptions, `${at}.windowsOptions`),
  ];
}

function validateProcMount(
  { procMount }: SecurityContext,
  at: string,
  hostUsers: boolean | undefined,
): ValidationErrors {
  if (procMount === undefined) return [];
  return [
    ...oneOf(at, procMount, ['Default', 'Unmasked']),
    ...(procMount === 'Unmasked' && hostUsers !== false
      ? [invalidValue(at, procMount, '`hostUsers` must be false to use `Unmasked`')]
      : []),
  ];
}

/** Rights that a container has anyway cannot be kept from its children. */
function validateEscalation(given: SecurityContext, at: string): ValidationErrors {
  if (given.allowPrivilegeEscalation !== false) return [];
  const errors = [];
  const shown = inReferenceForm('SecurityContext', given);
  const refused = 'cannot set `allowPrivilegeEscalation` to false and';
  if (given.privileged) errors.push(invalidValue(at, shown, `${refused} \`privileged\` to true`));
  if (given.capabilities?.add?.includes('CAP_SYS_ADMIN'))
    errors.push(invalidValue(at, shown, `${refused} \`capabilities.Add\` CAP_SYS_ADMIN`));
  return errors;
}

function validateProfile(profile: Profile | undefined, at: string, what: 'seccomp' | 'AppArmor'): ValidationErrors {
  if (profile === undefined) return [];
  const { type, localhostProfile } = profile;
  const path = `${at}.localhostProfile`;
  const errors = type
    ? [...oneOf(`${at}.type`, type, ['Localhost', 'RuntimeDefault', 'Unconfined'])]
    : [
        required(
          `${at}.type`,
          `type is required when ${what === 'seccomp' ? 'seccompProfile' : 'appArmorProfile'} is set`,
        ),
      ];
  if (type === 'Localhost') {
    errors.push(...(what === 'seccomp' ? validateSeccompPath : validateAppArmorName)(localhostProfile, path));
  } else if (localhostProfile !== undefined && (type || what === 'seccomp')) {
    const shown = what === 'seccomp' ? inReferenceForm('SeccompProfile', { type: '', ...profile }) : localhostProfile;
    errors.push(invalidValue(path, shown, `can only be set when ${what} type is Localhost`));
  }
  return errors;
}

function validateSeccompPath(path: string | undefined, at: string): ValidationErrors {
  if (path === undefined) return [required(at, 'must be set when seccomp type is Localhost')];
  return checked(at, path, checkRelativePath);
}

const maxPathLength = 4095;

function validateAppArmorName(name: string | undefined, at: string): ValidationErrors {
  if (!name) return [required(at, 'must be set when AppArmor type is Localhost')];
  return [
    ...(name === name.trim() ? [] : [invalidValue(at, name, 'must not be padded with whitespace')]),
    ...(name.length > maxPathLength ? [tooLong(at, maxPathLength)] : []),
  ];
}

/** The settings of a whole pod, and how they go with the namespaces it shares with the node. */
export function validatePodSecurity(spec: PodSpec, at: string): ValidationErrors {
  const given: PodSecurityContext = spec.securityContext ?? {};
  const here = `${at}.securityContext`;
  return [
    ...(spec.hostPID && spec.shareProcessNamespace
      ? [
          invalidValue(
            `${here}.shareProcessNamespace`,
            true,
            'ShareProcessNamespace and HostPID cannot both be enabled',
          ),
        ]
      : []),
    ...validateId(given.fsGroup, `${here}.fsGroup`),
    ...validateId(given.runAsUser, `${here}.runAsUser`),
    ...validateId(given.runAsGroup, `${here}.runAsGroup`),
    ...findEach(given.supplementalGroups ?? [], (id, i) => validateId(id, `${here}.supplementalGroups[${i}]`)),
    ...validateSysctls(given.sysctls ?? [], `${here}.sysctls`, spec),
    ...optional(`${here}.fsGroupChangePolicy`, given.fsGroupChangePolicy, ['Always', 'OnRootMismatch']),
    ...optional(`${here}.supplementalGroupsPolicy`, given.supplementalGroupsPolicy, ['Merge', 'Strict']),
    ...optional(`${here}.seLinuxChangePolicy`, given.seLinuxChangePolicy, ['Recursive']),
    ...validateProfile(given.seccompProfile, `${here}.seccompProfile`, 'seccomp'),
    ...validateProfile(given.appArmorProfile, `${here}.appArmorProfile`, 'AppArmor'),
    ...validateWindows(given.windowsOptions, `${here}.windowsOptions`),
  ];
}

const optional = (at: string, value: string | undefined, supported: readonly string[]): ValidationErrors =>
  value === undefined ? [] : oneOf(at, value, supported);

const sysctlForm = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const sysctlAdvice = `must have at most 253 characters and match regex ${sysctlForm.source.replace('[./]', '[\\./]')}`;

function validateSysctls(sysctls: readonly Sysctl[], at: string, spec: PodSpec): ValidationErrors {
  const seen = new Set<string>();
  return findEach(sysctls, ({ name = '' }, i) => {
    const field = `${at}[${i}].name`;
    const repeated = seen.has(name);
    seen.add(name);
    return [
      ...validateSysctlName(name, repeated, field),
      ...validateSysctlScope(name.replaceAll('/', '.'), name, field, spec),
    ];
  });
}

function validateSysctlName(name: string, repeated: boolean, at: string): ValidationErrors {
  if (name === '') return [required(at)];
  if (name.length > 253 || !sysctlForm.test(name)) return [invalidValue(at, name, sysctlAdvice)];
  return repeated ? [duplicate(at, name)] : [];
}

/** Settings of a namespace that the pod shares with the node are settings of the node. */
function validateSysctlScope(dotted: string, name: string, at: string, spec: PodSpec): ValidationErrors {
  const isNet = dotted.startsWith('net.');
  const isIpc = /^(kernel\.(shm|msg)|kernel\.sem$|fs\.mqueue\.)/.test(dotted);
  if (isNet && spec.hostNetwork) return [invalidValue(at, name, "may not be specified when 'hostNetwork' is true")];
  return isIpc && spec.hostIPC ? [invalidValue(at, name, "may not be specified when 'hostIPC' is true")] : [];
}

const linuxOnlyOfPod = [
  'seLinuxOptions',
  'seccompProfile',
  'appArmorProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
] as const;
const linuxOnlyOfContainer = [
  'seLinuxOptions',
  'seccompProfile',
  'appArmorProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;

/** Settings that mean nothing on the pod's operating system. */
export function validateForOs(spec: PodSpec, at: string): ValidationErrors {
  const os = spec.os?.name;
  if (spec.os === undefined) return [];
  if (!os) return [required(`${at}.os.name`)];
  if (os !== 'linux' && os !== 'windows') return oneOf(`${at}.os`, os, ['linux', 'windows']);
  const check = os === 'linux' ? noWindowsOptions : noLinuxOptions;
  return [
    ...(os === 'windows' ? noLinuxNamespaces(spec, at) : []),
    ...check(spec.securityContext, `${at}.securityContext`, linuxOnlyOfPod),
    ...(['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((list) =>
      findEach(spec[list] ?? [], (one, i) =>
        check(one.securityContext, `${at}.${list}[${i}].securityContext`, linuxOnlyOfContainer),
      ),
    ),
  ];
}

type Settings = SecurityContext | PodSecurityContext | undefined;

const noWindowsOptions = (settings: Settings, at: string): ValidationErrors =>
  settings?.windowsOptions === undefined
    ? []
    : [forbiddenField(`${at}.windowsOptions`, 'windows options cannot be set for a linux pod')];

function noLinuxOptions(settings: Settings, at: string, names: readonly string[]): ValidationErrors {
  const given: Readonly<Record<string, unknown>> = { ...settings };
  return names
    .filter((name) => given[name] !== undefined)
    .map((name) => forbiddenField(`${at}.${name}`, 'cannot be set for a windows pod'));
}

function noLinuxNamespaces(
  { hostUsers, hostPID, hostIPC, shareProcessNamespace }: PodSpec,
  at: string,
): ValidationErrors {
  const set = {
    hostUsers: hostUsers !== undefined,
    hostPID,
    hostIPC,
    shareProcessNamespace: shareProcessNamespace !== undefined,
  };
  return Object.entries(set)
    .filter(([, yes]) => yes)
    .map(([name]) => forbiddenField(`${at}.${name}`, 'cannot be set for a windows pod'));
}

const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const;
const hasWindowsOptions = (one: { readonly securityContext?: SecurityContext }) =>
  one.securityContext?.windowsOptions !== undefined;

const onlyTogether = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';

/** Containers that are processes of a Windows node: all of a pod or none, and in the network of the node. */
export function validateHostProcess(spec: PodSpec, at: string, refusesPrivileged: boolean): ValidationErrors {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  if (ofPod === undefined && !containerLists.some((list) => spec[list]?.some(hasWindowsOptions))) return [];
  const all = containerLists.flatMap((list) =>
    (spec[list] ?? []).map(({ securityContext }, i) => ({
      at: `${at}.${list}[${i}].securityContext.windowsOptions.hostProcess`,
      own: securityContext?.windowsOptions?.hostProcess,
    })),
  );
  const differing = all.filter(({ own }) => ofPod !== undefined && own !== undefined && own !== ofPod);
  const count = all.filter(({ own }) => own ?? ofPod).length;
  const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
  const validationErrors = differing.map(({ at: field, own }) => invalidValue(field, own, detail));
  if (count === 0) return validationErrors;
  return [
    ...validationErrors,
    ...(count < all.length ? [invalidValue(at, '', onlyTogether)] : []),
    ...(spec.hostNetwork
      ? []
      : [
          invalidValue(
            `${at}.hostNetwork`,
            false,
            'hostNetwork must be true if pod contains any hostProcess containers',
          ),
        ]),
    ...(refusesPrivileged ? [forbiddenField(at, 'hostProcess containers are disallowed by cluster policy')] : []),
  ];
}
