// The requests of one server as clients read them, and the traces of those of this thread. The main thread has the records
// of all threads; the others send theirs to it, and read there.

import type { Clock } from '../base/time/clock.ts';
import { RequestRing, type RingPage, type RingQuery, ringLimits } from '../trace/request-ring.ts';
import type { RequestRecord } from '../trace/request-trace.ts';
import { Tracer } from '../trace/tracer.ts';
import type { OpenTracing } from './tracing.ts';

/** The records of the main thread, as the others reach them. */
export interface RemoteRecords {
  read(query: RingQuery): Promise<RingPage>;
  add(records: readonly string[]): void;
}

interface RecordedRequestsParts {
  readonly clock: Clock;
  readonly tracing: OpenTracing | undefined;
  /** Undefined in the main thread. */
  readonly remote: RemoteRecords | undefined;
  /** Called when clients begin to read and when they stop, for the other threads. */
  onOpen(isOpen: boolean): void;
}

/** The record with a sequence number; undefined where it is not kept. */
export async function readRecord(
  requests: { read(query: RingQuery): Promise<RingPage> },
  sequence: number,
): Promise<RequestRecord | undefined> {
  const { lines } = await requests.read({ after: sequence - 1, most: ringLimits.records, waitMs: 0 });
  const [first] = lines;
  const record = first === undefined ? undefined : (JSON.parse(first) as RequestRecord);
  return record?.sequence === sequence ? record : undefined;
}

export class RecordedRequests {
  readonly tracer: Tracer;
  readonly #ring: RequestRing;
  readonly #remote: RemoteRecords | undefined;
  readonly #onOpen: (isOpen: boolean) => void;

  constructor({ clock, tracing, remote, onOpen }: RecordedRequestsParts) {
    this.#remote = remote;
    this.#onOpen = onOpen;
    this.#ring = new RequestRing({ clock, onOpen: (isOpen) => this.record(isOpen) });
    this.tracer = new Tracer({
      exporter: tracing?.exporter,
      samplesPerMillion: tracing?.samplesPerMillion ?? 0,
      onRecords: (records) => (remote === undefined ? this.add(0, records) : remote.add(records)),
    });
  }

  /** Whether threads that start now are to record requests. */
  get isOpen(): boolean {
    return this.#ring.isOpen;
  }

  read(query: RingQuery): Promise<RingPage> {
    return this.#remote === undefined ? this.#ring.read(query) : this.#remote.read(query);
  }

  /** Adds records of a thread. */
  add(thread: number, records: readonly string[]): void {
    this.#ring.add(thread, records);
  }

  /** Begins or stops recording, in this thread and in those that follow it. */
  record(isOpen: boolean): void {
    this.tracer.isOpen = isOpen;
    this.#onOpen(isOpen);
  }

  async close(): Promise<void> {
    this.#ring.close();
    await this.tracer.close();
  }
}
