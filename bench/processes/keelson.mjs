// Starts Keelson, with a fresh data folder unless one is given, and reads the credentials it leaves in its kubeconfig.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { within } from '../generator/deferred.mjs';
import { waitUntilReady } from './ready.mjs';

const ADDRESS_MS = 30_000;

/** The command line, without the arguments that follow it; `--command` replaces it. */
export const keelsonCommand = [process.execPath, fileURLToPath(new URL('../../bin/keelson.cjs', import.meta.url))];

/** Flags of every server that is started: `--http2` of the benchmark. */
const servingArgs = [];

export function serveHttp2By(implementation) {
  servingArgs.push('--http2', implementation);
}

/** Resolves when the server is ready: { target, child, stop }. A `target` is all the generator needs. */
export async function startKeelson({ scope, command = keelsonCommand, env, args, dataDir: folder }) {
  const { child, dataDir } = spawnKeelson({ scope, command, port: 0, env, args, dataDir: folder });
  const port = await within(ADDRESS_MS, 'the address of keelson', announcedPort(child));
  await waitUntilReady(child, port);
  const target = { name: 'keelson', port, pid: child.pid, ...readCredentials(dataDir) };
  return { target, child, stop: () => scope.stop(child) };
}

export function spawnKeelson({
  scope,
  command = keelsonCommand,
  port,
  env,
  args: more = [],
  dataDir = scope.folder('keelson'),
}) {
  // a second thread would start in the middle of a measurement
  const threads = more.some((arg) => arg.startsWith('--threads')) ? [] : ['--threads=1'];
  const args = ['serve', '--data-dir', dataDir, '--secure-port', String(port), ...servingArgs, ...threads, ...more];
  return { child: scope.spawn(command[0], [...command.slice(1), ...args], { env }), dataDir };
}

function announcedPort(child) {
  let text = '';
  return new Promise((resolve, reject) => {
    child.once('close', () => reject(new Error(`keelson ended at start: ${child.tail}`)));
    child.stdout.on('data', (more) => {
      if (text.length < 100_000) text += more;
      const found = /https:\/\/127\.0\.0\.1:(\d+)/.exec(text);
      if (found) resolve(Number(found[1]));
    });
  });
}

function readCredentials(dataDir) {
  const config = parse(readFileSync(join(dataDir, 'kubeconfig'), 'utf8'));
  const { cluster } = config.clusters[0];
  const { user } = config.users[0];
  return {
    ca: decode(cluster['certificate-authority-data']),
    cert: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
  };
}

function decode(base64) {
  return Buffer.from(base64, 'base64').toString();
}
