// What may not be said of a pod: what contradicts itself, or what was said before.

import { forbiddenField, internalAt, invalidValue } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import { parseIp } from '../../../../meta/ip.ts';
import { checkQualifiedName, checkSubdomain } from '../../../../meta/names.ts';
import { validateIp } from '../../../../meta/network-names.ts';
import { checked, type ValidationErrors } from '../../../rules.ts';
import { validateClaimStatuses, validateContainerStatuses } from './container-status-rules.ts';
import { validateExtendedClaim } from './extended-claim-rules.ts';
import type { PodSpec } from './pod-spec.ts';
import type { Pod } from './pod-type.ts';

type Status = NonNullable<Pod['status']>;
type Statuses = NonNullable<Status['containerStatuses']>;

const systemConditions = new Set(['PodScheduled', 'Ready', 'Initialized']);

export function validateStatusUpdate(next: Pod, old: Pod): ValidationErrors {
  const { status = {} } = next;
  const was = old.status ?? {};
  const { nominatedNodeName: nominated } = status;
  return [
    ...findEach(status.conditions ?? [], validateCondition),
    ...(nominated && nominated !== was.nominatedNodeName
      ? checked('status.nominatedNodeName', nominated, checkSubdomain)
      : []),
    ...(nominated && old.spec?.nodeName && nominated !== was.nominatedNodeName
      ? [forbiddenField('status.nominatedNodeName', 'may not be set on pods that are already bound to a node')]
      : []),
    ...validateGeneration('status', status),
    ...(status.qosClass === was.qosClass
      ? []
      : [invalidValue('status.qosClass', status.qosClass ?? '', 'field is immutable')]),
    ...validateAllTransitions(status, was, old.spec ?? {}),
    ...validateClaimStatuses(status, old.spec ?? {}),
    ...validateExtendedClaim(status.extendedResourceClaimStatus, old.spec ?? {}),
    ...validateAddresses(status.podIPs ?? [], 'status.podIPs'),
    ...validateHostAddresses(status),
    ...validateContainerStatuses(status, old.spec ?? {}),
  ];
}

interface Generation {
  readonly observedGeneration?: number;
}

const validateGeneration = (at: string, { observedGeneration = 0 }: Generation): ValidationErrors =>
  observedGeneration < 0
    ? [invalidValue(`${at}.observedGeneration`, observedGeneration, 'must be a non-negative integer')]
    : [];

/** compat: the type of a condition is reported with a capital */
function validateCondition(condition: Generation & { readonly type?: string }, index: number): ValidationErrors {
  const { type = '' } = condition;
  const at = `status.conditions[${index}]`;
  return [
    ...validateGeneration(at, condition),
    ...(systemConditions.has(type) ? [] : checked(`${at}.Type`, type, checkQualifiedName)),
  ];
}

/** Ephemeral containers never run again, sidecars always may. */
function validateAllTransitions(
  next: Status,
  old: Status,
  { restartPolicy, initContainers = [] }: PodSpec,
): ValidationErrors {
  const sidecars = new Set(initContainers.filter((one) => one.restartPolicy === 'Always').map(({ name }) => name));
  const init = (old.initContainerStatuses ?? []).map((one) => (sidecars.has(one.name) ? { ...one, state: {} } : one));
  return [
    ...validateTransitions(next, { ...old }, 'containerStatuses', restartPolicy),
    ...validateTransitions(next, { ...old, initContainerStatuses: init }, 'initContainerStatuses', restartPolicy),
    ...validateTransitions(next, { ...old }, 'ephemeralContainerStatuses', 'Never'),
  ];
}

/** No more of the same is told, however often a client repeats a name. */
const mostTold = 100;

/** What has ended for good does not run again. */
function validateTransitions(
  next: Status,
  old: Status,
  list: 'containerStatuses' | 'initContainerStatuses' | 'ephemeralContainerStatuses',
  policy: string | undefined,
): ValidationErrors {
  if (policy === 'Always') return [];
  const after: Statuses = next[list] ?? [];
  const running = new Map<string | undefined, number>();
  for (const { name, state } of after)
    if (state?.terminated === undefined) running.set(name, (running.get(name) ?? 0) + 1);
  return findEach(old[list] ?? [], ({ name, state }, i) => {
    const ended = state?.terminated;
    if (ended === undefined || (policy === 'OnFailure' && (ended.exitCode ?? 0) !== 0)) return [];
    const detail = 'may not be transitioned to non-terminated state';
    const revived = Math.min(running.get(name) ?? 0, mostTold);
    return Array.from({ length: revived }, () => forbiddenField(`status.${list}[${i}].state`, detail));
  });
}

interface Address {
  readonly ip?: string;
}

/** One address of each family at most. */
function validateAddresses(addresses: readonly Address[], at: string): ValidationErrors {
  const ips = addresses.map(({ ip = '' }) => ip);
  return [...findEach(ips, (ip, i) => validateIp(ip, `${at}[${i}]`)), ...validateFamilies(ips, at)];
}

/** compat: the families of addresses are told up to the first that is none */
function validateFamilies(ips: readonly string[], at: string): ValidationErrors {
  if (ips.length < 2) return [];
  const families = ips.map((ip) => parseIp(ip)?.family);
  const wrong = families.indexOf(undefined);
  if (wrong < 0 && ips.length === 2 && families[0] !== families[1]) return [];
  const shown = ips.map((ip) => ({ IP: ip }));
  return [
    ...(wrong < 0
      ? []
      : [internalAt(at, `failed to check for dual stack with error:invalid IP[${wrong}]: ${ips[wrong]}`)]),
    invalidValue(at, shown, 'may specify no more than one IP for each IP family'),
  ];
}

function validateHostAddresses({ hostIP = '', hostIPs = [] }: Status): ValidationErrors {
  const first = hostIPs[0]?.ip ?? '';
  return [
    ...(hostIPs.length > 0 && first !== hostIP
      ? [invalidValue('status.hostIPs[0].ip', first, 'must be equal to `hostIP`')]
      : []),
    ...validateAddresses(hostIPs, 'status.hostIPs'),
  ];
}
