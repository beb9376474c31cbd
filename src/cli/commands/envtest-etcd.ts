// The etcd of `keelson envtest`: answers the health check that controller-runtime makes before it starts the API server, and
// gives the API server the folder in which objects are kept, so that they survive a restart of the API server.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { UsageError } from '../usage-error.ts';

const help = `etcd for controller-runtime tests, by Keelson: it says that it is healthy, and names the folder of the objects.

Flags that are understood; all others are ignored:
  --listen-client-urls string       Address to listen on.
  --listen-peer-urls string         Ignored.
  --advertise-client-urls string    Ignored.
  --data-dir string                 Folder of the objects; a temporary one when not given.
  --unsafe-no-fsync                 Ignored.
`;

/** Where the API server of `keelson envtest` asks for the folder of the objects. */
const folderPath = '/keelson/folder';

const answersFor = (folder: string): ReadonlyMap<string, object> =>
  new Map<string, object>([
    ['/health', { health: 'true', reason: '' }],
    ['/version', { etcdserver: '3.6.0', etcdcluster: '3.6.0' }],
    [folderPath, { folder }],
  ]);

export async function runEtcd(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(help);
    return 0;
  }
  const address = clientUrl(args);
  const givenFolder = flagValue(args, 'data-dir');
  const folder = givenFolder === undefined ? mkdtempSync(join(tmpdir(), 'keelson-etcd-')) : resolvePath(givenFolder);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await answerUntilStopped(address, answersFor(folder));
  } finally {
    if (givenFolder === undefined) rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}

async function answerUntilStopped({ hostname, port }: URL, answers: ReadonlyMap<string, object>): Promise<void> {
  const server = createServer((request, response) => {
    const answer = answers.get(request.url ?? '');
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(answer === undefined ? '' : JSON.stringify(answer));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(Number(port), hostname.replace(/^\[|\]$/g, ''), resolve);
  });
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  server.close();
  server.closeAllConnections();
}

/** Undefined where the address is not that of an etcd of `keelson envtest`. */
export async function folderOf(etcdServers: string): Promise<string | undefined> {
  const [first = ''] = etcdServers.split(',');
  if (!first.startsWith('http://') || !URL.canParse(first)) return undefined;
  const answer = await answerOf(new URL(folderPath, first));
  try {
    const { folder } = JSON.parse(answer) as { readonly folder?: unknown };
    return typeof folder === 'string' ? folder : undefined;
  } catch {
    return undefined;
  }
}

const answerMs = 2000;
const maxAnswer = 8192;

/** Empty where there is no answer. */
function answerOf(url: URL): Promise<string> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: answerMs }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (text.length > maxAnswer) response.destroy();
      });
      response.on('close', () => resolve(response.statusCode === 200 ? text : ''));
    });
    request.on('timeout', () => request.destroy()).on('error', () => resolve(''));
  });
}

function clientUrl(args: readonly string[]): URL {
  const [first = ''] = (flagValue(args, 'listen-client-urls') ?? 'http://127.0.0.1:2379').split(',');
  if (!URL.canParse(first)) throw new UsageError(`--listen-client-urls: ${JSON.stringify(first)} is not an address`);
  return new URL(first);
}

function flagValue(args: readonly string[], name: string): string | undefined {
  const at = args.findIndex((arg) => new RegExp(`^--?${name}(=|$)`).test(arg));
  const arg = args[at];
  if (arg === undefined) return undefined;
  return arg.includes('=') ? arg.slice(arg.indexOf('=') + 1) : args[at + 1];
}
