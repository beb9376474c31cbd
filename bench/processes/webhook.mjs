// Starts the webhook that allows everything.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCertificate } from './certificate.mjs';

const PROGRAM = fileURLToPath(new URL('../webhook-server.mjs', import.meta.url));

/** Resolves when it listens: { port, ca, stop }. */
export async function startWebhook({ scope }) {
  const { certificate, key } = await createCertificate();
  const file = join(scope.folder('webhook'), 'pair.json');
  writeFileSync(file, JSON.stringify({ cert: certificate, key }), { mode: 0o600 });
  const child = scope.spawn(process.execPath, [PROGRAM, file], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const [{ port }] = await once(child, 'message');
  return { port, ca: certificate, stop: () => scope.stop(child) };
}
