// Node ports: one record in the store says which are taken. It has the form that other servers on the same store know.

import type { AllocationCall, AllocationTry, RecordDefinition, Records } from '../../../../schema/allocator.ts';
import { bytes, field, string, struct } from '../../../../schema/types.ts';
import { objectMeta } from '../../../meta/v1/types.ts';

const rangeAllocation = struct('core/v1', 'RangeAllocation', 'Which numbers of a range are taken.', () => ({
  metadata: field(1, objectMeta, { about: 'Metadata of the record.' }),
  range: field(2, string, { about: 'The range, such as 30000-32767.' }),
  data: field(3, bytes, { about: 'A number whose bits are the numbers that are taken, counted from the first.' }),
}));

export const nodePortsRecord: RecordDefinition = { key: '/ranges/servicenodeports', type: rangeAllocation };

export interface PortRange {
  readonly from: number;
  readonly to: number;
}

const defaultNodePorts: PortRange = { from: 30000, to: 32767 };

export const formatPortRange = ({ from, to }: PortRange): string => `${from}-${to}`;

/** `30000-32767`; undefined when the text is no range of ports. */
export function parsePortRange(text: string): PortRange | undefined {
  const match = /^([0-9]{1,5})-([0-9]{1,5})$/.exec(text);
  if (match === null) return undefined;
  const [from, to] = [Number(match[1]), Number(match[2])];
  return from >= 1 && from <= to && to <= 65535 ? { from, to } : undefined;
}

/** A port that cannot be had, in words. */
export class PortError extends Error {}

/** Which ports of a range are taken. */
export class PortMap {
  readonly range: PortRange;
  /** A byte a port, so that looking for a free one among thousands is quick. */
  readonly #taken: Uint8Array;

  constructor(range: PortRange, taken = 0n) {
    this.range = range;
    this.#taken = new Uint8Array(range.to - range.from + 1);
    const bits = taken.toString(2);
    for (let i = 0; i < bits.length; i++) this.#taken[bits.length - 1 - i] = bits.charCodeAt(i) - 0x30;
  }

  static read(record: unknown): PortMap {
    const { range = '', data = '' } = (record ?? {}) as { range?: string; data?: string };
    const bytes = Buffer.from(data, 'base64').toString('hex');
    return new PortMap(parsePortRange(range) ?? defaultNodePorts, bytes === '' ? 0n : BigInt(`0x${bytes}`));
  }

  /** As it is stored. */
  write(): object {
    const taken = BigInt(`0b${this.#taken.toReversed().join('')}`);
    const hex = taken.toString(16);
    const data = taken === 0n ? '' : Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64');
    return { kind: 'RangeAllocation', apiVersion: 'v1', metadata: {}, range: formatPortRange(this.range), data };
  }

  /** How many ports are taken. */
  get count(): number {
    return this.#taken.reduce((sum, one) => sum + one, 0);
  }

  /** Those that are taken, in order. */
  get ports(): readonly number[] {
    return [...this.#taken.keys()].filter((at) => this.#taken[at] === 1).map((at) => this.range.from + at);
  }

  covers(port: number): boolean {
    return port >= this.range.from && port <= this.range.to;
  }

  has(port: number): boolean {
    return this.covers(port) && this.#taken[port - this.range.from] === 1;
  }

  set(port: number): void {
    this.#taken[port - this.range.from] = 1;
  }

  clear(port: number): void {
    if (this.has(port)) this.#taken[port - this.range.from] = 0;
  }

  /** A free port: from the upper part first, the lower is for those who choose their own. */
  free(random: () => number = Math.random): number | undefined {
    const { from, to } = this.range;
    const middle = from + reservedForChoice(to - from + 1);
    return this.#freeBetween(middle, to, random) ?? this.#freeBetween(from, middle - 1, random);
  }

  #freeBetween(from: number, to: number, random: () => number): number | undefined {
    const size = to - from + 1;
    const start = Math.floor(random() * size);
    for (let i = 0; i < size; i++) {
      const port = from + ((start + i) % size);
      if (!this.has(port)) return port;
    }
    return undefined;
  }
}

function reservedForChoice(size: number): number {
  if (size < 16) return 0;
  return Math.min(Math.max(16, Math.floor(size / 32)), 128);
}

/** Ports as they are reserved for one service. */
export interface PortOperation {
  take(port: number): void;
  takeAny(): number;
}

interface PortResult<T> {
  readonly result: T;
  /** Ports that were reserved. */
  readonly taken: readonly number[];
}

/** Runs `work` on the ports and stores what it took; nothing is taken where it throws. */
export async function reservePorts<T>(
  { records, dryRun, onAllocation }: Pick<AllocationCall, 'records' | 'dryRun' | 'onAllocation'>,
  work: (ports: PortOperation) => T,
): Promise<PortResult<T>> {
  let done: PortResult<T> | undefined;
  // those of the last turn: a turn that was too late counts for nothing
  let tries: AllocationTry[] = [];
  try {
    await records.update(nodePortsRecord, (record) => {
      const map = PortMap.read(record);
      const taken: number[] = [];
      tries = [];
      done = { result: work(dryRun ? tried(map, taken) : counted(reserved(map, taken), tries)), taken };
      return dryRun || taken.length === 0 ? undefined : map.write();
    });
  } finally {
    for (const one of tries) onAllocation?.({ of: 'port', ...one });
  }
  return done as PortResult<T>;
}

function reserved(map: PortMap, taken: number[]): PortOperation {
  const take = (port: number) => {
    if (!map.covers(port)) throw notInRange(map);
    if (map.has(port)) throw new PortError('provided port is already allocated');
    map.set(port);
    taken.push(port);
  };
  return {
    take,
    takeAny() {
      const port = map.free();
      if (port === undefined) throw new PortError('range is full');
      take(port);
      return port;
    },
  };
}

/** The same operation; `tries` is told what came of each. */
function counted(ports: PortOperation, tries: AllocationTry[]): PortOperation {
  const counting = <T>(scope: AllocationTry['scope'], work: () => T): T => {
    const at = tries.push({ scope, failed: true }) - 1;
    const result = work();
    tries[at] = { scope, failed: false };
    return result;
  };
  return {
    take: (port) => counting('static', () => ports.take(port)),
    takeAny: () => counting('dynamic', () => ports.takeAny()),
  };
}

const notInRange = ({ range }: PortMap) =>
  new PortError(`provided port is not in the valid range. The range of valid ports is ${formatPortRange(range)}`);

const beyondAllRanges = 32768;

/** compat: a dry run looks whether a chosen port is free, and shows numbers beyond the usual range for the others */
function tried(map: PortMap, taken: number[]): PortOperation {
  const seen = new Set<number>();
  let highest = 0;
  const add = (port: number) => {
    taken.push(port);
    seen.add(port);
    highest = Math.max(highest, port);
  };
  return {
    take(port) {
      if (map.has(port) || seen.has(port)) throw new PortError('provided port is already allocated');
      add(port);
    },
    takeAny() {
      const port = (taken.length === 0 ? beyondAllRanges : highest) + 1;
      add(port);
      return port;
    },
  };
}

export async function releasePorts(records: Records, ports: readonly number[]): Promise<void> {
  if (ports.length === 0) return;
  await records.update(nodePortsRecord, (record) => {
    const map = PortMap.read(record);
    const held = ports.filter((port) => map.has(port));
    for (const port of held) map.clear(port);
    return held.length === 0 ? undefined : map.write();
  });
}

/** The record as a whole. */
export interface PortStore {
  read(): Promise<PortMap>;
  /** False, and nothing is written, where the record is no longer what it was. */
  replace(before: PortMap, after: PortMap): Promise<boolean>;
}

export function portStore(records: Records): PortStore {
  const textOf = (map: PortMap) => JSON.stringify(map.write());
  return {
    async read() {
      let map: PortMap | undefined;
      const look = (record: unknown) => {
        map = PortMap.read(record);
        return undefined;
      };
      await records.update(nodePortsRecord, look, 'is replaced');
      return map as PortMap;
    },
    async replace(before, after) {
      let isSame = true;
      const change = (record: unknown) => {
        isSame = textOf(PortMap.read(record)) === textOf(before);
        return isSame && textOf(before) !== textOf(after) ? after.write() : undefined;
      };
      await records.update(nodePortsRecord, change, 'is replaced');
      return isSame;
    },
  };
}
