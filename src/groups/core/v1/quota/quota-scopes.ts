// Which objects a quota with scopes is about: pods by how they run, claims by the class of their attributes.

import { qosClassOf } from '../pod/pod-resources.ts';
import type { Pod } from '../pod/pod-type.ts';
import type { PersistentVolumeClaim } from '../volume/persistent-volume-claim-type.ts';

export interface ScopeRequirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Only its deadline moves a pod between scopes after it was made. */
export const changesPodScope = (next: Pod, old: Pod): boolean => hasDeadline(next) !== hasDeadline(old);

const hasDeadline = ({ spec }: Pod): boolean => spec?.activeDeadlineSeconds !== undefined;

export function isPodInScope(object: Pod, requirement: ScopeRequirement): boolean {
  const { spec = {} } = object;
  switch (requirement.scopeName) {
    case 'Terminating':
      return hasDeadline(object);
    case 'NotTerminating':
      return !hasDeadline(object);
    case 'BestEffort':
      return qosClassOf(spec) === 'BestEffort';
    case 'NotBestEffort':
      return qosClassOf(spec) !== 'BestEffort';
    case 'CrossNamespacePodAffinity':
      return crossesNamespaces(spec);
    case 'PriorityClass':
      return matches(spec.priorityClassName ? [spec.priorityClassName] : [], requirement);
    default:
      return false;
  }
}

export function isClaimInScope(object: PersistentVolumeClaim, requirement: ScopeRequirement): boolean {
  if (requirement.scopeName !== 'VolumeAttributesClass') return false;
  const { spec = {}, status = {} } = object;
  const classes = [
    spec.volumeAttributesClassName,
    status.currentVolumeAttributesClassName,
    status.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return matches(
    classes.flatMap((name) => (name ? [name] : [])),
    requirement,
  );
}

/** Whether a pod is to be near, or away from, pods of other namespaces. */
function crossesNamespaces({ affinity = {} }: NonNullable<Pod['spec']>): boolean {
  const terms = [affinity.podAffinity ?? {}, affinity.podAntiAffinity ?? {}].flatMap((rules) => [
    ...(rules.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(rules.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm = {} }) => podAffinityTerm),
  ]);
  return terms.some(
    ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
  );
}

/** Several names are enough if one of them fits. */
function matches(names: readonly string[], { operator, values = [] }: ScopeRequirement): boolean {
  switch (operator) {
    case 'In':
      return names.some((name) => values.includes(name));
    case 'NotIn':
      return names.length === 0 || names.some((name) => !values.includes(name));
    case 'Exists':
      return names.length > 0;
    default:
      return names.length === 0;
  }
}
