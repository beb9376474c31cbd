// What objects count for in a quota: pods by what they ask for, claims by their size, services by their type.

import type { ApiObject } from '../../../../meta/object.ts';
import { addQuantities, atScale, compareQuantities, parseQuantity, type Quantity } from '../../../../meta/quantity.ts';

/** Amounts by the name a quota has for them. */
export type Usage = Map<string, Quantity>;

type Amounts = Readonly<Record<string, string>>;

interface Container {
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: Amounts; readonly limits?: Amounts };
}

export interface CountedPod extends ApiObject {
  readonly spec?: {
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly overhead?: Amounts;
    readonly resources?: Container['resources'];
  };
  readonly status?: { readonly phase?: string };
}

const one: Quantity = parseQuantity('1') as Quantity;

export function addUsage(total: Usage, name: string, amount: Quantity): void {
  const sum = total.get(name);
  total.set(name, sum === undefined ? amount : addQuantities(sum, amount));
}

/** Pods that are over use nothing any more, nor do those that should be gone by now. */
function isRunning({ status, metadata }: CountedPod, now: number): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return now <= Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

/** Names under which a request for a resource is counted. */
function requestNames(resource: string): readonly string[] {
  const isPlain = ['cpu', 'memory', 'ephemeral-storage'].includes(resource) || resource.startsWith('hugepages-');
  return isPlain ? [resource, `requests.${resource}`] : [`requests.${resource}`];
}

export function podUsage(pod: CountedPod, now: number): Usage {
  const usage: Usage = new Map([['count/pods', one]]);
  if (!isRunning(pod, now)) return usage;
  usage.set('pods', one);
  for (const [resource, amount] of podAmounts(pod, 'requests'))
    for (const name of requestNames(resource)) addUsage(usage, name, amount);
  for (const [resource, amount] of podAmounts(pod, 'limits')) addUsage(usage, `limits.${resource}`, amount);
  return usage;
}

/**
 * Containers run side by side, and with them init containers that are restarted; the others run one after another
 * before that, each next to the restarted ones that were started earlier.
 */
function podAmounts({ spec = {} }: CountedPod, part: 'requests' | 'limits'): Usage {
  const total: Usage = new Map();
  for (const container of spec.containers ?? []) addAll(total, amountsOf(container, part));
  const lasting: Usage = new Map();
  const peak: Usage = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container, part);
    if (container.restartPolicy === 'Always') {
      addAll(total, own);
      addAll(lasting, own);
      raiseAll(peak, lasting);
    } else {
      const together: Usage = new Map(own);
      addAll(together, lasting);
      raiseAll(peak, together);
    }
  }
  raiseAll(total, peak);
  // what a pod asks for as a whole counts instead of what its containers ask for
  for (const [name, amount] of parseAll(spec.resources?.[part])) total.set(name, amount);
  if (total.size > 0) addAll(total, parseAll(spec.overhead));
  return total;
}

function amountsOf({ resources = {} }: Container, part: 'requests' | 'limits'): Usage {
  return parseAll(resources[part]);
}

function parseAll(amounts: Amounts = {}): Usage {
  const parsed: Usage = new Map();
  for (const [name, text] of Object.entries(amounts)) {
    const amount = parseQuantity(text);
    if (amount !== undefined) parsed.set(name, amount);
  }
  return parsed;
}

function addAll(total: Usage, more: Usage): void {
  for (const [name, amount] of more) addUsage(total, name, amount);
}

function raiseAll(total: Usage, floor: Usage): void {
  for (const [name, amount] of floor) {
    const found = total.get(name);
    if (found === undefined || compareQuantities(found, amount) < 0) total.set(name, amount);
  }
}

interface Claim extends ApiObject {
  readonly spec?: { readonly storageClassName?: string; readonly resources?: { readonly requests?: Amounts } };
  readonly status?: { readonly allocatedResources?: Amounts };
}

/** Whole bytes of what was asked for, or of what was given, if that is more. */
function claimSize({ spec = {}, status = {} }: Claim): Quantity {
  const asked = parseQuantity(spec.resources?.requests?.['storage'] ?? '0') as Quantity;
  const given = parseQuantity(status.allocatedResources?.['storage'] ?? '0') as Quantity;
  const size = compareQuantities(given, asked) > 0 ? given : asked;
  return size.scale < 0 ? { ...size, digits: atScale(size, 0), scale: 0 } : size;
}

/** `classDomain` ends the names of amounts that count for one storage class only. */
export function claimUsage(object: Claim, classDomain: string): Usage {
  const { spec = {} } = object;
  const usage: Usage = new Map([
    ['persistentvolumeclaims', one],
    ['count/persistentvolumeclaims', one],
  ]);
  const size = claimSize(object);
  addUsage(usage, 'requests.storage', size);
  if (spec.storageClassName) {
    const prefix = `${spec.storageClassName}.storageclass.storage.${classDomain}/`;
    addUsage(usage, `${prefix}requests.storage`, size);
    addUsage(usage, `${prefix}persistentvolumeclaims`, one);
  }
  return usage;
}

interface CountedService extends ApiObject {
  readonly spec?: {
    readonly type?: string;
    readonly ports?: readonly { readonly nodePort?: number }[];
    readonly allocateLoadBalancerNodePorts?: boolean;
  };
}

export function serviceUsage(object: CountedService): Usage {
  const { type, ports = [], allocateLoadBalancerNodePorts = true } = object.spec ?? {};
  const usage: Usage = new Map([['services', one]]);
  if (type === 'LoadBalancer') addUsage(usage, 'services.loadbalancers', one);
  if (type !== 'LoadBalancer' && type !== 'NodePort') return usage;
  // a balancer that needs no ports on nodes may have been given some
  const isChosen = type === 'LoadBalancer' && !allocateLoadBalancerNodePorts;
  const counted = isChosen ? ports.filter(({ nodePort = 0 }) => nodePort !== 0) : ports;
  addUsage(usage, 'services.nodeports', parseQuantity(String(counted.length)) as Quantity);
  return usage;
}
