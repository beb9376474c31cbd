// The level restricted: what a pod that needs nothing special can do without, it must do without.

import { addedCapabilities, addedDetail, capabilities, hostPaths, seccomp } from './baseline.ts';
import { type Check, containersOf, distinct, isWindows, listed, named, quoted, type Violation } from './check.ts';

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
    const typeOf = (volume: object) => Object.keys(volume).find((key) => key !== 'name') ?? 'unknown';
    const odd = (spec.volumes ?? []).filter((volume) => !plainVolumes.includes(typeOf(volume)));
    if (odd.length === 0) return undefined;
    const verb = odd.length === 1 ? 'uses' : 'use';
    const names = odd.map(({ name }) => name ?? '');
    const types = listed('restricted volume type', distinct(odd.map(typeOf)));
    return found('restricted volume types', [`${listed('volume', names)} ${verb} ${types}`]);
  },
};

const nonRoot: Check = {
  since: 0,
  run({ spec }) {
    const ofPod = spec.securityContext?.runAsNonRoot;
    const all = containersOf(spec);
    const refusing = all.filter((one) => one.securityContext?.runAsNonRoot === false);
    const silent = all.filter((one) => one.securityContext?.runAsNonRoot === undefined);
    const details = [
      ...(ofPod === false ? ['pod must not set securityContext.runAsNonRoot=false'] : []),
      ...(refusing.length === 0
        ? []
        : [`${listed('container', named(refusing))} must not set securityContext.runAsNonRoot=false`]),
    ];
    if (details.length > 0 || ofPod === true || silent.length === 0) return found('runAsNonRoot != true', details);
    return found('runAsNonRoot != true', [
      `pod or ${listed('container', named(silent))} must set securityContext.runAsNonRoot=true`,
    ]);
  },
};

const notRootUser: Check = {
  since: 23,
  run({ spec }) {
    const roots = containersOf(spec).filter((one) => one.securityContext?.runAsUser === 0);
    return found('runAsUser=0', [
      ...(spec.securityContext?.runAsUser === 0 ? ['pod must not set runAsUser=0'] : []),
      ...(roots.length === 0 ? [] : [`${listed('container', named(roots))} must not set runAsUser=0`]),
    ]);
  },
};

const profiles = ['RuntimeDefault', 'Localhost'];

const restrictedSeccomp: Check = {
  since: 19,
  run(pod) {
    if (isWindows(pod)) return undefined;
    const { spec } = pod;
    const typeOf = (one: { securityContext?: { seccompProfile?: { type?: string } } }) =>
      one.securityContext?.seccompProfile?.type;
    const isBad = (type: string | undefined) => type !== undefined && !profiles.includes(type);
    const all = containersOf(spec);
    const bad = all.filter((one) => isBad(typeOf(one)));
    const silent = all.filter((one) => typeOf(one) === undefined);
    const ofPod = typeOf(spec);
    const refuse = (who: string, types: readonly string[]) =>
      `${who} must not set securityContext.seccompProfile.type to ${quoted(types)}`;
    const details = [
      ...(isBad(ofPod) ? [refuse('pod', [ofPod ?? ''])] : []),
      ...(bad.length === 0
        ? []
        : [refuse(listed('container', named(bad)), distinct(bad.map((one) => typeOf(one) ?? '')))]),
    ];
    if (details.length > 0 || ofPod !== undefined || silent.length === 0) return found('seccompProfile', details);
    const wanted = profiles.map((type) => JSON.stringify(type)).join(' or ');
    return found('seccompProfile', [
      `pod or ${listed('container', named(silent))} must set securityContext.seccompProfile.type to ${wanted}`,
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
  { ...volumes, insteadOf: hostPaths },
  nonRoot,
  notRootUser,
  { ...restrictedSeccomp, insteadOf: seccomp },
];
