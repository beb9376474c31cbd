// AppArmor profiles were annotations before they were fields; on new pods the field takes over what an annotation says.

import { getOwn, isSameJson } from '../../../../base/json/json.ts';
import type { Dialect } from '../../../../meta/dialect.ts';
import { type Warnings, warnEach } from '../../../../meta/warn-each.ts';
import type { Infer } from '../../../../schema/types.ts';
import type { Container } from './container-defaults.ts';
import type { PodSpec } from './pod-spec.ts';
import type { appArmorProfile } from './security-context.ts';

type Profile = Infer<typeof appArmorProfile>;
type Annotations = Readonly<Record<string, string>>;

export const profileAnnotation = ({ labelDomain }: Dialect, container: string): string =>
  `container.apparmor.security.beta.${labelDomain}/${container}`;

function hasProfiles(annotations: Annotations, dialect: Dialect): boolean {
  const start = profileAnnotation(dialect, '');
  return Object.keys(annotations).some((key) => key.startsWith(start));
}

/** Undefined for what is no profile. */
function annotatedProfile(text: string | undefined): Profile | undefined {
  if (text === 'unconfined') return { type: 'Unconfined' };
  if (text === 'runtime/default') return { type: 'RuntimeDefault' };
  const [, name] = /^localhost\/(\S(?:.*\S)?)$/.exec(text ?? '') ?? [];
  return name === undefined ? undefined : { type: 'Localhost', localhostProfile: name };
}

/** What is said of a profile that stands in an annotation alone; a field of the pod may say the same. */
export function annotatedProfileWarnings(
  container: Container,
  whole: Profile | undefined,
  annotations: Annotations,
  dialect: Dialect,
  prefix = '',
): Warnings {
  const key = profileAnnotation(dialect, container.name ?? '');
  const text = getOwn(annotations, key);
  if (text === undefined || container.securityContext?.appArmorProfile !== undefined) return [];
  const profile = annotatedProfile(text);
  if (profile !== undefined && whole !== undefined && isSameJson(profile, whole)) return [];
  return [`${prefix}metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`];
}

/** The same for all containers of a pod, whose fields take over what annotations say. */
export function newProfileWarnings(spec: PodSpec, annotations: Annotations, dialect: Dialect): Warnings {
  if (spec.os?.name === 'windows' || !hasProfiles(annotations, dialect)) return [];
  const whole = spec.securityContext?.appArmorProfile;
  return warnEach(['initContainers', 'containers', 'ephemeralContainers'] as const, (list) =>
    warnEach<Container>(spec[list] ?? [], (one) => annotatedProfileWarnings(one, whole, annotations, dialect)),
  );
}

/** Containers that say nothing themselves get the profile of their annotation, unless the pod has it anyway. */
export function withAnnotatedProfiles(spec: PodSpec, annotations: Annotations, dialect: Dialect): PodSpec {
  if (spec.os?.name === 'windows' || !hasProfiles(annotations, dialect)) return spec;
  const whole = spec.securityContext?.appArmorProfile;
  const filled = (one: Container): Container => {
    const profile = annotatedProfile(annotations[profileAnnotation(dialect, one.name ?? '')]);
    const given = one.securityContext?.appArmorProfile;
    if (profile === undefined || given !== undefined || isSameJson(profile, whole)) return one;
    return { ...one, securityContext: { ...one.securityContext, appArmorProfile: profile } };
  };
  return {
    ...spec,
    ...(spec.containers ? { containers: spec.containers.map(filled) } : {}),
    ...(spec.initContainers ? { initContainers: spec.initContainers.map(filled) } : {}),
  };
}
