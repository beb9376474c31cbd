// Figures of /metrics that the page of the server shows.

export interface ThreadUse {
  readonly thread: string;
  load: number;
  heapBytes: number;
}

export interface LevelUse {
  readonly name: string;
  executing: number;
  limit: number;
  waiting: number;
  refused: number;
}

export interface ServerState {
  readonly threads: readonly ThreadUse[];
  readonly levels: readonly LevelUse[];
  /** Undefined for a store that is no file. */
  readonly storeBytes: number | undefined;
  readonly objects: number;
  readonly memoryBytes: number;
  readonly underWay: number;
}

const line = /^(\w+)(?:\{(.*)\})? (\S+)/;

/** Values of labels may hold anything but an unescaped quote. */
const labelIn = (labels: string, name: string): string =>
  new RegExp(`(?:^|,)${name}="((?:[^"\\\\]|\\\\.)*)"`).exec(labels)?.[1] ?? '';

export function stateIn(metrics: string): ServerState {
  const threads = new Map<string, ThreadUse>();
  const levels = new Map<string, LevelUse>();
  const sums = new Map<string, number>();
  const threadOf = (labels: string) => {
    const thread = labelIn(labels, 'thread');
    return entry(threads, thread, () => ({ thread, load: 0, heapBytes: 0 }));
  };
  const levelOf = (labels: string) => {
    const name = labelIn(labels, 'priority_level');
    return entry(levels, name, () => ({ name, executing: 0, limit: 0, waiting: 0, refused: 0 }));
  };
  const readers: Readonly<Record<string, (labels: string, value: number) => void>> = {
    keelson_thread_load: (labels, value) => {
      threadOf(labels).load = value;
    },
    keelson_thread_heap_bytes: (labels, value) => {
      threadOf(labels).heapBytes = value;
    },
    apiserver_flowcontrol_current_limit_seats: (labels, value) => {
      levelOf(labels).limit = value;
    },
    apiserver_flowcontrol_current_executing_seats: (labels, value) => {
      levelOf(labels).executing += value;
    },
    apiserver_flowcontrol_current_inqueue_requests: (labels, value) => {
      levelOf(labels).waiting += value;
    },
    apiserver_flowcontrol_rejected_requests_total: (labels, value) => {
      levelOf(labels).refused += value;
    },
  };
  for (const text of metrics.split('\n')) {
    const [, name = '', labels = '', number = ''] = line.exec(text) ?? [];
    const value = Number(number);
    if (name === '' || !Number.isFinite(value)) continue;
    readers[name]?.(labels, value);
    if (summed.has(name) && value > 0) sums.set(name, (sums.get(name) ?? 0) + value);
  }
  return {
    threads: [...threads.values()],
    levels: [...levels.values()].sort((a, b) => a.name.localeCompare(b.name)),
    storeBytes: sums.get('apiserver_storage_size_bytes'),
    objects: sums.get('apiserver_resource_objects') ?? 0,
    memoryBytes: sums.get('process_resident_memory_bytes') ?? 0,
    underWay: sums.get('apiserver_current_inflight_requests') ?? 0,
  };
}

const summed = new Set([
  'apiserver_storage_size_bytes',
  'apiserver_resource_objects',
  'process_resident_memory_bytes',
  'apiserver_current_inflight_requests',
]);

function entry<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}
