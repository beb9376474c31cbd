// Annotations by which pods say more than their fields do, and what is wrong with them.

import { type Dialect, labelKey } from '../../../../meta/dialect.ts';
import { forbiddenField, invalidValue } from '../../../../meta/field-errors.ts';
import { findEach, findEachEntry } from '../../../../meta/find-each.ts';
import type { ApiObject } from '../../../../meta/object.ts';
import { checked, type ValidationErrors } from '../../../rules.ts';
import { checkRelativePath } from '../volume/path-rules.ts';
import type { PodSpec } from './pod-spec.ts';
import type { Pod } from './pod-type.ts';

type Annotations = Readonly<Record<string, string>>;

const keysOf = (dialect: Dialect) => ({
  mirror: labelKey(dialect, 'config.mirror'),
  deletionCost: `controller.${labelKey(dialect, 'pod-deletion-cost')}`,
  seccomp: `seccomp.security.alpha.${labelKey(dialect, 'pod')}`,
  containerSeccomp: `container.seccomp.security.alpha.${labelKey(dialect, '')}`,
  appArmor: `container.apparmor.security.beta.${labelKey(dialect, '')}`,
});

/** Whether a node runs the pod of its own accord, and only shows it here. */
export const isMirror = ({ metadata }: ApiObject, dialect: Dialect): boolean =>
  Object.hasOwn(metadata.annotations ?? {}, keysOf(dialect).mirror);

/** Validation errors about what the annotations of a pod or a template mean for its spec. */
export function validateAnnotationsOf(
  spec: PodSpec,
  annotations: Annotations | undefined,
  at: string,
  dialect: Dialect,
): ValidationErrors {
  if (annotations === undefined) return [];
  const keys = keysOf(dialect);
  let containers: ReadonlySet<string> | undefined;
  return findEachEntry(annotations, (key, value) => {
    if (key === keys.mirror) return validateMirror(spec, value, `${at}[${key}]`);
    if (key === keys.deletionCost) return validateCost(value, `${at}[${key}]`);
    if (key === keys.seccomp || key.startsWith(keys.containerSeccomp)) return validateSeccomp(value, `${at}.${key}`);
    if (!key.startsWith(keys.appArmor)) return [];
    containers ??= containerNames(spec);
    return validateAppArmor(containers, key.slice(keys.appArmor.length), value, `${at}[${key}]`);
  });
}

/** A node mirrors what it runs already: the pod is there. */
const validateMirror = ({ nodeName }: PodSpec, value: string, at: string): ValidationErrors =>
  nodeName ? [] : [invalidValue(at, value, 'must set spec.nodeName if mirror pod annotation is set')];

/** A number as programs write it: no plus sign, no zeros in front. */
function validateCost(value: string, at: string): ValidationErrors {
  const isWritten = /^(0|-?[1-9][0-9]{0,9})$/.test(value);
  const isSmall = Number(value) >= -(2 ** 31) && Number(value) < 2 ** 31;
  return isWritten && isSmall ? [] : [invalidValue(at, value, 'must be a 32bit integer')];
}

const profiles = ['runtime/default', 'docker/default', 'unconfined'];
const localProfile = 'localhost/';

export function validateSeccomp(value: string, at: string): ValidationErrors {
  if (profiles.includes(value)) return [];
  if (value.startsWith(localProfile)) return checked(at, value.slice(localProfile.length), checkRelativePath);
  return [invalidValue(at, value, 'must be a valid seccomp profile')];
}

/** Also nothing at all, which leaves the choice to the node. */
export const isAppArmorProfile = (value: string): boolean =>
  ['', 'runtime/default', 'unconfined'].includes(value) || value.startsWith(localProfile);

export const appArmorAdvice = (value: string): string => `invalid AppArmor profile name: ${JSON.stringify(value)}`;

function containerNames({ initContainers, containers, ephemeralContainers }: PodSpec): ReadonlySet<string> {
  const all = [...(initContainers ?? []), ...(containers ?? []), ...(ephemeralContainers ?? [])];
  return new Set(all.map(({ name = '' }) => name));
}

function validateAppArmor(
  containers: ReadonlySet<string>,
  container: string,
  value: string,
  at: string,
): ValidationErrors {
  return [
    ...(containers.has(container) ? [] : [invalidValue(at, container, 'container not found')]),
    ...(isAppArmorProfile(value) ? [] : [invalidValue(at, value, appArmorAdvice(value))]),
  ];
}

/** What a node or a profile is bound to stays; the other annotations are looked at once more. */
export function validateAnnotationUpdate(next: Pod, old: Pod, dialect: Dialect): ValidationErrors {
  const keys = keysOf(dialect);
  const is = next.metadata.annotations ?? {};
  const was = old.metadata.annotations ?? {};
  const changed = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((key) => is[key] !== was[key]);
  const fixed = findEach(changed, (key) => {
    if (key !== keys.mirror && !key.startsWith(keys.appArmor)) return [];
    if (!Object.hasOwn(was, key))
      return [forbiddenField(`metadata.annotations[${key}]`, notAdded(key === keys.mirror))];
    return [forbiddenField(`metadata.annotations[${key}]`, notChanged(key === keys.mirror))];
  });
  return [...fixed, ...validateAnnotationsOf(next.spec ?? {}, is, 'metadata.annotations', dialect)];
}

const notAdded = (mirror: boolean) => `may not add ${mirror ? 'mirror pod annotation' : 'AppArmor annotations'}`;
const notChanged = (mirror: boolean) =>
  `may not remove or update ${mirror ? 'mirror pod annotation' : 'AppArmor annotations'}`;
