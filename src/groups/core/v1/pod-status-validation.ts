// What may not be said of a pod: what contradicts itself, or what was said before.

import { duplicate, forbiddenField, invalidValue } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { parseIp } from '../../../meta/ip.ts';
import { checkQualifiedName, checkSubdomain } from '../../../meta/names.ts';
import { validateIp } from '../../../meta/network-names.ts';
import { checked, repeatsIn, type ValidationErrors } from '../../rules.ts';
import { validateClaimStatuses, validateContainerStatuses } from './container-status-validation.ts';
import type { Pod } from './pod.ts';
import type { PodSpec } from './pod-spec.ts';

type Status = NonNullable<Pod['status']>;
type Statuses = NonNullable<Status['containerStatuses']>;

const systemConditions = new Set(['PodScheduled', 'Ready', 'Initialized']);

export function validateStatusUpdate(next: Pod, old: Pod): ValidationErrors {
  const { status = {} } = next;
  const was = old.status ?? {};
  const { nominatedNodeName: nominated } = status;
  return [
    // compat: conditions of a pod are reported as if they stood in its metadata
    ...findEach(status.conditions ?? [], ({ type = '' }, i) =>
      systemConditions.has(type) ? [] : checked(`metadata.conditions[${i}].Type`, type, checkQualifiedName),
    ),
    ...(nominated && nominated !== was.nominatedNodeName
      ? checked('status.nominatedNodeName', nominated, checkSubdomain)
      : []),
    ...(status.qosClass === was.qosClass
      ? []
      : [invalidValue('status.qosClass', status.qosClass ?? '', 'field is immutable')]),
    ...validateAllTransitions(status, was, old.spec ?? {}),
    ...validateClaimStatuses(status, old.spec ?? {}),
    ...validateAddresses(status.podIPs ?? [], 'status.podIPs'),
    ...validateHostAddresses(status),
    ...validateContainerStatuses(status, old.spec ?? {}),
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
  const families = new Set(ips.map((ip) => parseIp(ip)?.family));
  const isRepeated = repeatsIn(ips);
  return [
    ...findEach(ips, (ip, i) => validateIp(ip, `${at}[${i}]`)),
    ...(ips.length > 1 && families.size < ips.length
      ? [invalidValue(at, addresses, 'may specify no more than one IP for each IP family')]
      : []),
    ...findEach(ips, (_, i) => (isRepeated(i) ? [duplicate(`${at}[${i}]`, addresses[i])] : [])),
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
