// The program of a serving thread: a whole server on the store of the main thread, without what happens once.

import { parentPort, workerData } from 'node:worker_threads';
import type { AuditEvent } from '../audit/event.ts';
import type { Log } from '../config/options.ts';
import { inFlightCounts } from '../pipeline/limit.ts';
import { takeSocket } from '../runtime/shared-socket.ts';
import { openLmdbReader } from '../storage/embedded/lmdb-reader.ts';
import { RevisionBoard } from '../storage/threads/revision-board.ts';
import { ThreadStore } from '../storage/threads/thread-store.ts';
import { PortCalls } from '../threads/port-calls.ts';
import type { LogLevel, MainCalls, ServingCalls, ServingThreadData } from '../threads/protocol.ts';
import { createServingThread } from './create-server.ts';
import type { KeelsonServer } from './server.ts';
import type { ServingRole } from './serving-role.ts';

const { calls: port, index, options, socket, store, inFlight, logSettings } = workerData as ServingThreadData;
let server: KeelsonServer | undefined;

const calls = new PortCalls<ServingCalls, MainCalls>(port, {
  metrics: async () => (await server?.metricSnapshot()) ?? [],
  resetMetrics: () => server?.resetOwnMetrics(),
  setLog: (settings) => server?.setLog(settings),
  shed: (share) => server?.shed(share),
  stopping: () => server?.stopping(),
  close: async () => {
    // nothing is under way in a thread that is still starting
    if (server === undefined) process.exit();
    await server.close();
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
    catchUp: threadStore && (() => threadStore.catchUp()),
    inFlight: inFlightCounts(inFlight.rows, index, inFlight.memory),
    metrics: {
      render: () => calls.call('metrics', undefined),
      reset: () => calls.call('resetMetrics', undefined),
    },
    audit: {
      process: (events: readonly AuditEvent[]) => calls.call('audit', events).catch(() => false),
      close: async () => {},
    },
    socket: 'path' in socket ? await takeSocket(socket.path) : socket,
    threadProblem: () => calls.call('threadProblem', undefined),
    onLogChange: (settings) => calls.send('setLog', settings),
  };
  const own = threadStore === undefined ? options : { ...options, store: threadStore };
  server = await createServingThread({ ...own, log }, role);
  server.setLog(logSettings);
  await server.listen();
  calls.send('ready', undefined);
}

function openThreadStore({ folder, board, port: commits }: NonNullable<ServingThreadData['store']>): ThreadStore {
  return new ThreadStore({ tables: openLmdbReader(folder), board: new RevisionBoard(board), port: commits });
}

// a failure ends the thread, and the main thread starts another one
void start();
