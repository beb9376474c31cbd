// What a policy fills in where a pod says nothing.

import { profileAnnotation } from '../../../groups/core/v1/pod/apparmor-annotations.ts';
import type { Container } from '../../../groups/core/v1/pod/container-defaults.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import { profileKeys } from '../../../groups/policy/v1beta1/pod-security-policy-rules.ts';
import type { PolicySpec } from '../../../groups/policy/v1beta1/pod-security-policy-type.ts';
import { withMeta } from '../../../meta/object.ts';
import { firstId } from './id-ranges.ts';
import {
  defined,
  effective,
  mapContainers,
  type PodSecurityContext,
  type Policed,
  placedContainers,
  type SecurityContext,
} from './policed-pod.ts';
import { appArmorOf, containerSeccomp, podSeccompKey, seccompField } from './profiles.ts';

/** The pod as the policy would have it; equal to what was given where the policy adds nothing. */
export function withDefaults(policed: Policed, pod: Pod): Pod {
  const annotated = withAnnotations(policed, pod);
  const securityContext = podContext(policed, annotated);
  const { runtimeClass } = policed.spec;
  const runtimeClassName = annotated.spec?.runtimeClassName ?? runtimeClass?.defaultRuntimeClassName;
  const spec = mapContainers(annotated.spec ?? {}, (container) =>
    withContext(container, containerContext(policed, annotated, container, securityContext)),
  );
  const isSaid = pod.spec?.securityContext !== undefined || Object.keys(securityContext).length > 0;
  return {
    ...annotated,
    spec: defined({ ...spec, ...(isSaid ? { securityContext } : {}), runtimeClassName }) as NonNullable<Pod['spec']>,
  };
}

/** Default profiles are noted by annotation too, where nothing else names a profile. */
function withAnnotations({ policy, dialect }: Policed, pod: Pod): Pod {
  const { annotations = {} } = pod.metadata;
  const keys = profileKeys(dialect);
  const said = policy.metadata.annotations ?? {};
  const added: Record<string, string> = {};
  const seccomp = said[keys.seccompDefault];
  const isFree = !annotations[podSeccompKey(dialect)] && pod.spec?.securityContext?.seccompProfile === undefined;
  if (seccomp && isFree) added[podSeccompKey(dialect)] = seccomp;
  const appArmor = said[keys.appArmorDefault];
  if (appArmor)
    for (const { container } of placedContainers(pod.spec ?? {}))
      if (appArmorOf(pod, container, dialect) === '')
        added[profileAnnotation(dialect, container.name ?? '')] = appArmor;
  return Object.keys(added).length === 0 ? pod : withMeta(pod, { annotations: { ...annotations, ...added } });
}

function podContext({ spec, dialect }: Policed, pod: Pod): PodSecurityContext {
  const given = pod.spec?.securityContext ?? {};
  const group = firstId(spec.supplementalGroups);
  const profile = pod.metadata.annotations?.[podSeccompKey(dialect)] ?? '';
  return defined({
    ...given,
    supplementalGroups: given.supplementalGroups ?? (group === undefined ? undefined : [group]),
    fsGroup: given.fsGroup ?? firstId(spec.fsGroup),
    seLinuxOptions: given.seLinuxOptions ?? requiredLabel(spec),
    seccompProfile: given.seccompProfile ?? seccompField(profile),
  }) as PodSecurityContext;
}

const requiredLabel = ({ seLinux }: PolicySpec) =>
  seLinux?.rule === 'MustRunAs' ? (seLinux.seLinuxOptions ?? {}) : undefined;

function containerContext(
  { spec, dialect }: Policed,
  pod: Pod,
  container: Container,
  ofPod: PodSecurityContext,
): SecurityContext {
  const given = container.securityContext ?? {};
  const user = effective('runAsUser', given, ofPod) ?? firstId(spec.runAsUser);
  const group = effective('runAsGroup', given, ofPod) ?? firstId(spec.runAsGroup);
  const label = effective('seLinuxOptions', given, ofPod) ?? requiredLabel(spec);
  const nonRoot = effective('runAsNonRoot', given, ofPod);
  const mustNotBeRoot = nonRoot === undefined && user === undefined && spec.runAsUser?.rule === 'MustRunAsNonRoot';
  return defined({
    ...given,
    runAsUser: user === ofPod.runAsUser ? given.runAsUser : user,
    runAsGroup: group === ofPod.runAsGroup ? given.runAsGroup : group,
    seLinuxOptions: label === ofPod.seLinuxOptions ? given.seLinuxOptions : label,
    runAsNonRoot: mustNotBeRoot ? true : given.runAsNonRoot,
    capabilities: withCapabilities(spec, given.capabilities),
    readOnlyRootFilesystem: given.readOnlyRootFilesystem ?? (spec.readOnlyRootFilesystem ? true : undefined),
    allowPrivilegeEscalation:
      given.allowPrivilegeEscalation ??
      spec.defaultAllowPrivilegeEscalation ??
      (spec.allowPrivilegeEscalation === false ? false : undefined),
    seccompProfile: given.seccompProfile ?? seccompField(containerSeccomp(pod, container, dialect)),
  }) as SecurityContext;
}

const withContext = (container: Container, context: SecurityContext): Container =>
  container.securityContext === undefined && Object.keys(context).length === 0
    ? container
    : { ...container, securityContext: context };

type Capabilities = SecurityContext['capabilities'];

/** What the container drops is not added; what it lists is kept as it is where nothing comes on top. */
function withCapabilities(spec: PolicySpec, given: Capabilities): Capabilities {
  const { add = [], drop = [] } = given ?? {};
  const added = new Set([...(spec.defaultAddCapabilities ?? []).filter((one) => !drop.includes(one)), ...add]);
  const dropped = new Set([...(spec.requiredDropCapabilities ?? []), ...drop]);
  if (added.size === new Set(add).size && dropped.size === new Set(drop).size) return given;
  return {
    ...(added.size === 0 ? {} : { add: [...added].sort() }),
    ...(dropped.size === 0 ? {} : { drop: [...dropped].sort() }),
  };
}
