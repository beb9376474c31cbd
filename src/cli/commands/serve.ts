// `keelson serve`: runs the server until a signal stops it.

import { packageVersion } from '../../base/package-version.ts';
import { type Log, resolveOptions, type ServerOptions } from '../../config/options.ts';
import { threadCount, usualLargeBytes } from '../../config/tables/serving.ts';
import { boundYoungGeneration } from '../../runtime/young-generation.ts';
import { createHookedServer } from '../../server/create-server.ts';
import type { Server } from '../../server/server.ts';
import type { ServerParts } from '../../server/start/server-hooks.ts';
import type { MutableOptions } from '../flags/flag.ts';
import { serveFlags } from '../flags/flags.ts';
import { shownFlags } from '../flags/shown-flags.ts';
import { createLog } from '../log.ts';
import { LocalServer } from '../manifests/local-server.ts';
import { checkFollowedPaths, ManifestFollower } from '../manifests/manifest-follower.ts';
import { takePassedSockets } from '../passed-sockets.ts';
import { parseServeOptions } from './serve-options.ts';

export async function serve(args: readonly string[]): Promise<number> {
  const { options, manifests, loggingFormat, warnings } = parseServeOptions(args);
  checkFollowedPaths(manifests.paths);
  const log = createLog(process.stderr, loggingFormat);
  for (const warning of warnings) log.warn({}, warning);
  const { sockets, warning } = takePassedSockets(process.env, process.pid);
  if (warning !== undefined) log.warn({}, warning);
  await etcdAnswers(options, log);
  const server = await createHookedServer(
    {
      ...{ verbosity: 0, threads: threadsOfEnvironment(options), largeRequestBytes: usualLargeBytes },
      ...options,
      commandLine: shownFlags(serveFlags, args),
      log,
    },
    { ownsProcess: true, ...(sockets === undefined ? {} : { sockets }) },
  );
  try {
    await server.listen();
  } catch (error) {
    await server.close();
    throw error;
  }
  const stopBounding = boundYoungGeneration();
  // signals are handled before the log reports that the server runs
  const stop = stopSignal();
  const follower = manifests.paths.length > 0 ? await followManifests(server, manifests, log) : undefined;
  process.stdout.write(startBlock(server, options));
  await stop;
  await follower?.close();
  await server.close();
  stopBounding();
  return 0;
}

/** The manifests are applied when the server reports that it is ready. */
async function followManifests(
  server: Server & ServerParts,
  manifests: ReturnType<typeof parseServeOptions>['manifests'],
  log: Log,
): Promise<ManifestFollower> {
  await server.settled();
  const follower = new ManifestFollower(LocalServer.around(server), {
    ...manifests,
    fieldManager: 'keelson-serve',
    onSync({ problems, ...done }) {
      for (const [what, titles] of Object.entries(done)) for (const title of titles) log.info({}, `${what} ${title}`);
      for (const problem of problems) log.warn({}, `manifests: ${problem}`);
    },
    onError: (message) => log.error({}, `manifests: ${message}`),
  });
  await follower.start();
  return follower;
}

/** For test runs of many servers: `KEELSON_THREADS` replaces the default of `--threads`, except for a store in memory. */
function threadsOfEnvironment({ store }: MutableOptions): number | 'auto' {
  const text = store === 'memory' ? '' : (process.env['KEELSON_THREADS'] ?? '');
  return text === '' ? 'auto' : threadCount.parse(text);
}

/** An etcd that cannot be reached is waited for: it may start later than this server. */
async function etcdAnswers(options: ServerOptions, log: Log): Promise<void> {
  if (options.store !== 'etcd') return;
  const { store } = resolveOptions(options);
  if (store.kind !== 'etcd') return;
  const { waitForEtcd } = await import('../../storage/etcd/wait-for-etcd.ts');
  const flag = `--etcd-servers: ${store.options.servers.join(', ')}`;
  try {
    await waitForEtcd(store.options, (reason) => log.error({}, `${flag}: ${reason}; the server waits for it`));
  } catch (error) {
    throw new Error(`${flag}: ${(error as Error).message}`, { cause: error });
  }
}

function startBlock(server: Server & ServerParts, { store, etcdServers = [] }: MutableOptions): string {
  const kubeconfig = server.kubeconfigPath ?? '';
  const where =
    store === 'memory'
      ? ' (objects in memory only)'
      : store === 'etcd'
        ? ` (objects in etcd at ${etcdServers.join(', ')})`
        : '';
  const folder = kubeconfig.slice(0, -'/kubeconfig'.length);
  const link = server.signInLink();
  const consoleLine = link === undefined ? '' : `  console      ${link} (works once, for ten minutes)\n`;
  return `Keelson ${packageVersion()} is ready.

  address      ${server.url}
  data folder  ${folder}${where}
  kubeconfig   ${kubeconfig}
${consoleLine}
  kubectl --kubeconfig ${kubeconfig} get namespaces

`;
}

/** The first signal to stop. A user who signals twice does not want to wait: the second one ends the process. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    let signals = 0;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        signals++;
        if (signals > 1) process.exit(1);
        resolve(signal);
      });
    }
  });
}
