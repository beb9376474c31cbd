// The level baseline: nothing that is known to let a pod out of its box.

import type { Container } from '../../../groups/core/v1/pod/container-defaults.ts';
import type { PodSpec } from '../../../groups/core/v1/pod/pod-spec.ts';
import { labelKey } from '../../../meta/dialect.ts';
import {
  type Check,
  type CheckedPod,
  containersOf,
  distinct,
  hasOwnUsers,
  listed,
  named,
  quoted,
  setters,
  type Violation,
} from './check.ts';

const found = (reason: string, detail: string | undefined): Violation | undefined =>
  detail === undefined ? undefined : { reason, detail };

const appArmor: Check = {
  since: 0,
  run({ spec, annotations, dialect }) {
    const typeOf = (one: { securityContext?: { appArmorProfile?: { type?: string } } }) =>
      one.securityContext?.appArmorProfile?.type;
    const isForbidden = (type: string | undefined): type is string =>
      type !== undefined && !['RuntimeDefault', 'Localhost'].includes(type);
    const containers = containersOf(spec).filter((one) => isForbidden(typeOf(one)));
    const prefix = `container.apparmor.security.beta.${labelKey(dialect, '')}`;
    const marks = Object.entries(annotations)
      .filter(([key, value]) => key.startsWith(prefix) && !isAllowedMark(value))
      .map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    const who = [
      ...(setters(isForbidden(typeOf(spec)), named(containers)) ?? []),
      ...(marks.length === 0 ? [] : [marks.length === 1 ? 'annotation' : 'annotations']),
    ];
    if (who.length === 0) return undefined;
    const values = [...distinct([spec, ...containers].map(typeOf).filter(isForbidden)), ...marks.sort()];
    const reason = `forbidden AppArmor profile${values.length === 1 ? '' : 's'}`;
    return found(reason, `${who.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`);
  },
};

const isAllowedMark = (value: string) => value === '' || value === 'runtime/default' || value.startsWith('localhost/');

const harmlessCapabilities = new Set([
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE'],
  ...['SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
]);

/** Capabilities that containers add beyond some. */
export function addedCapabilities(
  containers: readonly Container[],
  allowed: ReadonlySet<string>,
): { readonly names: readonly string[]; readonly capabilities: readonly string[] } {
  const beyond = ({ securityContext }: Container) =>
    (securityContext?.capabilities?.add ?? []).filter((one) => !allowed.has(one));
  const adding = containers.filter((container) => beyond(container).length > 0);
  return { names: named(adding), capabilities: distinct(adding.flatMap(beyond)) };
}

export const addedDetail = (names: readonly string[], capabilities: readonly string[]) =>
  `${listed('container', names)} must not include ${quoted(capabilities)} in securityContext.capabilities.add`;

export const capabilities: Check = {
  since: 0,
  run({ spec }) {
    const added = addedCapabilities(containersOf(spec), harmlessCapabilities);
    if (added.names.length === 0) return undefined;
    return found('non-default capabilities', addedDetail(added.names, added.capabilities));
  },
};

const hostNamespaces: Check = {
  since: 0,
  run({ spec }) {
    const used = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field]);
    return found('host namespaces', used.map((field) => `${field}=true`).join(', ') || undefined);
  },
};

export const hostPaths: Check = {
  since: 0,
  run({ spec }) {
    const volumes = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined);
    if (volumes.length === 0) return undefined;
    return found(
      'hostPath volumes',
      listed(
        'volume',
        volumes.map(({ name }) => name ?? ''),
      ),
    );
  },
};

const hostPorts: Check = {
  since: 0,
  run({ spec }) {
    const portsOf = ({ ports = [] }: Container) =>
      ports.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [hostPort]));
    const using = containersOf(spec).filter((container) => portsOf(container).length > 0);
    if (using.length === 0) return undefined;
    const ports = distinct(using.flatMap(portsOf).map(String));
    const verb = using.length === 1 ? 'uses' : 'use';
    return found(
      'hostPort',
      `${listed('container', named(using))} ${verb} hostPort${ports.length === 1 ? '' : 's'} ${ports.join(', ')}`,
    );
  },
};

const hostProbes: Check = {
  since: 34,
  run({ spec }) {
    const using = containersOf(spec).filter((container) => hostsOf(container).length > 0);
    if (using.length === 0) return undefined;
    const hosts = distinct(using.flatMap(hostsOf));
    // compat: only here containers are told in the order of their names
    const names = distinct(named(using));
    const verb = names.length === 1 ? 'uses' : 'use';
    return found(
      'probe or lifecycle host',
      `${listed('container', names)} ${verb} ${listed('probe or lifecycle host', hosts)}`,
    );
  },
};

/** Other places than the container itself that its probes and hooks would ask. */
function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): readonly string[] {
  const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
  const hosts = handlers.flatMap((handler) => [handler?.httpGet?.host ?? '', handler?.tcpSocket?.host ?? '']);
  return hosts.filter((host) => host !== '');
}

const privileged: Check = {
  since: 0,
  run({ spec }) {
    const mighty = containersOf(spec).filter(({ securityContext }) => securityContext?.privileged === true);
    if (mighty.length === 0) return undefined;
    return found('privileged', `${listed('container', named(mighty))} must not set securityContext.privileged=true`);
  },
};

function maskedProc(spec: PodSpec): Violation | undefined {
  const isOdd = (mount: string | undefined) => mount !== undefined && mount !== 'Default';
  const odd = containersOf(spec).filter(({ securityContext }) => isOdd(securityContext?.procMount));
  if (odd.length === 0) return undefined;
  const mounts = distinct(odd.map(({ securityContext }) => securityContext?.procMount ?? ''));
  return found(
    'procMount',
    `${listed('container', named(odd))} must not set securityContext.procMount to ${quoted(mounts)}`,
  );
}

export const procMount: Check = {
  since: 0,
  run: (pod) => (hasOwnUsers(pod) ? undefined : maskedProc(pod.spec)),
};

/** The same for pods that have users of their own. */
export const strictProcMount: Check = { since: 35, run: ({ spec }) => maskedProc(spec) };

type Labelled = { readonly securityContext?: { readonly seLinuxOptions?: Readonly<Record<string, string>> } };

const seLinux: Check = {
  since: 0,
  run({ spec, release }) {
    const allowed = [
      '',
      'container_t',
      'container_init_t',
      'container_kvm_t',
      ...(release >= 31 ? ['container_engine_t'] : []),
    ];
    const optionsOf = (one: unknown) => (one as Labelled).securityContext?.seLinuxOptions ?? {};
    const isBad = (one: unknown) => {
      const { type = '', user = '', role = '' } = optionsOf(one);
      return !allowed.includes(type) || user !== '' || role !== '';
    };
    const containers = containersOf(spec).filter(isBad);
    const who = setters(isBad(spec), named(containers));
    if (who === undefined) return undefined;
    const bad = [spec, ...containers].map(optionsOf);
    const types = distinct(bad.flatMap(({ type = '' }) => (allowed.includes(type) ? [] : [type])));
    const data = [
      ...(types.length === 0 ? [] : [listed('type', types)]),
      ...(bad.some(({ user = '' }) => user !== '') ? ['user may not be set'] : []),
      ...(bad.some(({ role = '' }) => role !== '') ? ['role may not be set'] : []),
    ];
    return found(
      'seLinuxOptions',
      `${who.join(' and ')} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}`,
    );
  },
};

const seccompTypes = ['RuntimeDefault', 'Localhost'];

type Confined = { readonly securityContext?: { readonly seccompProfile?: { readonly type?: string } } };
export const seccompTypeOf = (one: Confined): string | undefined => one.securityContext?.seccompProfile?.type;
const isUnconfined = (type: string | undefined): type is string => type !== undefined && !seccompTypes.includes(type);

/** Profiles that a pod or its containers choose and may not. */
export function badSeccomp(spec: PodSpec): Violation | undefined {
  const bad = containersOf(spec).filter((one) => isUnconfined(seccompTypeOf(one)));
  const who = setters(isUnconfined(seccompTypeOf(spec)), named(bad));
  if (who === undefined) return undefined;
  const types = distinct([spec, ...bad].map(seccompTypeOf).filter(isUnconfined));
  return found(
    'seccompProfile',
    `${who.join(' and ')} must not set securityContext.seccompProfile.type to ${quoted(types)}`,
  );
}

export const seccomp: Check = {
  since: 0,
  run: (pod) => (pod.release < 19 ? annotatedSeccomp(pod) : badSeccomp(pod.spec)),
};

/** Before 1.19 profiles were chosen by annotations. */
function annotatedSeccomp({ spec, annotations, dialect }: CheckedPod): Violation | undefined {
  const at = (prefix: string, name: string) => `${prefix}.seccomp.security.alpha.${labelKey(dialect, name)}`;
  const keys = [at('', 'pod').slice(1), ...named(containersOf(spec)).map((name) => at('container', name))];
  const isAllowed = (value: string) =>
    value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/');
  const bad = keys.filter((key) => Object.hasOwn(annotations, key) && !isAllowed(annotations[key] ?? ''));
  const marks = distinct(bad.map((key) => `${key}=${JSON.stringify(annotations[key])}`));
  if (marks.length === 0) return undefined;
  return found('seccompProfile', `forbidden annotation${marks.length === 1 ? '' : 's'} ${marks.join(', ')}`);
}

/** Settings of the kernel that concern no other pod, and the release that allowed them. */
const harmlessSysctls: ReadonlyMap<string, number> = new Map([
  ['kernel.shm_rmid_forced', 0],
  ['net.ipv4.ip_local_port_range', 0],
  ['net.ipv4.tcp_syncookies', 0],
  ['net.ipv4.ping_group_range', 0],
  ['net.ipv4.ip_unprivileged_port_start', 0],
  ['net.ipv4.ip_local_reserved_ports', 27],
  ['net.ipv4.tcp_keepalive_time', 29],
  ['net.ipv4.tcp_fin_timeout', 29],
  ['net.ipv4.tcp_keepalive_intvl', 29],
  ['net.ipv4.tcp_keepalive_probes', 29],
  ['net.ipv4.tcp_rmem', 32],
  ['net.ipv4.tcp_wmem', 32],
]);

const sysctls: Check = {
  since: 0,
  run({ spec, release }) {
    const names = (spec.securityContext?.sysctls ?? []).map(({ name = '' }) => name);
    const bad = names.filter((name) => (harmlessSysctls.get(name) ?? Number.POSITIVE_INFINITY) > release);
    return found('forbidden sysctls', bad.join(', ') || undefined);
  },
};

const hostProcess: Check = {
  since: 0,
  run({ spec }) {
    const isHost = (one: { securityContext?: { windowsOptions?: { hostProcess?: boolean } } }) =>
      one.securityContext?.windowsOptions?.hostProcess === true;
    const who = setters(isHost(spec), named(containersOf(spec).filter(isHost)));
    return found(
      'hostProcess',
      who && `${who.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true`,
    );
  },
};

/** In the order in which they are told. */
export const baselineChecks: readonly Check[] = [
  appArmor,
  capabilities,
  hostNamespaces,
  hostPaths,
  hostPorts,
  hostProbes,
  privileged,
  procMount,
  seLinux,
  seccomp,
  sysctls,
  hostProcess,
];
