// Starts the bare server with a certificate of Keelson's type, and tells it what to answer.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCertificate } from './certificate.mjs';
import { waitUntilReady } from './ready.mjs';

const PROGRAM = fileURLToPath(new URL('../bare-server.mjs', import.meta.url));

/** Resolves when the server is ready: { target, child, answer, relay, stop }. */
export async function startBare({ scope, env }) {
  const { child, certificate } = await spawnBare({ scope, port: 0, env });
  const [{ port }] = await once(child, 'message');
  await waitUntilReady(child, port);
  return {
    child,
    target: { name: 'bare', port, pid: child.pid, ca: certificate },
    answer: (path, answer) => tell(child, { path, ...answer }),
    relay: (to) => tell(child, { relay: to }),
    stop: () => scope.stop(child),
  };
}

export async function spawnBare({ scope, port, pair, env }) {
  const { certificate, key } = pair ?? (await createCertificate());
  const file = join(scope.folder('bare'), 'pair.json');
  writeFileSync(file, JSON.stringify({ cert: certificate, key }), { mode: 0o600 });
  const options = { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], serialization: 'advanced', env };
  const child = scope.spawn(process.execPath, [PROGRAM, file, String(port)], options);
  return { child, certificate };
}

/** From now on a GET of a path is answered with given bytes, or every POST is passed on to another server first. */
async function tell(child, message) {
  const done = once(child, 'message');
  child.send(message);
  await done;
}
