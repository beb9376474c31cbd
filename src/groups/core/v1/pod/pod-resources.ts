// Resources of a pod as a whole: what its containers add up to, what it asks for itself, and its quality of service.

import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
} from '../../../../meta/quantity.ts';
import type { Container } from './container-defaults.ts';
import type { PodSpec } from './pod-spec.ts';

export type Resources = Readonly<Record<string, string>>;
type Amounts = Map<string, Quantity>;
type Part = 'requests' | 'limits';

const hugePages = 'hugepages-';

/** Resources that a pod can state for all its containers together. */
export const isPodLevelResource = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name.startsWith(hugePages);

const isSidecar = (container: Container) => container.restartPolicy === 'Always';

/** What the containers need together: those that run at the same time add up, those that run alone count once. */
export function containerTotal({ containers, initContainers }: PodSpec, part: Part): Amounts {
  const total: Amounts = new Map();
  const peak: Amounts = new Map();
  const sidecars: Amounts = new Map();
  for (const container of containers ?? []) addTo(total, amountsOf(container, part));
  for (const container of initContainers ?? []) {
    const own = amountsOf(container, part);
    if (isSidecar(container)) {
      addTo(total, own);
      addTo(sidecars, own);
      raiseTo(peak, sidecars);
    } else {
      const alone = new Map(own);
      addTo(alone, sidecars);
      raiseTo(peak, alone);
    }
  }
  raiseTo(total, peak);
  return total;
}

/** What a pod asks of its node: what it states for itself counts before what its containers do, and its overhead comes on top. */
export function podRequests(spec: PodSpec): ReadonlyMap<string, Quantity> {
  const total = containerTotal(spec, 'requests');
  for (const [name, amount] of parsed(spec.resources?.requests)) if (isPodLevelResource(name)) total.set(name, amount);
  addTo(total, parsed(spec.overhead));
  return total;
}

const amountsOf = ({ resources }: Container, part: Part): Amounts => parsed(resources?.[part]);

function parsed(given: Resources = {}): Amounts {
  const amounts: Amounts = new Map();
  for (const [name, text] of Object.entries(given)) {
    const amount = parseQuantity(text);
    if (amount !== undefined) amounts.set(name, amount);
  }
  return amounts;
}

function addTo(sum: Amounts, more: Amounts): void {
  for (const [name, amount] of more) {
    const had = sum.get(name);
    sum.set(name, had === undefined ? amount : addQuantities(had, amount));
  }
}

function raiseTo(highest: Amounts, other: Amounts): void {
  for (const [name, amount] of other) {
    const had = highest.get(name);
    if (had === undefined || compareQuantities(amount, had) > 0) highest.set(name, amount);
  }
}

/** Fills what a pod that states resources for itself leaves out. */
export function defaultPodResources(spec: PodSpec): PodSpec {
  const { limits: ownLimits = {}, requests: ownRequests = {} } = spec.resources ?? {};
  if (Object.keys(ownLimits).length + Object.keys(ownRequests).length === 0) return spec;
  const limits = { ...hugePageLimits(spec, ownRequests), ...ownLimits };
  if (Object.keys(limits).length === 0) return spec;
  const supported = Object.entries(limits).filter(([name]) => isPodLevelResource(name));
  const requests = { ...Object.fromEntries(supported), ...containerRequests(spec), ...ownRequests };
  const resources = { ...spec.resources, limits: sorted(limits), requests: sorted(requests) };
  return { ...spec, resources };
}

function hugePageLimits(spec: PodSpec, requested: Resources): Resources {
  const found = [...containerTotal(spec, 'limits')].filter(
    ([name]) => name.startsWith(hugePages) && !Object.hasOwn(requested, name),
  );
  return Object.fromEntries(found.map(([name, amount]) => [name, formatQuantity(amount)]));
}

function containerRequests(spec: PodSpec): Resources {
  const found = [...containerTotal(spec, 'requests')].filter(([name]) => name === 'cpu' || name === 'memory');
  return Object.fromEntries(found.map(([name, amount]) => [name, formatQuantity(amount)]));
}

const sorted = (resources: Resources): Resources =>
  Object.fromEntries(Object.entries(resources).sort(([a], [b]) => (a < b ? -1 : 1)));

type QosClass = 'BestEffort' | 'Burstable' | 'Guaranteed';

/** Guaranteed: every container limits cpu and memory to what it requests. BestEffort: no container asks for anything. */
export function qosClassOf(spec: PodSpec): QosClass {
  const { resources } = spec;
  const units = resources ? [{ resources }] : [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  if (!units.some((unit) => countsIn(unit.resources?.requests) || countsIn(unit.resources?.limits))) {
    return 'BestEffort';
  }
  return units.every(isGuaranteed) ? 'Guaranteed' : 'Burstable';
}

const qosResources = ['cpu', 'memory'] as const;

const isPositive = (text: string | undefined): boolean =>
  text !== undefined && (parseQuantity(text)?.digits ?? 0n) > 0n;

const countsIn = (resources: Resources = {}): boolean => qosResources.some((name) => isPositive(resources[name]));

function isGuaranteed({ resources }: { readonly resources?: Container['resources'] | undefined }): boolean {
  const { limits = {}, requests = {} } = resources ?? {};
  return qosResources.every((name) => {
    const limit = limits[name];
    const request = requests[name];
    if (!isPositive(limit)) return false;
    if (!isPositive(request)) return true;
    return compareQuantities(parse(limit), parse(request)) === 0;
  });
}

const parse = (text: string | undefined): Quantity => parseQuantity(text ?? '0') as Quantity;
