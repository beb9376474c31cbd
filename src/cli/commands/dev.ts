// `keelson dev`: a server that follows manifests while they are written.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { given as eachTime, integer, text, yesOrNo } from '../../config/value-types.ts';
import { DevSession } from '../dev/dev-session.ts';
import { type Guide, parseCommandLine } from '../flags/command-line.ts';
import { checkFollowedPaths } from '../manifests/manifest-follower.ts';
import { UsageError } from '../usage-error.ts';
import { parseOptionsAfterDashes } from './serve-options.ts';

const flags = {
  files: {
    name: 'filename',
    short: 'f',
    type: eachTime(text),
    help: 'A file or a folder of .yaml, .yml and .json files, applied at the start and on each save; once or several times.',
  },
  recursive: { name: 'recursive', short: 'R', type: yesOrNo, help: 'Also reads folders within folders.' },
  port: { name: 'port', type: integer(0, 65535), help: 'Port to listen on; 0 picks a free one (default 6443).' },
} as const;

export const devGuide: Guide = {
  usage: '[-f PATH]... [--port PORT] [-- FLAGS OF SERVE]',
  notes: [
    'Runs a server in memory, applies manifests, applies them again on each save, deletes what they no longer have,',
    'and prints the requests of clients. Keys: r reset, o console, k kubeconfig, q quit.',
  ],
  flags,
};

const keyHelp = 'keys: r reset, o console, k kubeconfig, q quit';

export async function dev(args: readonly string[]): Promise<number> {
  const split = args.includes('--') ? args.indexOf('--') : args.length;
  const { words, given } = parseCommandLine('dev', flags, args.slice(0, split));
  if (words.length > 0)
    throw new UsageError(`unexpected argument ${JSON.stringify(words[0])}; usage: keelson dev ${devGuide.usage}`);
  const { files: paths = [], recursive = false, port: securePort = 6443 } = given;
  checkFollowedPaths(paths);
  const { options } = parseOptionsAfterDashes(args.slice(split + 1));
  const hasColours = process.stdout.isTTY === true && !process.env['NO_COLOR'];
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const session = await DevSession.start({
    paths,
    recursive,
    server: { enableUi: true, ...options, securePort },
    hasColours,
    print,
  });
  const folder = mkdtempSync(join(tmpdir(), 'keelson-dev-'));
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, session.kubeconfig, { mode: 0o600 });
    print(
      `\nKeelson follows ${paths.join(', ') || 'no manifests'}.\n\n  address     ${session.url}\n  kubeconfig  ${kubeconfig}\n`,
    );
    if (process.stdin.isTTY) print(keyHelp);
    await untilEnd(async (key) => {
      if (key === 'r') await session.reset();
      else if (key === 'k') print(`export KUBECONFIG=${kubeconfig}`);
      else if (key === 'o') print(session.consoleLink() ?? 'the console is off: --enable-ui=false was given');
      else print(keyHelp);
    });
  } finally {
    await session.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}

const quitKeys: readonly string[] = ['q', '\u0003', '\u0004'];

/** Resolves at a signal, or the key to quit. */
async function untilEnd(onKey: (key: string) => Promise<void>): Promise<void> {
  const { stdin } = process;
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
    if (!stdin.isTTY) return;
    stdin.setRawMode(true).resume();
    stdin.on('data', (bytes: Buffer) => {
      const key = bytes.toString();
      if (quitKeys.includes(key)) resolve();
      else void onKey(key);
    });
  });
  if (stdin.isTTY) stdin.setRawMode(false).pause();
}
