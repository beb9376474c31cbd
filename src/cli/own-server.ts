// The server of a data folder, reached by the kubeconfig that it wrote there.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Connection, connect } from '../client/connect.ts';
import { loadKubeconfig } from '../client/kubeconfig/load.ts';
import { defaultDataDir } from '../config/tables/storage.ts';
import { text } from '../config/value-types.ts';
import { UsageError } from './usage-error.ts';

export const dataDirFlag = {
  name: 'data-dir',
  type: text,
  help: `Data folder of the server (default ${defaultDataDir}).`,
} as const;

/** For commands that take any server, unless one of a data folder is meant. */
export const serverFlags = {
  dataDir: dataDirFlag,
  kubeconfig: {
    name: 'kubeconfig',
    type: text,
    help: 'Kubeconfig of the server, instead of the one in a data folder.',
  },
  context: { name: 'context', type: text, help: 'Context of the kubeconfig to use (default the current one).' },
} as const;

interface ChosenServer {
  readonly dataDir?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Another server may be far away or busy. */
const patientMs = 30_000;

/** Calls `use` with a connection to the server that the flags name. */
export async function withChosenServer<T>(
  { dataDir, kubeconfig, context }: ChosenServer,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  if (kubeconfig === undefined) {
    if (context !== undefined) throw new UsageError('--context needs --kubeconfig');
    return withRunningServer(dataDir, use);
  }
  const options = { timeoutMs: patientMs, userAgent: 'keelson-cli', ...(context === undefined ? {} : { context }) };
  const connection = connect(await loadKubeconfig({ file: kubeconfig }), options);
  try {
    return await use(connection);
  } finally {
    connection.close();
  }
}

/** A server on this machine answers in milliseconds, or not at all. */
const timeoutMs = 10_000;

const refused = new Set(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ETIMEDOUT']);

/** Runs `use` with a connection; undefined where no server runs. */
export async function withServer<T>(
  dataDir: string | undefined,
  use: (connection: Connection) => Promise<T>,
): Promise<T | undefined> {
  const file = kubeconfigOf(dataDir);
  if (!existsSync(file)) return undefined;
  const connection = connect(await loadKubeconfig({ file }), { timeoutMs, userAgent: 'keelson-cli' });
  try {
    return await use(connection);
  } catch (error) {
    if (isRefused(error)) return undefined;
    throw error;
  } finally {
    connection.close();
  }
}

/** Calls `use` with a connection to the running server of the folder; throws if no server runs. */
export async function withRunningServer<T>(
  dataDir: string | undefined,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const result = await withServer(dataDir, async (connection) => ({ value: await use(connection) }));
  if (result === undefined) throw new Error(`no server runs on the data folder ${folderOf(dataDir)}`);
  return result.value;
}

const folderOf = (dataDir: string | undefined): string => resolve(dataDir ?? defaultDataDir);

export const kubeconfigOf = (dataDir: string | undefined): string => join(folderOf(dataDir), 'kubeconfig');

function isRefused(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (refused.has((at as NodeJS.ErrnoException).code ?? '')) return true;
  return false;
}
