// What `keelson top` reads of a server: counts of /metrics, and the newest requests.

import { RequestError } from '../client/client.ts';
import type { Connection } from '../client/connect.ts';
import type { ThreadUse } from '../metrics/thread-metrics.ts';
import type { RequestRecord } from '../trace/request-trace.ts';
import { metricLine } from './metric-lines.ts';

/** The priority levels of flow control. */
interface LevelSample {
  executingSeats: number;
  limitSeats: number;
  waiting: number;
  /** Since the start of the server. */
  refused: number;
}

export interface Sample {
  /** When it was taken, in milliseconds of a clock that only goes forward. */
  readonly at: number;
  /** Since the start of the server, by verb. */
  readonly requests: ReadonlyMap<string, number>;
  /** Those with a code of 500 and above. */
  readonly errors: number;
  readonly underWay: number;
  readonly watches: number;
  readonly objects: number;
  /** Undefined where the store has no file. */
  readonly storeBytes: number | undefined;
  readonly memoryBytes: number;
  readonly processorSeconds: number;
  readonly threads: readonly ThreadUse[];
  readonly levels: ReadonlyMap<string, LevelSample>;
  /** Undefined where the server shows no requests, or not to this user. */
  readonly recorded: RecordedPage | undefined;
}

export interface RecordedPage {
  /** The sequence number of the newest record. */
  readonly last: number;
  /** Those since the sample before. */
  readonly requests: readonly RequestRecord[];
}

type Transport = Connection['transport'];

const maxRecords = 2000;

/** `after` is the sequence number of the newest record of the sample before. */
export async function takeSample({ transport }: Connection, after: number): Promise<Sample> {
  const counts = new Counts();
  for await (const line of transport.lines('/metrics', new AbortController().signal)) counts.read(line);
  return { ...counts.sample, at: performance.now(), recorded: await recordedAfter(transport, after) };
}

async function recordedAfter(transport: Transport, after: number): Promise<RecordedPage | undefined> {
  const path = `/debug/keelson/requests?after=${after}&limit=${maxRecords}`;
  const { status, body } = await transport.send({ method: 'GET', path });
  if (status === 403 || status === 404) return undefined;
  if (status !== 200) throw new RequestError(`GET ${path}`, status, body);
  return body as RecordedPage;
}

/** Numbers of /metrics that are summed, or taken as they are. */
type Totals = 'errors' | 'underWay' | 'watches' | 'objects' | 'memoryBytes' | 'processorSeconds';

class Counts {
  readonly #requests = new Map<string, number>();
  readonly #threads = new Map<string, { thread: string; load: number; heapBytes: number }>();
  readonly #levels = new Map<string, LevelSample>();
  readonly #totals: Record<Totals, number> = {
    ...{ errors: 0, underWay: 0, watches: 0, objects: 0, memoryBytes: 0, processorSeconds: 0 },
  };
  #storeBytes: number | undefined;

  get sample(): Omit<Sample, 'at' | 'recorded'> {
    return {
      ...this.#totals,
      requests: this.#requests,
      storeBytes: this.#storeBytes,
      threads: [...this.#threads.values()],
      levels: this.#levels,
    };
  }

  read(text: string): void {
    const line = metricLine(text);
    if (line === undefined) return;
    const { name, label, value } = line;
    const level = () => this.#level(label('priority_level'));
    switch (name) {
      case 'apiserver_request_total':
        this.#requests.set(label('verb'), (this.#requests.get(label('verb')) ?? 0) + value);
        if (label('code').startsWith('5')) this.#totals.errors += value;
        break;
      case 'apiserver_current_inflight_requests':
        this.#totals.underWay += value;
        break;
      case 'apiserver_longrunning_requests':
        if (label('verb') === 'WATCH') this.#totals.watches += value;
        break;
      case 'apiserver_resource_objects':
        if (value > 0) this.#totals.objects += value;
        break;
      case 'apiserver_storage_size_bytes':
        this.#storeBytes = value;
        break;
      case 'process_resident_memory_bytes':
        this.#totals.memoryBytes = value;
        break;
      case 'process_cpu_seconds_total':
        this.#totals.processorSeconds = value;
        break;
      case 'keelson_thread_load':
        this.#thread(label('thread')).load = value;
        break;
      case 'keelson_thread_heap_bytes':
        this.#thread(label('thread')).heapBytes = value;
        break;
      case 'apiserver_flowcontrol_current_limit_seats':
        level().limitSeats = value;
        break;
      case 'apiserver_flowcontrol_current_executing_seats':
        level().executingSeats += value;
        break;
      case 'apiserver_flowcontrol_current_inqueue_requests':
        level().waiting += value;
        break;
      case 'apiserver_flowcontrol_rejected_requests_total':
        level().refused += value;
    }
  }

  #thread(thread: string) {
    const use = this.#threads.get(thread) ?? { thread, load: 0, heapBytes: 0 };
    this.#threads.set(thread, use);
    return use;
  }

  #level(name: string): LevelSample {
    const level = this.#levels.get(name) ?? { executingSeats: 0, limitSeats: 0, waiting: 0, refused: 0 };
    this.#levels.set(name, level);
    return level;
  }
}
