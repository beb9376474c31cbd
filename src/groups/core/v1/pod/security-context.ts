// Types of security context: SecurityContext, Capabilities, SELinuxOptions and others.

import { bool, field, int64, listOf, string, struct } from '../../../../schema/types.ts';

const home = 'core/v1';

const capabilities = struct(home, 'Capabilities', 'Linux capabilities changed against the runtime default.', () => ({
  add: field(1, listOf(string), {
    goType: '[]Capability',
    listType: 'atomic',
    about: 'Capabilities to grant, such as NET_ADMIN, without the CAP_ prefix.',
  }),
  drop: field(2, listOf(string), {
    goType: '[]Capability',
    listType: 'atomic',
    about: 'Capabilities to take away; ALL removes every one.',
  }),
}));

export const seLinuxOptions = struct(home, 'SELinuxOptions', 'The parts of an SELinux label.', () => ({
  user: field(1, string, { about: 'User part of the SELinux label.' }),
  role: field(2, string, { about: 'Role part of the SELinux label.' }),
  type: field(3, string, { about: 'Type part of the label, such as container_t.' }),
  level: field(4, string, { about: 'Level part of the label, such as s0:c123,c456.' }),
}));

export const windowsSecurityContextOptions = struct(
  home,
  'WindowsSecurityContextOptions',
  'Security settings for Windows containers.',
  () => ({
    gmsaCredentialSpecName: field(1, string, {
      pointer: true,
      about: 'Name of the GMSA credential spec object to use.',
    }),
    gmsaCredentialSpec: field(2, string, {
      pointer: true,
      about: 'Content of the credential spec, normally filled in by the GMSA webhook.',
    }),
    runAsUserName: field(3, string, {
      pointer: true,
      about: 'Windows user that runs the main process; the image decides if left out.',
    }),
    hostProcess: field(4, bool, {
      pointer: true,
      about: 'Run as a HostProcess container; the same for all containers, and hostNetwork must be true.',
    }),
  }),
);

export const seccompProfile = struct(home, 'SeccompProfile', 'Selects a seccomp filter for system calls.', () => ({
  type: field(1, string, {
    goType: 'SeccompProfileType',
    always: true,
    required: true,
    enum: ['Localhost', 'RuntimeDefault', 'Unconfined'],
    about: 'RuntimeDefault, Unconfined, or Localhost to use a file on the node.',
  }),
  localhostProfile: field(2, string, {
    pointer: true,
    about: 'Profile file on the node, relative to the seccomp directory of the node agent; only with type Localhost.',
  }),
}));

export const appArmorProfile = struct(home, 'AppArmorProfile', 'Selects the AppArmor profile to apply.', () => ({
  type: field(1, string, {
    goType: 'AppArmorProfileType',
    always: true,
    required: true,
    enum: ['Localhost', 'RuntimeDefault', 'Unconfined'],
    about: 'RuntimeDefault, Unconfined, or Localhost to use a profile loaded on the node.',
  }),
  localhostProfile: field(2, string, {
    pointer: true,
    about: 'Name of a profile loaded on the node; only with type Localhost.',
  }),
}));

export const securityContext = struct(home, 'SecurityContext', 'Security settings of one container.', () => ({
  capabilities: field(1, capabilities, {
    pointer: true,
    about: 'Linux capabilities to add or drop compared with the runtime default.',
  }),
  privileged: field(2, bool, {
    pointer: true,
    about: 'Run with nearly all rights of root on the host; false by default.',
  }),
  seLinuxOptions: field(3, seLinuxOptions, {
    pointer: true,
    about: 'SELinux context of the container; chosen by the runtime if left out.',
  }),
  windowsOptions: field(10, windowsSecurityContextOptions, {
    pointer: true,
    about: 'Settings that only apply to a Windows container.',
  }),
  runAsUser: field(4, int64, {
    pointer: true,
    about: 'Numeric user id of the main process; the image decides if left out.',
  }),
  runAsGroup: field(8, int64, { pointer: true, about: 'Numeric primary group id of the main process.' }),
  runAsNonRoot: field(5, bool, {
    pointer: true,
    about: 'If true, the node agent refuses to start the container as user id 0.',
  }),
  readOnlyRootFilesystem: field(6, bool, {
    pointer: true,
    about: 'Mount the root file system of the container read-only; false by default.',
  }),
  allowPrivilegeEscalation: field(7, bool, {
    pointer: true,
    about: 'Whether a process may gain more rights than its parent; always true when privileged.',
  }),
  procMount: field(9, string, {
    goType: 'ProcMountType',
    pointer: true,
    enum: ['Default', 'Unmasked'],
    about: 'How /proc is mounted: Default masks sensitive paths, Unmasked does not and needs hostUsers false.',
  }),
  seccompProfile: field(11, seccompProfile, {
    pointer: true,
    about: 'Seccomp filter of the container; wins over that of the pod.',
  }),
  appArmorProfile: field(12, appArmorProfile, {
    pointer: true,
    about: 'AppArmor profile of the container; wins over that of the pod.',
  }),
}));

export const sysctl = struct(home, 'Sysctl', 'One kernel setting of a pod.', () => ({
  name: field(1, string, { always: true, required: true, about: 'Name of the setting, such as net.core.somaxconn.' }),
  value: field(2, string, { always: true, required: true, about: 'Value to set, written as a string.' }),
}));

export const podSecurityContext = struct(
  home,
  'PodSecurityContext',
  'Security settings for all containers of a pod.',
  () => ({
    seLinuxOptions: field(1, seLinuxOptions, {
      pointer: true,
      about: 'SELinux context for all containers; chosen by the runtime if left out. Not on Windows.',
    }),
    windowsOptions: field(8, windowsSecurityContextOptions, {
      pointer: true,
      about: 'Settings that only apply to Windows containers.',
    }),
    runAsUser: field(2, int64, {
      pointer: true,
      about: 'Numeric user id for the processes; the image decides if left out.',
    }),
    runAsGroup: field(6, int64, {
      pointer: true,
      about: 'Numeric primary group id for the processes; the runtime default if left out.',
    }),
    runAsNonRoot: field(3, bool, {
      pointer: true,
      about: 'If true, the node agent refuses to start containers that would run as user id 0.',
    }),
    supplementalGroups: field(4, listOf(int64), {
      listType: 'atomic',
      about: 'Extra numeric group ids for the first process of each container.',
    }),
    supplementalGroupsPolicy: field(12, string, {
      goType: 'SupplementalGroupsPolicy',
      pointer: true,
      enum: ['Merge', 'Strict'],
      about: 'Merge (default) adds groups from the image /etc/group, Strict uses only those listed in the pod.',
    }),
    fsGroup: field(5, int64, {
      pointer: true,
      about: 'Group id that owns supported volumes and is added to the groups of every container.',
    }),
    sysctls: field(7, listOf(sysctl), { listType: 'atomic', about: 'Namespaced kernel settings to apply to the pod.' }),
    fsGroupChangePolicy: field(9, string, {
      goType: 'PodFSGroupChangePolicy',
      pointer: true,
      enum: ['Always', 'OnRootMismatch'],
      about: 'When volume ownership is changed to fsGroup: Always (default) or OnRootMismatch, which is faster.',
    }),
    seccompProfile: field(10, seccompProfile, {
      pointer: true,
      about: 'Seccomp filter for the containers of the pod.',
    }),
    appArmorProfile: field(11, appArmorProfile, {
      pointer: true,
      about: 'AppArmor profile for the containers of the pod.',
    }),
    seLinuxChangePolicy: field(13, string, {
      goType: 'PodSELinuxChangePolicy',
      pointer: true,
      about: 'How volumes get their SELinux label: MountOption (fast, default) or Recursive relabeling.',
    }),
  }),
);
