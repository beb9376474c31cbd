// Profiles of this process, as V8 makes them. One at a time: V8 has one profiler.

import { type HeapProfiler, type Profiler, Session } from 'node:inspector/promises';
import type { Frame, StackProfile } from './pprof.ts';

/** Another profile is being made. */
export class ProfilerBusyError extends Error {}

/** A hundred samples a second cost little. */
const samplingUs = 10_000;
/** One sample for each half a MiB that is allocated. */
const heapSampleBytes = 512 * 1024;

let isBusy = false;

async function alone<T>(work: (session: Session) => Promise<T>): Promise<T> {
  if (isBusy) throw new ProfilerBusyError('another profile is being made');
  isBusy = true;
  const session = new Session();
  try {
    session.connect();
    return await work(session);
  } finally {
    session.disconnect();
    isBusy = false;
  }
}

/** Where the processor's time goes, until `wait` resolves. */
export function cpuProfile(wait: () => Promise<void>): Promise<StackProfile> {
  return alone(async (session) => {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: samplingUs });
    await session.post('Profiler.start');
    const startedMs = Date.now();
    await wait();
    const { profile } = await session.post('Profiler.stop');
    return { ...stacksOf(profile), startedMs, durationMs: Date.now() - startedMs };
  });
}

function stacksOf({
  nodes,
  samples = [],
  timeDeltas = [],
}: Profiler.Profile): Omit<StackProfile, 'startedMs' | 'durationMs'> {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const totals = new Map<number, { count: number; us: number }>();
  for (const [index, id] of samples.entries()) {
    const total = totals.get(id) ?? { count: 0, us: 0 };
    total.count++;
    total.us += Math.max(0, timeDeltas[index] ?? 0);
    totals.set(id, total);
  }
  const framesOf = (id: number): readonly Frame[] => {
    const frames: Frame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) frames.push(byId.get(at) as Frame);
    return frames;
  };
  return {
    types: [['samples', 'count'], cpuTime],
    samples: [...totals].map(([id, { count, us }]) => ({ frames: framesOf(id), values: [count, us * 1000] })),
    period: { type: cpuTime, value: samplingUs * 1000 },
  };
}

const cpuTime = ['cpu', 'nanoseconds'] as const;

/** What is allocated until `wait` resolves, and not freed by then. */
export function heapProfile(wait: () => Promise<void>): Promise<StackProfile> {
  return alone(async (session) => {
    await session.post('HeapProfiler.startSampling', { samplingInterval: heapSampleBytes });
    const startedMs = Date.now();
    await wait();
    const { profile } = await session.post('HeapProfiler.stopSampling');
    return {
      types: [['inuse_space', 'bytes']],
      samples: allocationsOf(profile),
      period: { type: ['space', 'bytes'], value: heapSampleBytes },
      ...{ startedMs, durationMs: Date.now() - startedMs },
    };
  });
}

type Allocations = { frames: readonly Frame[]; values: readonly number[] }[];

function allocationsOf({ head }: HeapProfiler.SamplingHeapProfile): Allocations {
  const allocations: Allocations = [];
  const waiting: { node: HeapProfiler.SamplingHeapProfileNode; above: readonly Frame[] }[] = [
    { node: head, above: [] },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, above } = next;
    const frames = [node.callFrame, ...above];
    if (node.selfSize > 0) allocations.push({ frames, values: [node.selfSize] });
    for (const child of node.children) waiting.push({ node: child, above: frames });
  }
  return allocations;
}
