// The etcd of `keelson envtest`: answers the health check that controller-runtime makes before it starts the API server.

import { createServer } from 'node:http';
import { UsageError } from './usage-error.ts';

const help = `etcd for controller-runtime tests, by Keelson: says that it is healthy, and keeps nothing.

Flags that are understood; all others are ignored:
  --listen-client-urls string       Address to listen on.
  --listen-peer-urls string         Ignored.
  --advertise-client-urls string    Ignored.
  --data-dir string                 Ignored.
  --unsafe-no-fsync                 Ignored.
`;

const answers: ReadonlyMap<string, object> = new Map([
  ['/health', { health: 'true', reason: '' }],
  ['/version', { etcdserver: '3.6.0', etcdcluster: '3.6.0' }],
]);

export async function runEtcd(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(help);
    return 0;
  }
  const { hostname, port } = clientUrl(args);
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
  return 0;
}

function clientUrl(args: readonly string[]): URL {
  const at = args.findIndex((arg) => /^--?listen-client-urls(=|$)/.test(arg));
  const text = args[at]?.includes('=') ? args[at]?.slice(args[at]?.indexOf('=') + 1) : args[at + 1];
  const [first = ''] = (at < 0 ? 'http://127.0.0.1:2379' : (text ?? '')).split(',');
  if (!URL.canParse(first)) throw new UsageError(`--listen-client-urls: ${JSON.stringify(first)} is not an address`);
  return new URL(first);
}
