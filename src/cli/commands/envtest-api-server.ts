// The kube-apiserver of `keelson envtest`: Keelson with the flags that controller-runtime gives it, and with the controllers
// only that a kube-apiserver has. Those of a controller manager would surprise tests that are written without one; with
// `--simulate` they run too.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerOptions } from '../../config/options.ts';
import { createServer } from '../../server/create-server.ts';
import { openEmbeddedStore } from '../../storage/embedded/embedded-store.ts';
import { lockFolder } from '../../storage/embedded/folder-lock.ts';
import type { Store } from '../../storage/store.ts';
import { serveFlags } from '../flags/flags.ts';
import { parseFlags, takeWarnings } from '../flags/parse-flags.ts';
import { serveHelp } from '../help.ts';
import { createLog } from '../log.ts';
import { folderOf } from './envtest-etcd.ts';

const ownControllers = [
  'apiservice-registration-controller',
  'apiservice-status-available-controller',
  'customresourcedefinition-controller',
  'flowschema-status-controller',
  'flowcontrol-bootstrap-controller',
];

/** Flags of kube-apiserver that mean nothing here, but for the folder of certificates. */
const others = ['cert-dir', 'etcd-servers'];

export async function runApiServer(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(serveHelp(serveFlags, []));
    return 0;
  }
  const stop = stopSignal();
  const { values, rest } = withoutOthers(args);
  const options = optionsOf(values, rest);
  const { store, release } = await openKept(values.get('etcd-servers'));
  try {
    const server = await createServer({ ...options, store });
    try {
      await server.listen();
      await stop;
    } finally {
      await server.close();
    }
  } finally {
    await release();
  }
  return 0;
}

interface Kept {
  readonly store: Store | 'memory';
  release(): Promise<void>;
}

/** Objects are where the etcd of `keelson envtest` names a folder, and in memory with any other etcd. */
async function openKept(etcdServers = ''): Promise<Kept> {
  const folder = await folderOf(etcdServers);
  if (folder === undefined) return { store: 'memory', release: async () => {} };
  const lock = await lockFolder(folder);
  try {
    return { store: openEmbeddedStore(folder, { flushes: false }), release: () => lock.release() };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** kube-apiserver applies no manifests. */
const apiServerFlags = serveFlags.filter(({ group }) => group !== 'Manifests');

function optionsOf(values: ReadonlyMap<string, string>, rest: readonly string[]): ServerOptions {
  const { dataDir, store: _, loggingFormat, plainRuntime: __, ...options } = parseFlags(apiServerFlags, rest);
  const log = createLog(process.stderr, loggingFormat);
  for (const warning of takeWarnings(options)) log.warn({}, warning);
  const isKept = rest.some((arg) => /^--?data-dir(=|$)/.test(arg));
  return {
    verbosity: 0,
    shutdownGraceSeconds: 1,
    ...(options.simulate === undefined ? { controllers: ownControllers } : {}),
    ...servingPair(values.get('cert-dir')),
    ...options,
    ...(isKept && dataDir !== undefined ? { dataDir } : {}),
    log,
  };
}

function withoutOthers(args: readonly string[]): { values: ReadonlyMap<string, string>; rest: readonly string[] } {
  const values = new Map<string, string>();
  const rest: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    const [, name = '', inline] = /^--?([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (others.includes(name)) values.set(name, inline ?? args[++i] ?? '');
    else rest.push(arg);
  }
  return { values, rest };
}

/** As kube-apiserver has it: a pair in the folder is used, where no other is named. */
function servingPair(folder: string | undefined): Pick<ServerOptions, 'tlsCertFile' | 'tlsPrivateKeyFile'> {
  if (folder === undefined) return {};
  const pair = { tlsCertFile: join(folder, 'apiserver.crt'), tlsPrivateKeyFile: join(folder, 'apiserver.key') };
  return existsSync(pair.tlsCertFile) && existsSync(pair.tlsPrivateKeyFile) ? pair : {};
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
