// `keelson doctor`: reports what prevents a server from starting or soon will, with the fix.

import { defaultPort } from '../../config/tables/serving.ts';
import { integer, text } from '../../config/value-types.ts';
import { columns } from '../columns.ts';
import type { Guide } from '../flags/command-line.ts';
import { openInspection, outputGuide } from '../inspection.ts';
import { dataDirFlag } from '../own-server.ts';
import { checks, type Finding } from './doctor-checks.ts';

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
  const findings: (Finding & { readonly check: string })[] = [];
  for (const [check, look] of Object.entries(checks)) findings.push({ check, ...(await attempt(() => look(where))) });
  const rows = findings.map(({ state, check, message }) => [state, check, message]);
  process.stdout.write(output === 'json' ? `${JSON.stringify(findings, undefined, 2)}\n` : columns(rows));
  return findings.some(({ state }) => state === 'bad') ? 1 : 0;
}

/** A check that cannot look has found something. */
async function attempt(look: () => Promise<Finding> | Finding): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    return { state: 'bad', message: (error as Error).message };
  }
}
