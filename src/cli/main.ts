// The command line: picks a command and turns errors into one line and an exit code. The code of a command is
// loaded when it runs: printing the version takes no server.

import { fileProblem } from '../base/file-problem.ts';
import { packageVersion } from '../base/package-version.ts';
import { suggestion } from '../base/text/nearest-name.ts';
import { OptionError } from '../config/option-error.ts';
import { ValueError } from '../config/value-error.ts';
import { readRootCertificates } from '../runtime/root-certificates.ts';
import { FolderLockedError } from '../storage/embedded/folder-locked-error.ts';
import { UnusableFolderError } from '../storage/embedded/unusable-folder-error.ts';
import { type Guide, guideText } from './flags/command-line.ts';
import { type CommandSummary, helpText, serveHelp } from './help.ts';
import { UsageError } from './usage-error.ts';

interface Command extends CommandSummary {
  run(args: readonly string[]): Promise<number> | number;
  /** The help of a command; `serve` has more flags than fit on a screen, and another help. */
  guide?(): Promise<Guide>;
  /** Whether the command answers `--help` itself. */
  helps?(args: readonly string[]): boolean;
}

const commands: readonly Command[] = [
  {
    name: 'serve',
    help: 'Runs the server. This is the default.',
    run: async (args) => {
      readRootCertificates();
      return (await import('./commands/serve.ts')).serve(args);
    },
  },
  {
    name: 'snapshot',
    help: 'Saves, restores and checks snapshots of the embedded store.',
    run: async (args) => (await import('./commands/snapshot.ts')).snapshot(args),
    guide: async () => (await import('./commands/snapshot.ts')).snapshotGuide,
  },
  {
    name: 'certs',
    help: 'Shows and renews the certificates of a data folder, and replaces its CA.',
    run: async (args) => (await import('./commands/certs.ts')).certs(args),
    guide: async () => (await import('./commands/certs.ts')).certsGuide,
  },
  {
    name: 'status',
    help: 'Shows objects, watches, revision, leaders and certificates of a server or a store.',
    run: async (args) => (await import('./commands/status.ts')).status(args),
    guide: async () => (await import('./commands/status.ts')).statusGuide,
  },
  {
    name: 'top',
    help: 'Shows requests by verb and user, the slowest ones, watches, threads and flow control of a running server, live.',
    run: async (args) => (await import('./commands/top.ts')).top(args),
    guide: async () => (await import('./commands/top.ts')).topGuide,
  },
  {
    name: 'can',
    help: 'Shows whether a user may do something and why, who may, and all rules of a user.',
    run: async (args) => (await import('./commands/can.ts')).can(args),
    guide: async () => (await import('./commands/can.ts')).canGuide,
  },
  {
    name: 'console',
    help: 'Prints a new link to sign in to the web console of a running server.',
    run: async (args) => (await import('./commands/console.ts')).console(args),
    guide: async () => (await import('./commands/console.ts')).consoleGuide,
  },
  {
    name: 'kubeconfig',
    help: 'Prints the kubeconfig of a server, or adds it to yours.',
    run: async (args) => (await import('./commands/kubeconfig.ts')).kubeconfig(args),
    guide: async () => (await import('./commands/kubeconfig.ts')).kubeconfigGuide,
  },
  {
    name: 'token',
    help: 'Prints a token of a service account, or a new bootstrap token.',
    run: async (args) => (await import('./commands/token.ts')).token(args),
    guide: async () => (await import('./commands/token.ts')).tokenGuide,
  },
  {
    name: 'doctor',
    help: 'Looks for what keeps a server from running: folder, port, disk, clock, certificates, limits.',
    run: async (args) => (await import('./commands/doctor.ts')).doctor(args),
    guide: async () => (await import('./commands/doctor.ts')).doctorGuide,
  },
  {
    name: 'test-server',
    help: 'Runs a server for the tests of a program in any language, and prints where it is as one line of JSON.',
    run: async (args) => (await import('./commands/test-server.ts')).testServer(args),
    guide: async () => (await import('./commands/test-server.ts')).testServerGuide,
  },
  {
    name: 'envtest',
    help: 'Writes kube-apiserver, etcd and kubectl launchers, for controller-runtime tests with KUBEBUILDER_ASSETS.',
    run: async (args) => (await import('./commands/envtest.ts')).envtest(args),
    guide: async () => (await import('./commands/envtest.ts')).envtestGuide,
    // a launcher has its own flags
    helps: (args) => args[0] === 'run',
  },
  {
    name: 'dev',
    help: 'Runs a server that follows manifests: applies them on each save, and prints requests.',
    run: async (args) => (await import('./commands/dev.ts')).dev(args),
    guide: async () => (await import('./commands/dev.ts')).devGuide,
  },
  {
    name: 'validate',
    help: 'Checks manifests by the server itself, without a cluster: schema, policies, rights, quotas, versions.',
    run: async (args) => (await import('./commands/validate.ts')).validate(args),
    guide: async () => (await import('./commands/validate.ts')).validateGuide,
  },
  {
    name: 'diff',
    help: 'Shows what an apply would change, defaults included: of a running server, or from one folder to another.',
    run: async (args) => (await import('./commands/diff.ts')).diff(args),
    guide: async () => (await import('./commands/diff.ts')).diffGuide,
  },
  {
    name: 'policy',
    help: 'Runs tables of cases against admission policies.',
    run: async (args) => (await import('./commands/policy.ts')).policy(args),
    guide: async () => (await import('./commands/policy.ts')).policyGuide,
  },
  {
    name: 'types',
    help: 'Writes TypeScript types of custom resources from their definitions.',
    run: async (args) => (await import('./commands/types.ts')).types(args),
    guide: async () => (await import('./commands/types.ts')).typesGuide,
  },
  {
    name: 'convert',
    help: 'Converts manifests to another API version.',
    run: async (args) => (await import('./commands/convert.ts')).convert(args),
    guide: async () => (await import('./commands/convert.ts')).convertGuide,
  },
  {
    name: 'completion',
    help: 'Prints what a shell needs to complete commands and flags: bash, zsh or fish.',
    run: async (args) => print(await completion(args)),
    guide: async () => (await import('./commands/completion.ts')).completionGuide,
  },
  { name: 'version', help: 'Prints the version.', run: () => print(`keelson ${packageVersion()}\n`) },
  {
    name: 'help',
    help: 'Explains a command, or prints this text.',
    run: async ([name, ...more]) => print(await explained(name, more)),
  },
];

const serveFlags = async () => (await import('./flags/flags.ts')).serveFlags;

async function completion(args: readonly string[]): Promise<string> {
  const { completionScript, flagNames, guideWords } = await import('./commands/completion.ts');
  const guides = commands.map(async ({ name, guide }) => {
    if (name === 'serve') return { name, words: [], flags: flagNames(await serveFlags()) };
    if (name === 'help') return { name, words: commands.map((command) => command.name), flags: [] };
    const guideOfCommand = await guide?.();
    const { words, flags } = guideWords(guideOfCommand);
    const more = guideOfCommand?.takesServeFlags ? flagNames(await serveFlags()) : [];
    return { name, words, flags: [...new Set([...flags, ...more])] };
  });
  return completionScript(args, await Promise.all(guides));
}

/** The help of one command, or what there is. */
async function explained(name: string | undefined, more: readonly string[]): Promise<string> {
  if (name === undefined || name.startsWith('-')) return helpText(commands, await serveFlags());
  if (name === 'serve') return serveHelp(await serveFlags(), more);
  const command = find(name);
  const guide = await command.guide?.();
  return guide === undefined ? `${command.help}\n` : guideText(name, guide);
}

function find(name: string): Command {
  const command = commands.find((candidate) => candidate.name === name);
  if (command === undefined) {
    const hint =
      suggestion(
        name,
        commands.map((one) => one.name),
      ) || '; see keelson --help';
    throw new UsageError(`unknown command ${JSON.stringify(name)}${hint}`);
  }
  return command;
}

/** Anywhere on the command line, as kube-apiserver has it. */
const versionFlag = /^--version(=(true|raw))?$/;

export async function main(args: readonly string[]): Promise<number> {
  const named = args[0] !== undefined && !args[0].startsWith('-');
  try {
    const asksForHelp = args.includes('--help') || args.includes('-h');
    if (asksForHelp && !(named && find(args[0] as string).helps?.(args.slice(1))))
      return print(await explained(named ? args[0] : undefined, []));
    if (args.some((arg) => versionFlag.test(arg))) return print(`keelson ${packageVersion()}\n`);
    return await find(named ? (args[0] as string) : 'serve').run(named ? args.slice(1) : args);
  } catch (error) {
    process.stderr.write(`keelson: ${await explain(error)}\n`);
    return error instanceof ValueError || error instanceof OptionError ? 2 : 1;
  }
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

/** One line a person can act on. */
async function explain(error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  const { code, port, address, path } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code === 'EADDRINUSE')
    return `port ${port} on ${address} is in use; choose another with --secure-port (0 picks a free one)`;
  if (code === 'EADDRNOTAVAIL') return `--bind-address: ${address} is not an address of this machine`;
  if (code === 'EACCES' && port !== undefined) return `no permission to listen on port ${port}`;
  if (error instanceof OptionError) return (await import('./commands/serve-options.ts')).withFlagNames(error.message);
  if (error instanceof UnusableFolderError) return `${error.message}; choose another with --data-dir`;
  if (error instanceof FolderLockedError) return `${error.message}; stop it or choose another with --data-dir`;
  const problem = path === undefined ? undefined : fileProblem(error);
  return problem === undefined ? error.message : `${path}: ${problem}`;
}
