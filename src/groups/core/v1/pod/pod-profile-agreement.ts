// Profiles that annotations name and fields say too: the two must say the same.

import { getOwn } from '../../../../base/json/json.ts';
import { type Dialect, labelKey } from '../../../../meta/dialect.ts';
import { forbiddenField } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import type { Infer } from '../../../../schema/types.ts';
import type { ValidationErrors } from '../../../rules.ts';
import { profileAnnotation } from './apparmor-annotations.ts';
import type { PodSpec } from './pod-spec.ts';
import type { seccompProfile } from './security-context.ts';

type Annotations = Readonly<Record<string, string>>;
type Profile = Infer<typeof seccompProfile>;

const localPrefix = 'localhost/';

/** How an annotation writes a type of profile; the first way is the one of today. */
const texts: Readonly<Record<'seccomp' | 'apparmor', Readonly<Record<string, readonly string[]>>>> = {
  seccomp: { Unconfined: ['unconfined'], RuntimeDefault: ['runtime/default', 'docker/default'] },
  apparmor: { Unconfined: ['unconfined'], RuntimeDefault: ['runtime/default'] },
};

export function validateProfilesAgree(
  spec: PodSpec,
  annotations: Annotations | undefined,
  at: string,
  dialect: Dialect,
): ValidationErrors {
  if (annotations === undefined) return [];
  const { labelDomain } = dialect;
  const ofPod = spec.securityContext ?? {};
  const podKey = `seccomp.security.alpha.${labelKey(dialect, 'pod')}`;
  const hasArmor = spec.os?.name !== 'windows';
  return [
    ...disagreement('seccomp', ofPod.seccompProfile, annotations[podKey], `${at}.securityContext.seccompProfile`),
    ...(['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((list) =>
      findEach(spec[list] ?? [], ({ name = '', securityContext = {} }, i) => {
        const armor = hasArmor ? (securityContext.appArmorProfile ?? ofPod.appArmorProfile) : undefined;
        if (armor === undefined && securityContext.seccompProfile === undefined) return [];
        const here = `${at}.${list}[${i}].securityContext`;
        const key = `container.seccomp.security.alpha.${labelDomain}/${name}`;
        return [
          ...disagreement('seccomp', securityContext.seccompProfile, annotations[key], `${here}.seccompProfile`),
          ...disagreement('apparmor', armor, annotations[profileAnnotation(dialect, name)], `${here}.appArmorProfile`),
        ];
      }),
    ),
  ];
}

function disagreement(
  what: 'seccomp' | 'apparmor',
  profile: Profile | undefined,
  annotation: string | undefined,
  at: string,
): ValidationErrors {
  if (profile === undefined || annotation === undefined) return [];
  const { type = '', localhostProfile } = profile;
  if (type === 'Localhost' && annotation.startsWith(localPrefix))
    return annotation.slice(localPrefix.length) === localhostProfile
      ? []
      : [forbiddenField(`${at}.localhostProfile`, `${what} profile in annotation and field must match`)];
  const fits = type === 'Localhost' ? [] : getOwn(texts[what], type);
  if (fits === undefined || fits.includes(annotation)) return [];
  return [forbiddenField(`${at}.type`, `${what} type in annotation and field must match`)];
}
