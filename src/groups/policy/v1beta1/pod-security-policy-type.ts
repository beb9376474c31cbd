// Type of PodSecurityPolicy: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import { bool, field, type Infer, int32, int64, listOf, string, struct } from '../../../schema/types.ts';
import { seLinuxOptions } from '../../core/v1/pod/security-context.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'policy/v1beta1';

const idRange = struct(home, 'IDRange', 'A range of numeric ids.', () => ({
  min: field(1, int64, { always: true, required: true, about: 'First id of the range.' }),
  max: field(2, int64, { always: true, required: true, about: 'Last id of the range.' }),
}));

const hostPortRange = struct(home, 'HostPortRange', 'A range of ports of the node.', () => ({
  min: field(1, int32, { always: true, required: true, about: 'First port of the range.' }),
  max: field(2, int32, { always: true, required: true, about: 'Last port of the range.' }),
}));

const ranges = field(2, listOf(idRange), { about: 'Ids that may be used; needed by MustRunAs.' });

const seLinuxStrategyOptions = struct(home, 'SELinuxStrategyOptions', 'Which SELinux labels pods may have.', () => ({
  rule: field(1, string, { always: true, required: true, about: 'MustRunAs or RunAsAny.' }),
  seLinuxOptions: field(2, seLinuxOptions, { pointer: true, about: 'The label that pods must have; for MustRunAs.' }),
}));

const runAsUserStrategyOptions = struct(home, 'RunAsUserStrategyOptions', 'Which users pods may run as.', () => ({
  rule: field(1, string, { always: true, required: true, about: 'MustRunAs, MustRunAsNonRoot or RunAsAny.' }),
  ranges,
}));

const runAsGroupStrategyOptions = struct(home, 'RunAsGroupStrategyOptions', 'Which groups pods may run as.', () => ({
  rule: field(1, string, { always: true, required: true, about: 'MustRunAs, MayRunAs or RunAsAny.' }),
  ranges,
}));

const fsGroupStrategyOptions = struct(home, 'FSGroupStrategyOptions', 'Which groups may own volumes.', () => ({
  rule: field(1, string, { about: 'MustRunAs, MayRunAs or RunAsAny.' }),
  ranges,
}));

const supplementalGroupsStrategyOptions = struct(
  home,
  'SupplementalGroupsStrategyOptions',
  'Which further groups pods may have.',
  () => ({ rule: field(1, string, { about: 'MustRunAs, MayRunAs or RunAsAny.' }), ranges }),
);

const allowedHostPath = struct(home, 'AllowedHostPath', 'Paths of the node that pods may use.', () => ({
  pathPrefix: field(1, string, { about: 'The path, which stands for everything below it too.' }),
  readOnly: field(2, bool, { about: 'Whether all mounts of it must be read-only.' }),
}));

const allowedFlexVolume = struct(home, 'AllowedFlexVolume', 'A driver of flexVolumes that pods may use.', () => ({
  driver: field(1, string, { always: true, required: true, about: 'Name of the driver.' }),
}));

const allowedCSIDriver = struct(home, 'AllowedCSIDriver', 'A CSI driver that inline volumes may use.', () => ({
  name: field(1, string, { always: true, required: true, about: 'Name of the driver.' }),
}));

const runtimeClassStrategyOptions = struct(
  home,
  'RuntimeClassStrategyOptions',
  'Which runtime classes pods may name.',
  () => ({
    allowedRuntimeClassNames: field(1, listOf(string), {
      always: true,
      required: true,
      about: 'Names that are allowed; an asterisk alone allows all, an empty list none.',
    }),
    defaultRuntimeClassName: field(2, string, { pointer: true, about: 'The class of pods that name none.' }),
  }),
);

const texts = (number: number, about: string) => field(number, listOf(string), { about });

const podSecurityPolicySpec = struct(home, 'PodSecurityPolicySpec', 'What pods may do.', () => ({
  privileged: field(1, bool, { about: 'Whether containers may be privileged.' }),
  defaultAddCapabilities: texts(2, 'Capabilities that containers get unless they drop them.'),
  requiredDropCapabilities: texts(3, 'Capabilities that every container must drop.'),
  allowedCapabilities: texts(4, 'Capabilities that containers may add; an asterisk allows all.'),
  volumes: texts(5, 'Types of volumes that may be used; an asterisk allows all.'),
  hostNetwork: field(6, bool, { about: "Whether pods may use the node's network." }),
  hostPorts: field(7, listOf(hostPortRange), { about: 'Ports of the node that containers may open.' }),
  hostPID: field(8, bool, { about: "Whether pods may see the node's processes." }),
  hostIPC: field(9, bool, { about: "Whether pods may use the node's interprocess communication." }),
  seLinux: field(10, seLinuxStrategyOptions, {
    always: true,
    required: true,
    about: 'Which SELinux labels are allowed.',
  }),
  runAsUser: field(11, runAsUserStrategyOptions, { always: true, required: true, about: 'Which users are allowed.' }),
  runAsGroup: field(22, runAsGroupStrategyOptions, {
    pointer: true,
    about: 'Which groups are allowed; any if left out.',
  }),
  supplementalGroups: field(12, supplementalGroupsStrategyOptions, {
    always: true,
    required: true,
    about: 'Which further groups are allowed.',
  }),
  fsGroup: field(13, fsGroupStrategyOptions, {
    always: true,
    required: true,
    about: 'Which groups may own volumes.',
  }),
  readOnlyRootFilesystem: field(14, bool, { about: 'Whether the root file system must be read-only.' }),
  defaultAllowPrivilegeEscalation: field(15, bool, {
    pointer: true,
    about: 'What containers that do not say get for allowPrivilegeEscalation.',
  }),
  allowPrivilegeEscalation: field(16, bool, {
    pointer: true,
    about: 'Whether containers may gain more rights than their parents; true if left out.',
  }),
  allowedHostPaths: field(17, listOf(allowedHostPath), { about: 'Paths of the node that may be used; any if empty.' }),
  allowedFlexVolumes: field(18, listOf(allowedFlexVolume), { about: 'Drivers of flexVolumes; any if empty.' }),
  allowedCSIDrivers: field(23, listOf(allowedCSIDriver), { about: 'Drivers of inline CSI volumes; any if empty.' }),
  allowedUnsafeSysctls: texts(19, 'Unsafe sysctls that are allowed; an asterisk at the end stands for any rest.'),
  forbiddenSysctls: texts(20, 'Sysctls that are forbidden; an asterisk at the end stands for any rest.'),
  allowedProcMountTypes: texts(21, 'Ways to mount /proc; only Default if empty.'),
  runtimeClass: field(24, runtimeClassStrategyOptions, {
    pointer: true,
    about: 'Which runtime classes are allowed; any if left out.',
  }),
}));

export const podSecurityPolicyType = struct(home, 'PodSecurityPolicy', 'Governs what pods may do.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  spec: field(2, podSecurityPolicySpec, { always: true, about: 'What pods may do.' }),
}));

export type PodSecurityPolicy = ApiObject & Infer<typeof podSecurityPolicyType>;

export type PolicySpec = NonNullable<PodSecurityPolicy['spec']>;

export type IdRange = Infer<typeof idRange>;
