// What may not be said of the containers of a pod, and of the claims that it has.

import {
  duplicate,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import { checkSubdomain } from '../../../../meta/names.ts';
import type { Infer } from '../../../../schema/types.ts';
import { checked, type ValidationErrors } from '../../../rules.ts';
import type { Container } from './container-defaults.ts';
import type { containerStatus, resourceStatus } from './container-status.ts';
import type { PodSpec } from './pod-spec.ts';
import type { Pod } from './pod-type.ts';
import { validateId } from './security-rules.ts';

type Status = NonNullable<Pod['status']>;
type ContainerStatus = Infer<typeof containerStatus>;
type ResourceStatus = Infer<typeof resourceStatus>;

export function validateContainerStatuses(status: Status, spec: PodSpec): ValidationErrors {
  const lists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;
  const each = (list: (typeof lists)[number], validate: (one: ContainerStatus, at: string) => ValidationErrors) =>
    findEach(status[list] ?? [], (one, i) => validate(one, `status.${list}[${i}]`));
  return [
    ...lists.flatMap((list) => each(list, (one, at) => validateUser(one, spec, `${at}.user.linux`))),
    ...each('containerStatuses', (one, at) => validateHealth(one, spec.containers, at)),
    ...each('initContainerStatuses', (one, at) => validateHealth(one, spec.initContainers, at)),
    ...each('ephemeralContainerStatuses', noHealth),
  ];
}

function validateUser({ user }: ContainerStatus, { os }: PodSpec, at: string): ValidationErrors {
  if (user?.linux === undefined) return [];
  if (os?.name === 'windows') return [forbiddenField(at, 'cannot be set for a windows pod')];
  const { uid, gid, supplementalGroups = [] } = user.linux;
  return [
    ...validateId(uid, `${at}.uid`),
    ...validateId(gid, `${at}.gid`),
    ...findEach(supplementalGroups, (id, i) => validateId(id, `${at}.supplementalGroups[${i}]`)),
  ];
}

const noHealth = ({ allocatedResourcesStatus: all = [] }: ContainerStatus, at: string): ValidationErrors =>
  all.length === 0
    ? []
    : [forbiddenField(`${at}.allocatedResourcesStatus`, 'must not be specified in container status')];

/** Of containers that are not in the pod nothing is known. */
function validateHealth(
  { name, allocatedResourcesStatus: all = [] }: ContainerStatus,
  containers: readonly Container[] | undefined,
  at: string,
): ValidationErrors {
  const container = (containers ?? []).find((one) => one.name === name);
  return findEach(all, (one, i) => {
    const here = `${at}.allocatedResourcesStatus[${i}]`;
    return [...(container ? validateAsked(one, container, here) : []), ...validateUnits(one, here)];
  });
}

const claimPrefix = 'claim:';
const ofClaims =
  "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";

/** Only what a container asked for was given to it. */
function validateAsked({ name = '' }: ResourceStatus, { resources }: Container, at: string): ValidationErrors {
  const isClaim = name.startsWith(claimPrefix);
  const claims = (resources?.claims ?? []).map((one) =>
    one.request ? `${claimPrefix}${one.name}/${one.request}` : `${claimPrefix}${one.name}`,
  );
  if (isClaim ? claims.includes(name) : Object.hasOwn(resources?.requests ?? {}, name)) return [];
  return [invalidValue(`${at}.name`, name, isClaim ? ofClaims : "must match one of the container's resource requests")];
}

const healths = ['Healthy', 'Unhealthy', 'Unknown'];

function validateUnits({ resources = [] }: ResourceStatus, at: string): ValidationErrors {
  const seen = new Set<string>();
  return findEach(resources, ({ resourceID = '', health = '', message }, i) => {
    const repeated = seen.has(resourceID);
    seen.add(resourceID);
    const here = `${at}.resources[${i}]`;
    return [
      ...(healths.includes(health) ? [] : [notSupported(`${here}.health`, health, healths)]),
      ...validateMessage(message, `${here}.message`),
      ...(repeated ? [duplicate(`${here}.resourceID`, resourceID)] : []),
    ];
  });
}

const maxMessageBytes = 1024;

function validateMessage(message: string | undefined, at: string): ValidationErrors {
  if (message === '') return [required(at, 'must be non-empty if specified')];
  return Buffer.byteLength(message ?? '') > maxMessageBytes ? [tooLong(at, maxMessageBytes)] : [];
}

const notInSpec = 'must match the name of an entry in `spec.resourceClaims`';

export function validateClaimStatuses({ resourceClaimStatuses = [] }: Status, { resourceClaims = [] }: PodSpec) {
  const known = new Set(resourceClaims.map(({ name }) => name));
  const seen = new Set<string>();
  return findEach(resourceClaimStatuses, ({ name = '', resourceClaimName }, i): ValidationErrors => {
    const at = `status.resourceClaimStatuses[${i}]`;
    const repeated = seen.has(name);
    seen.add(name);
    return [
      ...(known.has(name) ? [] : [invalidValue(`${at}.name`, name, notInSpec)]),
      ...(repeated ? [duplicate(`${at}.name`, name)] : []),
      ...(resourceClaimName === undefined ? [] : checked(`${at}.resourceClaimName`, resourceClaimName, checkSubdomain)),
    ];
  });
}
