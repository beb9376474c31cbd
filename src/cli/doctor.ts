// `keelson doctor`: looks for what keeps a server from starting or will soon trouble it, and says what to do.

import { columns } from './columns.ts';
import { type Guide, parseCommandLine } from './command-line.ts';
import { checks, type Finding } from './doctor-checks.ts';
import { integer, oneOf, text } from './flag-values.ts';
import { dataDirFlag, folderOf } from './own-server.ts';
import { defaultPort } from './serving-flags.ts';
import { UsageError } from './usage-error.ts';

const flags = {
  dataDir: dataDirFlag,
  bindAddress: { name: 'bind-address', type: text, help: 'Address to listen on (default 127.0.0.1).' },
  port: { name: 'secure-port', type: integer(0, 65535), help: `Port to listen on (default ${defaultPort}).` },
  output: { name: 'output', short: 'o', type: oneOf('text', 'json'), help: 'How it is printed (default text).' },
};

export const doctorGuide: Guide = {
  usage: '[flags]',
  notes: [
    'Looks at the data folder, the port, the disk, the clock, certificates and the limit of open files.',
    'The exit code is 1 when something has to be mended before a server can run.',
  ],
  flags,
};

export async function doctor(args: readonly string[]): Promise<number> {
  const { words, given } = parseCommandLine('doctor', flags, args);
  if (words.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(words[0])}`);
  const where = {
    folder: folderOf(given.dataDir),
    host: given.bindAddress ?? '127.0.0.1',
    port: given.port ?? defaultPort,
  };
  const found: (Finding & { readonly check: string })[] = [];
  for (const [check, look] of Object.entries(checks)) found.push({ check, ...(await attempt(() => look(where))) });
  const rows = found.map(({ state, check, message }) => [state, check, message]);
  process.stdout.write(given.output === 'json' ? `${JSON.stringify(found, undefined, 2)}\n` : columns(rows));
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
