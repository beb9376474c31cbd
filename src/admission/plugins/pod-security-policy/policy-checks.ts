// What a policy finds wrong with a pod.

import type { Container } from '../../../groups/core/v1/pod/container-defaults.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import type { PolicySpec } from '../../../groups/policy/v1beta1/pod-security-policy-type.ts';
import { coversSysctl } from '../../../groups/policy/v1beta1/policy-sysctl-rules.ts';
import { forbiddenField, invalidValue, required } from '../../../meta/field-errors.ts';
import type { FieldError } from '../../../meta/status.ts';
import { checkGroups, checkUser } from './id-ranges.ts';
import { effective, type Policed, placedContainers, type SecurityContext } from './policed-pod.ts';
import { checkAppArmor, checkContainerSeccomp, checkPodSeccomp } from './profiles.ts';
import { checkVolumes } from './volume-checks.ts';

export function checkPod(policed: Policed, pod: Pod): readonly FieldError[] {
  const { spec } = policed;
  const context = pod.spec?.securityContext ?? {};
  const at = 'spec.securityContext';
  const fsGroups = context.fsGroup === undefined ? [] : [context.fsGroup];
  return [
    ...checkGroups(`${at}.fsGroup`, spec.fsGroup, fsGroups),
    ...checkGroups(`${at}.supplementalGroups`, spec.supplementalGroups, context.supplementalGroups ?? []),
    ...checkPodSeccomp(policed, pod),
    ...checkLabel(`${at}.seLinuxOptions`, spec, context.seLinuxOptions),
    ...checkHost(spec, pod),
    ...checkSysctls(spec, pod),
    ...checkVolumes(policed, pod),
    ...checkRuntimeClass(spec, pod.spec?.runtimeClassName),
    ...placedContainers(pod.spec ?? {}).flatMap((one) => checkContainer(policed, pod, one.container, one.at)),
  ];
}

const hostNamespaces = [
  ['hostNetwork', 'Host network is not allowed to be used'],
  ['hostPID', 'Host PID is not allowed to be used'],
  ['hostIPC', 'Host IPC is not allowed to be used'],
] as const;

const checkHost = (policy: PolicySpec, { spec = {} }: Pod): FieldError[] =>
  hostNamespaces
    .filter(([key]) => spec[key] && !policy[key])
    .map(([key, why]) => invalidValue(`spec.securityContext.${key}`, true, why));

const safeSysctls: readonly string[] = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];

function checkSysctls(
  { allowedUnsafeSysctls = [], forbiddenSysctls = [] }: PolicySpec,
  { spec = {} }: Pod,
): FieldError[] {
  return (spec.securityContext?.sysctls ?? []).flatMap(({ name = '' }, index) => {
    const at = `pod.spec.securityContext.sysctls[${index}]`;
    const shown = JSON.stringify(name);
    if (forbiddenSysctls.some((one) => coversSysctl(one, name)))
      return [forbiddenField(at, `sysctl ${shown} is not allowed`)];
    if (safeSysctls.includes(name) || allowedUnsafeSysctls.some((one) => coversSysctl(one, name))) return [];
    return [forbiddenField(at, `unsafe sysctl ${shown} is not allowed`)];
  });
}

function checkRuntimeClass({ runtimeClass }: PolicySpec, name: string | undefined): FieldError[] {
  if (runtimeClass === undefined || name === undefined) return [];
  const allowed = runtimeClass.allowedRuntimeClassNames ?? [];
  return allowed.includes('*') || allowed.includes(name) ? [] : [invalidValue('spec.runtimeClassName', name, '')];
}

type Label = SecurityContext['seLinuxOptions'];

function checkLabel(at: string, { seLinux }: PolicySpec, label: Label): FieldError[] {
  if (seLinux?.rule !== 'MustRunAs') return [];
  if (label === undefined) return [required(at)];
  const wanted = seLinux.seLinuxOptions ?? {};
  return (['level', 'role', 'type', 'user'] as const)
    .filter((key) => !isSamePart(key, wanted[key] ?? '', label[key] ?? ''))
    .map((key) => invalidValue(`${at}.${key}`, label[key] ?? '', `must be ${wanted[key] ?? ''}`));
}

/** The order of the categories of a level means nothing. */
function isSamePart(key: string, wanted: string, given: string): boolean {
  if (wanted === given || key !== 'level') return wanted === given;
  const parts = (level: string) => {
    const at = level.indexOf(':');
    return at < 0
      ? undefined
      : `${level.slice(0, at)}:${level
          .slice(at + 1)
          .split(',')
          .sort()
          .join(',')}`;
  };
  return parts(wanted) !== undefined && parts(wanted) === parts(given);
}

function checkContainer(policed: Policed, pod: Pod, container: Container, place: string): readonly FieldError[] {
  const { spec } = policed;
  const own = container.securityContext;
  const ofPod = pod.spec?.securityContext;
  const at = `${place}.securityContext`;
  const runAsUser = effective('runAsUser', own, ofPod);
  const runAsNonRoot = effective('runAsNonRoot', own, ofPod);
  const group = effective('runAsGroup', own, ofPod);
  return [
    ...checkUser(at, spec.runAsUser, { runAsUser, runAsNonRoot }),
    ...checkGroups(at, spec.runAsGroup, group === undefined ? [] : [group]),
    ...checkLabel(`${at}.seLinuxOptions`, spec, effective('seLinuxOptions', own, ofPod)),
    ...checkAppArmor(policed, pod, container),
    ...checkContainerSeccomp(policed, pod, container),
    ...checkRights(spec, own, at),
    ...checkCapabilities(spec, own?.capabilities, `${at}.capabilities`),
    ...checkPorts(spec, container, place),
    ...checkRoot(spec, own, at),
  ];
}

function checkRights(spec: PolicySpec, own: SecurityContext | undefined, at: string): FieldError[] {
  const { allowedProcMountTypes: mounts = [] } = spec;
  const allowed = mounts.length === 0 ? ['Default'] : mounts;
  const procMount = own?.procMount ?? 'Default';
  return [
    ...(own?.privileged && !spec.privileged
      ? [invalidValue(`${at}.privileged`, true, 'Privileged containers are not allowed')]
      : []),
    ...(allowed.includes(procMount)
      ? []
      : [invalidValue(`${at}.procMount`, procMount, 'ProcMountType is not allowed')]),
  ];
}

function checkCapabilities(spec: PolicySpec, given: SecurityContext['capabilities'], at: string): FieldError[] {
  const { defaultAddCapabilities = [], requiredDropCapabilities = [], allowedCapabilities = [] } = spec;
  if (given === undefined) {
    const needsNone = defaultAddCapabilities.length + requiredDropCapabilities.length === 0;
    return needsNone ? [] : [invalidValue(at, null, 'required capabilities are not set on the securityContext')];
  }
  if (allowedCapabilities.includes('*')) return [];
  const { add = [], drop = [] } = given;
  const mayBeAdded = (one: string) => defaultAddCapabilities.includes(one) || allowedCapabilities.includes(one);
  return [
    ...add
      .filter((one) => !mayBeAdded(one))
      .map((one) => invalidValue(`${at}.add`, one, 'capability may not be added')),
    ...requiredDropCapabilities
      .filter((one) => !drop.includes(one))
      .map((one) => invalidValue(`${at}.drop`, drop, `${one} is required to be dropped but was not found`)),
  ];
}

/** compat: a port of the node is reported at the container, not at its entry in the list of ports */
function checkPorts({ hostPorts = [] }: PolicySpec, { ports = [] }: Container, place: string): FieldError[] {
  const ranges = hostPorts.map(({ min = 0, max = 0 }) => ({ min, max }));
  const shown = ranges.map(({ min, max }) => (min === max ? `${min}` : `${min}-${max}`)).join(',');
  return ports
    .map(({ hostPort = 0 }) => hostPort)
    .filter((port) => port > 0 && !ranges.some(({ min, max }) => port >= min && port <= max))
    .map((port) => {
      const detail = `Host port ${port} is not allowed to be used. Allowed ports: [${shown}]`;
      return invalidValue(`${place}.hostPort`, port, detail);
    });
}

function checkRoot(spec: PolicySpec, own: SecurityContext | undefined, at: string): FieldError[] {
  const { readOnlyRootFilesystem: readOnly, allowPrivilegeEscalation: escalates } = own ?? {};
  const root = 'readOnlyRootFilesystem';
  return [
    ...(spec.readOnlyRootFilesystem && readOnly === undefined
      ? [invalidValue(`${at}.${root}`, null, 'ReadOnlyRootFilesystem may not be nil and must be set to true')]
      : []),
    ...(spec.readOnlyRootFilesystem && readOnly === false
      ? [invalidValue(`${at}.${root}`, false, 'ReadOnlyRootFilesystem must be set to true')]
      : []),
    ...(spec.allowPrivilegeEscalation === false && escalates !== false
      ? [
          invalidValue(
            `${at}.allowPrivilegeEscalation`,
            escalates ?? null,
            'Allowing privilege escalation for containers is not allowed',
          ),
        ]
      : []),
  ];
}
