// `keelson doctor`: looks for what keeps a server from starting or will soon trouble it, and says what to do.

import { columns } from './columns.ts';
import type { Guide } from './command-line.ts';
import { checks, type Finding } from './doctor-checks.ts';
import { integer, text } from './flag-values.ts';
import { openInspection, outputGuide } from './inspection.ts';
import { dataDirFlag } from './own-server.ts';
import { defaultPort } from './serving-flags.ts';

export const doctorGuide: Guide = {
  usage: '[flags]',
  notes: [
    'Looks at the data folder, the port, the disk, the clock and the limit of open files, and reads what a server would',
    'read: the data file or etcd, certificates, and the files that flags name.',
    'The exit code is 1 when something keeps a server from running.',
  ],
  flags: {
    dataDir: dataDirFlag,
    bindAddress: { name: 'bind-address', type: text, help: 'Address to listen on (default 127.0.0.1).' },
    port: { name: 'secure-port', type: integer(0, 65535), help: `Port to listen on (default ${defaultPort}).` },
    output: outputGuide,
  },
  takesServeFlags: true,
};

export async function doctor(args: readonly string[]): Promise<number> {
  const { config, output, inspect } = openInspection(args);
  const { dataDir: folder = '', bindAddress: host, securePort: port } = config;
  const where = { folder, host, port, config, report: await inspect() };
  const found: (Finding & { readonly check: string })[] = [];
  for (const [check, look] of Object.entries(checks)) found.push({ check, ...(await attempt(() => look(where))) });
  const rows = found.map(({ state, check, message }) => [state, check, message]);
  process.stdout.write(output === 'json' ? `${JSON.stringify(found, undefined, 2)}\n` : columns(rows));
  return found.some(({ state }) => state === 'bad') ? 1 : 0;
}

/** A check that cannot look has found something. */
async function attempt(look: () => Promise<Finding> | Finding): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    return { state: 'bad', message: (error as Error).message };
  }
}
