// Seccomp and AppArmor profiles. Policies and older pods name them by annotation; the field is what nodes look at.

import { profileAnnotation } from '../../../groups/core/v1/pod/apparmor-annotations.ts';
import type { Container } from '../../../groups/core/v1/pod/container-defaults.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import { profileKeys } from '../../../groups/policy/v1beta1/pod-security-policy-rules.ts';
import { type Dialect, labelKey } from '../../../meta/dialect.ts';
import { forbiddenField } from '../../../meta/field-errors.ts';
import type { FieldError } from '../../../meta/status.ts';
import type { Policed, SecurityContext } from './policed-pod.ts';

type SeccompProfile = NonNullable<SecurityContext['seccompProfile']>;

const local = 'localhost/';
const runtimeDefault = ['runtime/default', 'docker/default'];
const textsOf: Readonly<Record<string, string>> = { RuntimeDefault: 'runtime/default', Unconfined: 'unconfined' };

export const podSeccompKey = (dialect: Dialect): string => `seccomp.security.alpha.${labelKey(dialect, 'pod')}`;
const containerSeccompKey = (dialect: Dialect, name = '') =>
  `container.seccomp.security.alpha.${labelKey(dialect, name)}`;

/** A profile as annotations name it; empty for none. */
const textOf = (profile: SeccompProfile | undefined): string => {
  if (profile?.type === undefined) return '';
  return profile.type === 'Localhost' ? `${local}${profile.localhostProfile ?? ''}` : (textsOf[profile.type] ?? '');
};

/** The field for a profile that an annotation names; undefined for none. */
export function seccompField(text: string): SeccompProfile | undefined {
  if (runtimeDefault.includes(text)) return { type: 'RuntimeDefault' };
  if (text === 'unconfined') return { type: 'Unconfined' };
  return text.startsWith(local) ? { type: 'Localhost', localhostProfile: text.slice(local.length) } : undefined;
}

export const containerSeccomp = (pod: Pod, { name }: Container, dialect: Dialect): string =>
  pod.metadata.annotations?.[containerSeccompKey(dialect, name)] ?? '';

interface Allowed {
  /** Undefined where the policy does not say. */
  readonly names: ReadonlySet<string> | undefined;
  readonly any: boolean;
  readonly text: string;
}

function allowedBy(text: string | undefined): Allowed {
  if (text === undefined) return { names: undefined, any: false, text: '' };
  const names = new Set(text.split(','));
  const any = names.delete('*');
  if (runtimeDefault.some((one) => names.has(one))) for (const one of runtimeDefault) names.add(one);
  return { names, any, text };
}

const at = (key: string) => `pod.metadata.annotations[${key}]`;

const seccompAllowed = ({ policy, dialect }: Policed) =>
  allowedBy(policy.metadata.annotations?.[profileKeys(dialect).seccompAllowed]);

export const checkPodSeccomp = (policed: Policed, pod: Pod): FieldError[] =>
  checkProfile(
    at(podSeccompKey(policed.dialect)),
    seccompAllowed(policed),
    textOf(pod.spec?.securityContext?.seccompProfile),
  );

export function checkContainerSeccomp(policed: Policed, pod: Pod, { name, securityContext }: Container): FieldError[] {
  const profile = textOf(securityContext?.seccompProfile ?? pod.spec?.securityContext?.seccompProfile);
  return checkProfile(at(containerSeccompKey(policed.dialect, name)), seccompAllowed(policed), profile);
}

function checkProfile(place: string, { names, any, text }: Allowed, profile: string): FieldError[] {
  const isNone = names === undefined || names.size === 0;
  if (any || (isNone && profile === '')) return [];
  if (isNone) return [forbiddenField(place, 'seccomp may not be set')];
  if (names.has(profile)) return [];
  return [forbiddenField(place, `${profile} is not an allowed seccomp profile. Valid values are ${text}`)];
}

/** The profile of a container, by its annotation, its field, or its pod's; empty for none. */
export function appArmorOf(pod: Pod, { name = '', securityContext }: Container, dialect: Dialect): string {
  const annotated = pod.metadata.annotations?.[profileAnnotation(dialect, name)];
  if (annotated) return annotated;
  return textOf(securityContext?.appArmorProfile ?? pod.spec?.securityContext?.appArmorProfile);
}

export function checkAppArmor({ policy, dialect }: Policed, pod: Pod, container: Container): FieldError[] {
  const text = policy.metadata.annotations?.[profileKeys(dialect).appArmorAllowed];
  if (text === undefined) return [];
  const place = at(profileAnnotation(dialect, container.name ?? ''));
  const profile = appArmorOf(pod, container, dialect);
  if (profile === '') return [forbiddenField(place, 'AppArmor profile must be set')];
  if (text.split(',').includes(profile)) return [];
  const why = `${profile} is not an allowed profile. Allowed values: ${JSON.stringify(text)}`;
  return [forbiddenField(place, why)];
}
