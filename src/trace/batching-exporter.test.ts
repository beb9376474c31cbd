import { expect, test } from 'vitest';
import { BatchingExporter, type Collector, exportLimits } from './batching-exporter.ts';
import type { FinishedSpan } from './request-trace.ts';
import type { TraceSpans } from './tracer.ts';

const span: FinishedSpan = {
  ...{ name: 'Create', kind: 'internal', spanId: '00f067aa0ba902b7', parentId: undefined },
  ...{ beganAt: 1, endedAt: 2, attributes: {}, events: [], failure: undefined },
};

const traceOf = (spans: number): TraceSpans => ({
  traceId: '0af7651916cd43dd8448eb211c80319c',
  state: undefined,
  spans: Array.from({ length: spans }, () => span),
});

/** A collector that answers when it is told. */
class SlowCollector implements Collector {
  readonly batches: (readonly TraceSpans[])[] = [];
  answer: (error?: Error) => void = () => {};
  isClosed = false;

  send(_: unknown, traces: readonly TraceSpans[]): Promise<void> {
    this.batches.push(traces);
    return new Promise((resolve, reject) => {
      this.answer = (error) => (error === undefined ? resolve() : reject(error));
    });
  }

  close(): void {
    this.isClosed = true;
  }
}

function openExporter() {
  const collector = new SlowCollector();
  const failures: unknown[] = [];
  const exporter = new BatchingExporter({ collector, resource: {}, onFailure: (error) => failures.push(error) });
  return { collector, failures, exporter };
}

test('exporter: spans beyond its queue are dropped and counted while a collector is slow', async () => {
  const { collector, exporter } = openExporter();
  for (let round = 0; round < 100; round++) exporter.add(traceOf(100));
  expect(collector.batches).toHaveLength(1);
  const sending = collector.batches[0]?.flatMap(({ spans }) => spans).length ?? 0;
  expect(sending).toBeGreaterThanOrEqual(exportLimits.spansPerBatch);
  expect(exporter.counts.dropped).toBeGreaterThanOrEqual(10_000 - exportLimits.queuedSpans - sending);
  expect(exporter.counts).toMatchObject({ sent: 0, failed: 0 });
  collector.answer();
  await expect.poll(() => exporter.counts.sent).toBe(sending);
});

test('exporter: a failure is counted, and reported once in a while', async () => {
  const { collector, failures, exporter } = openExporter();
  for (let round = 1; round <= 2; round++) {
    exporter.add(traceOf(exportLimits.spansPerBatch));
    await expect.poll(() => collector.batches.length).toBe(round);
    collector.answer(new Error('no'));
    await expect.poll(() => exporter.counts.failed).toBe(round * exportLimits.spansPerBatch);
  }
  expect(failures).toHaveLength(1);
});

test('exporter: what waits is sent when it is closed', async () => {
  const { collector, exporter } = openExporter();
  exporter.add(traceOf(3));
  const closed = exporter.close();
  await expect.poll(() => collector.batches.length).toBe(1);
  collector.answer();
  await closed;
  expect([exporter.counts.sent, collector.isClosed]).toEqual([3, true]);
});
