// Addresses of simulated nodes and pods. Nothing listens there: connections to them are answered inside the process.

import { formatIp, parseIp, parseRange, rangeContains } from '../../meta/ip.ts';

const numberOf = (ip: string): number => Number(parseIp(ip)?.value ?? 0n);

const textOf = (number: number): string => formatIp({ family: 'IPv4', value: BigInt(number) });

const firstNode = numberOf('100.64.0.0');
const firstPod = numberOf('10.128.0.0');
const podsPerNode = 256;

/** So many nodes have a part of the range of pods. */
export const maxNodes = 30_000;

export const nodeIp = (index: number): string => textOf(firstNode + index + 1);

export const nodeCidr = (index: number): string => `${textOf(firstPod + index * podsPerNode)}/24`;

const ranges = ['100.64.0.0/16', '10.128.0.0/9'].map((text) => parseRange(text));

/** Whether an address belongs to a simulated node or pod. */
export function isSimulatedAddress(text: string): boolean {
  const address = parseIp(text);
  return address !== undefined && ranges.some((range) => range !== undefined && rangeContains(range, address));
}

export const nodeName = (index: number): string => `node-${index}`;

/** Whether a name is that of one of so many simulated nodes. */
export function isSimulatedNode(name: string, count: number): boolean {
  const [, digits] = /^node-(0|[1-9]\d{0,5})$/.exec(name) ?? [];
  return digits !== undefined && Number(digits) < count;
}

/** The addresses of the pods of one node: each is used again only after all others. */
export class PodAddresses {
  readonly #first: number;
  readonly #used = new Set<number>();
  #next = 1;

  constructor(nodeIndex: number) {
    this.#first = firstPod + nodeIndex * podsPerNode;
  }

  /** Undefined when all are used. */
  take(): string | undefined {
    for (let tries = 0; tries < podsPerNode; tries++) {
      const host = this.#next;
      this.#next = (this.#next % (podsPerNode - 2)) + 1;
      if (this.#used.has(host)) continue;
      this.#used.add(host);
      return textOf(this.#first + host);
    }
    return undefined;
  }

  /** Marks an address that a pod has already. */
  mark(ip: string): void {
    const host = numberOf(ip) - this.#first;
    if (host > 0 && host < podsPerNode) this.#used.add(host);
  }

  release(ip: string): void {
    this.#used.delete(numberOf(ip) - this.#first);
  }
}
