// AppArmor profiles were annotations before they were fields; on new pods the field takes over what an annotation says.

import { isSameJson } from '../../../base/json.ts';
import type { Dialect } from '../../../meta/dialect.ts';
import type { Infer } from '../../../schema/types.ts';
import type { Container } from './container-defaults.ts';
import type { PodSpec } from './pod-spec.ts';
import type { appArmorProfile } from './security-context.ts';

type Profile = Infer<typeof appArmorProfile>;
type Annotations = Readonly<Record<string, string>>;

export const profileAnnotation = ({ labelDomain }: Dialect, container: string): string =>
  `container.apparmor.security.beta.${labelDomain}/${container}`;

/** Undefined for what is no profile. */
export function annotatedProfile(text: string | undefined): Profile | undefined {
  if (text === 'unconfined') return { type: 'Unconfined' };
  if (text === 'runtime/default') return { type: 'RuntimeDefault' };
  const [, name] = /^localhost\/(\S(?:.*\S)?)$/.exec(text ?? '') ?? [];
  return name === undefined ? undefined : { type: 'Localhost', localhostProfile: name };
}

/** Containers that say nothing themselves get the profile of their annotation, unless the pod has it anyway. */
export function withAnnotatedProfiles(spec: PodSpec, annotations: Annotations, dialect: Dialect): PodSpec {
  if (spec.os?.name === 'windows' || Object.keys(annotations).length === 0) return spec;
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
