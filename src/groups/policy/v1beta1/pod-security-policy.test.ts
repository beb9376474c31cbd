// What a PodSecurityPolicy may say.

import { expect, test } from 'vitest';
import { kubernetes as dialect } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { StrategyContext } from '../../../schema/strategy.ts';
import { podSecurityPolicy } from './pod-security-policy.ts';

const context = { dialect } as StrategyContext;
const any = { rule: 'RunAsAny' };
const open = { seLinux: any, runAsUser: any, supplementalGroups: any, fsGroup: any };

function errorsOf(spec: object, annotations: Record<string, string> = {}): readonly string[] {
  const object = { kind: 'PodSecurityPolicy', apiVersion: 'policy/v1beta1', metadata: { annotations }, spec };
  const { strategy } = podSecurityPolicy;
  const found = strategy?.validateCreate?.(strategy.defaults?.(object, context) as ApiObject, context) ?? [];
  return found.map(({ field, message }) => `${field}: ${message}`);
}

test('a policy without rules says which there are', () => {
  const choices = 'supported values: "MayRunAs", "MustRunAs", "RunAsAny"';
  expect(errorsOf({})).toEqual([
    'spec.runAsUser.rule: Unsupported value: "": supported values: "MustRunAs", "MustRunAsNonRoot", "RunAsAny"',
    'spec.seLinux.rule: Unsupported value: "": supported values: "MustRunAs", "RunAsAny"',
    `spec.supplementalGroups.rule: Unsupported value: "": ${choices}`,
    `spec.fsGroup.rule: Unsupported value: "": ${choices}`,
  ]);
});

test('privileges may grow unless the policy says no', () => {
  const object = { kind: 'PodSecurityPolicy', apiVersion: 'policy/v1beta1', metadata: {}, spec: open };
  expect(podSecurityPolicy.strategy?.defaults?.(object, context)).toMatchObject({
    spec: { allowPrivilegeEscalation: true },
  });
});

test.each<[object, string]>([
  [
    { runAsUser: { rule: 'MustRunAs', ranges: [{ min: -1, max: -2 }] } },
    'spec.runAsUser.ranges[0].min: Invalid value: -1: min cannot be negative',
  ],
  [
    { fsGroup: { rule: 'MustRunAs', ranges: [{ min: 3, max: 2 }] } },
    'spec.fsGroup.ranges[0].min: Invalid value: 3: min cannot be greater than max',
  ],
  [{ runAsGroup: { rule: 'MustRunAs' } }, 'spec.runAsGroup.ranges: Invalid value: []: must provide at least one range'],
  [{ runAsGroup: { rule: 'RunAsAny', ranges: [{ min: 1, max: 2 }] } }, 'Ranges must be empty'],
  [
    { runAsGroup: { rule: 'X' } },
    'spec.runAsGroup.rule: Unsupported value: "X": supported values: "MustRunAs", "RunAsAny", "MayRunAs"',
  ],
  [{ volumes: ['tape'] }, 'spec.volumes: Unsupported value: "tape"'],
  [
    { requiredDropCapabilities: ['A'], allowedCapabilities: ['*'] },
    'requiredDropCapabilities: Invalid value: ["A"]: must be empty when all capabilities are allowed by a wildcard',
  ],
  [
    { requiredDropCapabilities: ['A'], defaultAddCapabilities: ['A'] },
    'defaultAddCapabilities: Invalid value: "A": capability is listed in defaultAddCapabilities and requiredDropCapabilities',
  ],
  [
    { defaultAllowPrivilegeEscalation: true, allowPrivilegeEscalation: false },
    'spec.defaultAllowPrivilegeEscalation: Invalid value: true',
  ],
  [
    { allowedProcMountTypes: ['X'] },
    'spec.allowedProcMountTypes[0]: Unsupported value: "X": supported values: "Default", "Unmasked"',
  ],
  [{ allowedHostPaths: [{}] }, 'spec.allowedHostPaths[0]: Required value: is required'],
  [
    { allowedHostPaths: [{ pathPrefix: '/a/../b' }] },
    'spec.allowedHostPaths[0]: Invalid value: "/a/../b": must not contain \'..\'',
  ],
  [
    { allowedFlexVolumes: [{}] },
    'spec.allowedFlexVolumes.allowedFlexVolumes[0].driver: Required value: must specify a driver',
  ],
  [{ allowedCSIDrivers: [{}] }, 'spec.allowedCSIDrivers.allowedCSIDriver[0].name: Required value'],
  [{ allowedUnsafeSysctls: [''] }, 'spec.allowedUnsafeSysctls[0]: Invalid value: "": empty sysctl not allowed'],
  [
    { forbiddenSysctls: ['a..b'] },
    'spec.forbiddenSysctls[0]: Invalid value: "a..b": must have at most 253 characters and match regex',
  ],
  [
    { forbiddenSysctls: ['*', 'a'] },
    "spec.forbiddenSysctls.items: Forbidden: if '*' is present, must not specify other sysctls",
  ],
  [
    { allowedUnsafeSysctls: ['net.*'], forbiddenSysctls: ['net.ipv4'] },
    'spec.forbiddenSysctls[0]: Invalid value: "net.ipv4": sysctl overlaps with net.*',
  ],
  [
    { allowedUnsafeSysctls: ['net.ipv4'], forbiddenSysctls: ['net.*'] },
    'spec.allowedUnsafeSysctls[0]: Invalid value: "net.ipv4": sysctl overlaps with net.*',
  ],
  [
    { runtimeClass: { allowedRuntimeClassNames: ['a', 'a'] } },
    'spec.runtimeClass.allowedRuntimeClassNames[1]: Duplicate value: "a"',
  ],
  [
    { runtimeClass: { allowedRuntimeClassNames: ['a'], defaultRuntimeClassName: 'b' } },
    'spec.runtimeClass.allowedRuntimeClassNames: Required value: default "b" must be allowed',
  ],
  [
    { runtimeClass: { allowedRuntimeClassNames: ['*', 'a'] } },
    "if '*' is present, must not specify other RuntimeClass names",
  ],
])('%j is refused', (spec, why) => {
  expect(errorsOf({ ...open, ...spec }).join('\n')).toContain(why);
});

test.each<[string, string, string]>([
  ['apparmor.security.beta.kubernetes.io/defaultProfileName', 'x', 'invalid AppArmor profile name: "x"'],
  [
    'apparmor.security.beta.kubernetes.io/allowedProfileNames',
    'runtime/default,x',
    'invalid AppArmor profile name: "x"',
  ],
  ['seccomp.security.alpha.kubernetes.io/defaultProfileName', '*', 'must be a valid seccomp profile'],
  ['seccomp.security.alpha.kubernetes.io/allowedProfileNames', '*,x', 'must be a valid seccomp profile'],
])('annotation %s: %s is refused', (key, value, why) => {
  const found = errorsOf(open, { [key]: value });
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(`metadata.annotations[${key}]: Invalid value`);
  expect(found[0]).toContain(why);
});
