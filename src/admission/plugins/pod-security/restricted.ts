// The level restricted: what a pod that needs nothing special can do without, it must do without.

import {
  addedCapabilities,
  addedDetail,
  badSeccomp,
  capabilities,
  hostPaths,
  procMount,
  seccomp,
  seccompTypeOf,
  strictProcMount,
} from './baseline.ts';
import {
  type Check,
  containersOf,
  distinct,
  hasOwnUsers,
  isWindows,
  listed,
  named,
  setters,
  type Violation,
} from './check.ts';

const found = (reason: string, details: readonly string[], separator = ', '): Violation | undefined =>
  details.length === 0 ? undefined : { reason, detail: details.join(separator) };

const escalation: Check = {
  since: 8,
  run(pod) {
    if (isWindows(pod)) return undefined;
    const open = containersOf(pod.spec).filter((one) => one.securityContext?.allowPrivilegeEscalation !== false);
    if (open.length === 0) return undefined;
    const detail = `${listed('container', named(open))} must set securityContext.allowPrivilegeEscalation=false`;
    return found('allowPrivilegeEscalation != false', [detail]);
  },
};

const mayAdd = new Set(['NET_BIND_SERVICE']);

const restrictedCapabilities: Check = {
  since: 22,
  run(pod) {
    if (isWindows(pod)) return undefined;
    const all = containersOf(pod.spec);
    const keeping = all.filter((one) => !(one.securityContext?.capabilities?.drop ?? []).includes('ALL'));
    const added = addedCapabilities(all, mayAdd);
    const details = [
      ...(keeping.length === 0
        ? []
        : [`${listed('container', named(keeping))} must set securityContext.capabilities.drop=["ALL"]`]),
      ...(added.names.length === 0 ? [] : [addedDetail(added.names, added.capabilities)]),
    ];
    return found('unrestricted capabilities', details, '; ');
  },
};

const plainVolumes = [
  ...['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'image', 'persistentVolumeClaim', 'projected'],
  'secret',
];

const volumes: Check = {
  since: 0,
  run({ spec }) {
    const typesOf = (volume: object) => Object.keys(volume).filter((key) => key !== 'name');
    const typeOf = (volume: object) => typesOf(volume)[0] ?? 'unknown';
    const odd = (spec.volumes ?? []).filter((volume) => !typesOf(volume).some((type) => plainVolumes.includes(type)));
    if (odd.length === 0) return undefined;
    const verb = odd.length === 1 ? 'uses' : 'use';
    const names = odd.map(({ name }) => name ?? '');
    const types = listed('restricted volume type', distinct(odd.map(typeOf)));
    return found('restricted volume types', [`${listed('volume', names)} ${verb} ${types}`]);
  },
};

const nonRoot: Check = {
  since: 0,
  run(pod) {
    if (hasOwnUsers(pod)) return undefined;
    const { spec } = pod;
    const ofPod = spec.securityContext?.runAsNonRoot;
    const all = containersOf(spec);
    const refusing = all.filter((one) => one.securityContext?.runAsNonRoot === false);
    const silent = all.filter((one) => one.securityContext?.runAsNonRoot === undefined);
    const who = setters(ofPod === false, named(refusing));
    if (who !== undefined)
      return found('runAsNonRoot != true', [`${who.join(' and ')} must not set securityContext.runAsNonRoot=false`]);
    if (ofPod === true || silent.length === 0) return undefined;
    return found('runAsNonRoot != true', [
      `pod or ${listed('container', named(silent))} must set securityContext.runAsNonRoot=true`,
    ]);
  },
};

const notRootUser: Check = {
  since: 23,
  run(pod) {
    if (hasOwnUsers(pod)) return undefined;
    const { spec } = pod;
    const roots = containersOf(spec).filter((one) => one.securityContext?.runAsUser === 0);
    const who = setters(spec.securityContext?.runAsUser === 0, named(roots));
    return who && found('runAsUser=0', [`${who.join(' and ')} must not set runAsUser=0`]);
  },
};

const restrictedSeccomp: Check = {
  since: 19,
  run(pod) {
    if (isWindows(pod)) return undefined;
    const { spec } = pod;
    const bad = badSeccomp(spec);
    if (bad !== undefined) return bad;
    const silent = containersOf(spec).filter((one) => seccompTypeOf(one) === undefined);
    if (seccompTypeOf(spec) !== undefined || silent.length === 0) return undefined;
    return found('seccompProfile', [
      `pod or ${listed('container', named(silent))} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
    ]);
  },
};

interface RestrictedCheck extends Check {
  /** The milder check that it stands in for. */
  readonly insteadOf?: Check;
}

/** In the order in which they are told, after those of baseline. */
export const restrictedChecks: readonly RestrictedCheck[] = [
  escalation,
  { ...restrictedCapabilities, insteadOf: capabilities },
  { ...strictProcMount, insteadOf: procMount },
  { ...volumes, insteadOf: hostPaths },
  nonRoot,
  notRootUser,
  { ...restrictedSeccomp, insteadOf: seccomp },
];
