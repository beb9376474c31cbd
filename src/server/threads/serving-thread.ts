// The program of a serving thread, and of the lane for large requests: a whole server on the store of the main thread, without what happens once.

import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import type { AuditEvent } from '../../audit/event.ts';
import type { Log } from '../../config/options.ts';
import { openWatchesOf } from '../../handlers/watch/open-watches.ts';
import { inFlightCounts } from '../../pipeline/limit.ts';
import { takeConnections } from '../../runtime/connection-door.ts';
import { openLmdbReader } from '../../storage/embedded/lmdb-reader.ts';
import { RevisionBoard } from '../../storage/threads/revision-board.ts';
import { ThreadStore } from '../../storage/threads/thread-store.ts';
import { LaneClient } from '../../threads/lane-client.ts';
import { LaneService } from '../../threads/lane-service.ts';
import { PortCalls } from '../../threads/port-calls.ts';
import type { LogLevel, MainCalls, ServingCalls, ServingThreadData, SocketSource } from '../../threads/protocol.ts';
import type { PassedConnections } from '../../transport/http/listening-sockets.ts';
import { createServingThread } from '../create-server.ts';
import type { KeelsonServer } from '../server.ts';
import type { ServingRole } from './serving-role.ts';

const {
  calls: port,
  index,
  options,
  socket,
  largeBytes,
  store,
  inFlight,
  sessionMemory,
  logSettings,
  recordsRequests,
} = workerData as ServingThreadData;
let server: KeelsonServer | undefined;
let lane: LaneService | undefined;

const calls = new PortCalls<ServingCalls, MainCalls>(port, {
  metrics: async () => (await server?.metricSnapshot()) ?? [],
  watches: () => (server === undefined ? { watches: [], total: 0 } : openWatchesOf(server.resources)),
  resetMetrics: () => server?.resetOwnMetrics(),
  setLog: (settings) => server?.setLog(settings),
  recordRequests: (isOpen) => server?.recordRequests(isOpen),
  heapBytes: () => getHeapStatistics().used_heap_size,
  serveLane: (from) => lane?.serve(from),
  laneIdleMs: () => lane?.idleMs ?? 0,
  shed: (share) => server?.shed(share),
  stopping: () => server?.stopping(),
  close: async () => {
    // nothing is under way in a thread that is still starting
    if (server === undefined) process.exit();
    await server.close();
    lane?.close();
    calls.close();
    parentPort?.close();
  },
});

const line =
  (level: LogLevel) =>
  (fields: object, message: string): void => {
    try {
      calls.send('log', { level, fields, message });
    } catch {
      // a field that cannot be sent as it is
      calls.send('log', { level, fields: { text: String(fields) }, message });
    }
  };
const log: Log = { info: line('info'), warn: line('warn'), error: line('error') };

async function start(): Promise<void> {
  const threadStore = store && openThreadStore(store);
  const role: ServingRole = {
    threads: inFlight.rows - 1,
    catchUp: threadStore && (() => threadStore.catchUp()),
    inFlight: inFlightCounts(inFlight.rows, index, inFlight.memory),
    sessionMemory,
    metrics: {
      render: () => calls.call('metrics', undefined),
      reset: () => calls.call('resetMetrics', undefined),
    },
    watches: () => calls.call('watches', undefined),
    audit: {
      process: (events: readonly AuditEvent[]) => calls.call('audit', events).catch(() => false),
      close: async () => {},
    },
    socket: socket !== undefined && 'path' in socket ? passedConnections(socket) : socket,
    requests: {
      read: (query) => calls.call('readRequests', query),
      add: (records) => calls.send('addRequests', records),
    },
    lane: largeBytes === undefined ? undefined : laneClient(largeBytes),
    threadProblem: () => calls.call('threadProblem', undefined),
    onLogChange: (settings) => calls.send('setLog', settings),
  };
  const own = threadStore === undefined ? options : { ...options, store: threadStore };
  server = await createServingThread({ ...own, log }, role);
  server.setLog(logSettings);
  if (recordsRequests) server.recordRequests(true);
  if (socket === undefined) lane = new LaneService(server.laneHandler);
  else await server.listen();
  calls.send('ready', undefined);
}

function laneClient(limit: number): LaneClient {
  return new LaneClient({
    largeBytes: limit,
    connect: () => calls.call('connectLane', undefined),
    onError: (error) => log.error({ err: error }, 'the thread for large requests could not be reached'),
  });
}

function passedConnections({ path, count, ...place }: Extract<SocketSource, { path: string }>): PassedConnections {
  const connections = new Int32Array(count);
  return {
    ...place,
    begin: (serve) =>
      takeConnections(path, (handle) => {
        calls.send('taken', undefined);
        serve(handle).once('close', () => Atomics.sub(connections, 0, 1));
      }),
  };
}

function openThreadStore({ folder, board, port: commits }: NonNullable<ServingThreadData['store']>): ThreadStore {
  return new ThreadStore({ tables: openLmdbReader(folder), board: new RevisionBoard(board), port: commits });
}

// a failure ends the thread, and the main thread starts another one
void start();
