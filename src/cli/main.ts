// The command line: picks a command and turns what goes wrong into one line and an exit code. What a command needs is
// loaded when it runs: printing the version takes no server.

import { packageVersion } from '../base/package-version.ts';
import { OptionError } from '../config/option-error.ts';
import { readRootCertificates } from '../runtime/root-certificates.ts';
import { FolderLockedError } from '../storage/embedded/folder-locked-error.ts';
import { type CommandSummary, helpText } from './help.ts';
import { UsageError } from './usage-error.ts';

interface Command extends CommandSummary {
  run(args: readonly string[]): Promise<number> | number;
}

const commands: readonly Command[] = [
  {
    name: 'serve',
    help: 'Runs the server. This is the default.',
    run: async (args) => {
      readRootCertificates();
      return (await import('./serve.ts')).serve(args);
    },
  },
  {
    name: 'snapshot',
    help: 'Saves, restores and checks snapshots of the embedded store.',
    run: async (args) => (await import('./snapshot.ts')).snapshot(args),
  },
  {
    name: 'certs',
    help: 'Shows and renews the certificates of a data folder, and replaces its CA.',
    run: async (args) => (await import('./certs.ts')).certs(args),
  },
  {
    name: 'convert',
    help: 'Converts manifests to another API version: -f FILE --output-version GROUP/VERSION.',
    run: async (args) => (await import('./convert.ts')).convert(args),
  },
  {
    name: 'version',
    help: 'Prints the version.',
    run: () => print(`keelson ${packageVersion()}\n`),
  },
  { name: 'help', help: 'Prints this text.', run: async () => print(helpText(commands, await serveFlags())) },
];

const serveFlags = async () => (await import('./flags.ts')).serveFlags;
const ownHelp: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  snapshot: async () => (await import('./snapshot.ts')).snapshotHelp,
  certs: async () => (await import('./certs.ts')).certsHelp,
};

export async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    const own = ownHelp[args[0] ?? ''];
    return print(own === undefined ? helpText(commands, await serveFlags()) : `${(await own()).join('\n')}\n`);
  }
  if (args[0] === '--version') return print(`keelson ${packageVersion()}\n`);
  const named = args[0] !== undefined && !args[0].startsWith('-');
  const command = commands.find(({ name }) => name === (named ? args[0] : 'serve'));
  try {
    if (command === undefined) throw new UsageError(`unknown command ${JSON.stringify(args[0])}; see keelson --help`);
    return await command.run(named ? args.slice(1) : args);
  } catch (error) {
    process.stderr.write(`keelson: ${await explain(error)}\n`);
    return error instanceof UsageError || error instanceof OptionError ? 2 : 1;
  }
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

/** Options are named as their flags are: `tlsCertFile` is `--tls-cert-file`. */
async function asFlags(message: string): Promise<string> {
  const flags = await serveFlags();
  return message.replace(/\b[a-z]+(?:\.[a-z]+|[A-Z][a-z]+)+\b/g, (option) => {
    const flag = flags.find((candidate) => candidate.option === option);
    return flag === undefined ? option : `--${flag.name}`;
  });
}

/** One line a person can act on. */
async function explain(error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code === 'EADDRINUSE')
    return `port ${port} on ${address} is in use; choose another with --secure-port (0 picks a free one)`;
  if (code === 'EADDRNOTAVAIL') return `--bind-address: ${address} is not an address of this machine`;
  if (code === 'EACCES' && port !== undefined) return `no permission to listen on port ${port}`;
  if (error instanceof OptionError) return asFlags(error.message);
  if (error instanceof FolderLockedError) return `${error.message}; stop it or choose another with --data-dir`;
  return error.message;
}
