// What objects count for in a quota: pods by what they ask for, claims by their size, services by their type.

import type { ApiObject } from '../../../meta/object.ts';
import { addQuantities, compareQuantities, parseQuantity, type Quantity } from '../../../meta/quantity.ts';

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
    readonly activeDeadlineSeconds?: number;
    readonly priorityClassName?: string;
    readonly affinity?: Readonly<Record<string, unknown>>;
  };
  readonly status?: { readonly phase?: string };
}

export interface ScopeRequirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

const one: Quantity = parseQuantity('1') as Quantity;

export function addUsage(total: Usage, name: string, amount: Quantity): void {
  const sum = total.get(name);
  total.set(name, sum === undefined ? amount : addQuantities(sum, amount));
}

/** Pods that are over use nothing any more. */
export function isCounted({ status }: CountedPod): boolean {
  return status?.phase !== 'Failed' && status?.phase !== 'Succeeded';
}

/** Names under which a request for a resource is counted. */
function requestNames(resource: string): readonly string[] {
  const isPlain = ['cpu', 'memory', 'ephemeral-storage'].includes(resource) || resource.startsWith('hugepages-');
  return isPlain ? [resource, `requests.${resource}`] : [`requests.${resource}`];
}

export function podUsage(pod: CountedPod): Usage {
  const usage: Usage = new Map([['pods', one]]);
  for (const [resource, amount] of podAmounts(pod, 'requests'))
    for (const name of requestNames(resource)) addUsage(usage, name, amount);
  for (const [resource, amount] of podAmounts(pod, 'limits')) addUsage(usage, `limits.${resource}`, amount);
  return usage;
}

/**
 * Containers run side by side, and with them init containers that are restarted; the others run one after another
 * before that, each beside the restarted ones that were started earlier.
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
      const beside: Usage = new Map(own);
      addAll(beside, lasting);
      raiseAll(peak, beside);
    }
  }
  raiseAll(total, peak);
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

/** Whether nothing at all was asked for. */
function isBestEffort({ spec = {} }: CountedPod): boolean {
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const asks = ({ resources = {} }: Container) =>
    [resources.requests, resources.limits].some((amounts) => 'cpu' in (amounts ?? {}) || 'memory' in (amounts ?? {}));
  return !all.some(asks);
}

function crossesNamespaces({ spec = {} }: CountedPod): boolean {
  return /"namespaces(Selector)?":|"namespaceSelector":/.test(JSON.stringify(spec.affinity ?? {}));
}

/** Whether a pod is in a scope. */
export function matchesScope(pod: CountedPod, { scopeName, operator, values = [] }: ScopeRequirement): boolean {
  const { activeDeadlineSeconds, priorityClassName = '' } = pod.spec ?? {};
  switch (scopeName) {
    case 'Terminating':
      return activeDeadlineSeconds !== undefined;
    case 'NotTerminating':
      return activeDeadlineSeconds === undefined;
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'CrossNamespacePodAffinity':
      return crossesNamespaces(pod);
    case 'PriorityClass':
      return matchesValue(priorityClassName, operator, values);
    default:
      return false;
  }
}

function matchesValue(value: string, operator: string, values: readonly string[]): boolean {
  switch (operator) {
    case 'In':
      return values.includes(value);
    case 'NotIn':
      return !values.includes(value);
    case 'Exists':
      return value !== '';
    default:
      return value === '';
  }
}

interface Claim extends ApiObject {
  readonly spec?: { readonly storageClassName?: string; readonly resources?: { readonly requests?: Amounts } };
}

/** `classDomain` ends the names of amounts that count for one storage class only. */
export function claimUsage(object: ApiObject, classDomain: string): Usage {
  const { spec = {} } = object as Claim;
  const usage: Usage = new Map([['persistentvolumeclaims', one]]);
  const size = parseQuantity(spec.resources?.requests?.['storage'] ?? '0') as Quantity;
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
    readonly ports?: readonly unknown[];
    readonly allocateLoadBalancerNodePorts?: boolean;
  };
}

export function serviceUsage(object: ApiObject): Usage {
  const { type, ports = [], allocateLoadBalancerNodePorts = true } = (object as CountedService).spec ?? {};
  const usage: Usage = new Map([['services', one]]);
  if (type === 'LoadBalancer') addUsage(usage, 'services.loadbalancers', one);
  if (type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts))
    addUsage(usage, 'services.nodeports', parseQuantity(String(ports.length)) as Quantity);
  return usage;
}
