// What is odd about the containers of a pod: names given twice, half bytes, ports in each other's way.

import { type Warnings, warnEach } from '../../../../meta/warn-each.ts';
import type { Infer } from '../../../../schema/types.ts';
import type { containerPort } from './container.ts';
import type { Container, EphemeralContainer } from './container-defaults.ts';
import { fractionalWarnings } from './fractional-amounts.ts';
import type { PodSpec } from './pod-spec.ts';

type Port = Infer<typeof containerPort>;

/** A container, and where it stands. */
export interface PlacedContainer {
  readonly container: Container | EphemeralContainer;
  readonly at: string;
}

const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export function placedContainers(spec: PodSpec, at: string): readonly PlacedContainer[] {
  return lists.flatMap((list) =>
    (spec[list] ?? []).map((container, index) => ({ container, at: `${at}.${list}[${index}]` })),
  );
}

export const byteAmounts = ['memory', 'ephemeral-storage'] as const;

/** What one container says by itself. */
export function containerWarnings({ container, at }: PlacedContainer): Warnings {
  const { resources: { limits, requests } = {}, env = [] } = container;
  return [
    ...byteAmounts.flatMap((name) => [
      ...fractionalWarnings(limits, [name], `${at}.resources.limits`),
      ...fractionalWarnings(requests, [name], `${at}.resources.requests`),
    ]),
    ...(env.length > 1 ? hiddenVariables(env, `${at}.env`) : []),
  ];
}

/** A variable may build on an earlier one of the same name; any other hides that one. */
function hiddenVariables(env: NonNullable<Container['env']>, at: string): Warnings {
  const seen = new Set<string>();
  return warnEach(env, ({ name = '', value = '', valueFrom }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const reference = `$(${name})`;
    if (valueFrom === undefined && value !== reference && value.includes(reference)) return [];
    const what = `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
    return [`${at}[${index}]: ${what}`];
  });
}

interface PlacedPort {
  readonly port: Port;
  readonly at: string;
}

function warnEachPort(containers: readonly PlacedContainer[], rule: (placed: PlacedPort) => Warnings): Warnings {
  return warnEach(containers, ({ container: { ports }, at }) =>
    ports === undefined ? [] : warnEach(ports, (port, index) => rule({ port, at: `${at}.ports[${index}]` })),
  );
}

/** What the ports of all containers say together. */
export function portWarnings(containers: readonly PlacedContainer[]): Warnings {
  return [...clashingPorts(containers), ...repeatedNames(containers)];
}

function clashingPorts(containers: readonly PlacedContainer[]): Warnings {
  const taken = new Map<string, TakenPorts>();
  return warnEachPort(containers, (placed) => {
    const { containerPort = 0, protocol = '', hostIP = '', hostPort = 0 } = placed.port;
    const hasNoHostPort = hostIP !== '' && hostPort === 0;
    const key = `${containerPort}/${protocol}`;
    const others = taken.get(key) ?? new TakenPorts();
    taken.set(key, others);
    const clashes = others.clashes(placed);
    others.add(placed);
    return [
      ...(hasNoHostPort ? [`${placed.at}: hostIP set without hostPort: ${printed(placed.port)}`] : []),
      ...clashes,
    ];
  });
}

interface TakenPort extends PlacedPort {
  readonly nth: number;
}

/** Ports of one number and protocol, kept so that only those in the way of a new one are looked at. */
class TakenPorts {
  readonly #all: TakenPort[] = [];
  /** Made when it is first needed: most ports are of one container only. */
  #byHost: Map<string, TakenPort[]> | undefined;

  add({ port, at }: PlacedPort): void {
    const placed = { port, at, nth: this.#all.length };
    this.#all.push(placed);
    if (this.#byHost !== undefined) index(this.#byHost, placed);
  }

  clashes({ port, at }: PlacedPort): Warnings {
    if (this.#all.length === 0) return [];
    const { hostIP = '', hostPort = 0 } = port;
    const others =
      hostPort === 0
        ? this.#all
        : [
            ...this.#of('unset'),
            ...this.#of(`${hostPort} ${hostIP}`),
            ...this.#of(hostIP === '' ? `${hostPort} named` : `${hostPort} `),
          ].sort((a, b) => a.nth - b.nth);
    return warnEach(others, (other) => [`${at}: ${clash(port, other.port)} with ${other.at}`]);
  }

  #of(key: string): readonly TakenPort[] {
    if (this.#byHost === undefined) {
      this.#byHost = new Map();
      for (const placed of this.#all) index(this.#byHost, placed);
    }
    return this.#byHost.get(key) ?? [];
  }
}

function index(byHost: Map<string, TakenPort[]>, placed: TakenPort): void {
  for (const key of keysOf(placed.port)) {
    const list = byHost.get(key) ?? [];
    list.push(placed);
    byHost.set(key, list);
  }
}

function keysOf({ hostIP = '', hostPort = 0 }: Port): readonly string[] {
  if (hostPort === 0) return ['unset'];
  return hostIP === '' ? [`${hostPort} `] : [`${hostPort} ${hostIP}`, `${hostPort} named`];
}

function clash(a: Port, b: Port): string {
  const [ipA, ipB] = [a.hostIP ?? '', b.hostIP ?? ''];
  const [portA, portB] = [a.hostPort ?? 0, b.hostPort ?? 0];
  if (ipA === ipB && portA === portB) return 'duplicate port definition';
  return portA === 0 || portB === 0 ? 'overlapping port definition' : 'dangerously ambiguous port definition';
}

const printed = ({ name = '', hostPort = 0, containerPort = 0, protocol = '', hostIP = '' }: Port) =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;

function repeatedNames(containers: readonly PlacedContainer[]): Warnings {
  const first = new Map<string, string>();
  return warnEachPort(containers, ({ port: { name = '' }, at }) => {
    const other = first.get(name);
    if (name !== '' && other === undefined) first.set(name, at);
    if (other === undefined) return [];
    const use = `services and probes that select ports by name will use ${other}`;
    return [`${at}: duplicate port name ${JSON.stringify(name)} with ${other}, ${use}`];
  });
}
