// `keelson snapshot`: saves the embedded store to a file, looks at such a file, makes a data folder of it.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { defaultDataDir } from '../../config/tables/storage.ts';
import { integer, oneOf, yesOrNo } from '../../config/value-types.ts';
import { openPrivateFolder } from '../../storage/embedded/private-folder.ts';
import { readSnapshot, type SnapshotSummary } from '../../storage/embedded/snapshot-file.ts';
import { chooseWord, type Guide, parseCommandLine } from '../flags/command-line.ts';
import { dataDirFlag } from '../own-server.ts';
import { withProgress } from '../progress.ts';
import { UsageError } from '../usage-error.ts';

interface SnapshotArguments {
  readonly action: string;
  readonly file: string;
  readonly dataDir: string;
  readonly output: 'text' | 'json';
  readonly bumpRevision: number;
  readonly force: boolean;
}

type Action = (args: SnapshotArguments) => Promise<SnapshotSummary>;

const storeOf = ({ dataDir }: SnapshotArguments) => join(resolve(dataDir), 'store');

const actions: Readonly<Record<string, Action>> = {
  async save(args) {
    const { saveSnapshot } = await import('../../storage/embedded/snapshot.ts');
    if (!args.force && existsSync(args.file)) await askToOverwrite(args.file);
    return withProgress('saving', (progress) => saveSnapshot(storeOf(args), args.file, progress));
  },
  async restore(args) {
    const { restoreSnapshot } = await import('../../storage/embedded/snapshot.ts');
    openPrivateFolder(resolve(args.dataDir), (message) => process.stderr.write(`keelson: ${message}\n`));
    const { bumpRevision } = args;
    return withProgress('restoring', (onProgress) =>
      restoreSnapshot(args.file, storeOf(args), { bumpRevision, onProgress }),
    );
  },
  status: ({ file }) => readSnapshot(file),
};

const flags = {
  dataDir: dataDirFlag,
  bumpRevision: {
    name: 'bump-revision',
    type: integer(0, 2 ** 40),
    help: 'Of restore: added to the revision, so that versions handed out after the save do not come again (default 0).',
  },
  force: { name: 'force', type: yesOrNo, help: 'Of save: overwrites a file that exists without asking.' },
  output: {
    name: 'output',
    short: 'o',
    type: oneOf('text', 'json'),
    help: 'How the summary is printed (default text).',
  },
} as const;

/** Flags that an action takes besides `--output`. */
const flagsOfActions: Readonly<Record<string, readonly (keyof typeof flags)[]>> = {
  save: ['dataDir', 'force'],
  restore: ['dataDir', 'bumpRevision'],
  status: [],
};

export const snapshotGuide: Guide = {
  usage: 'save|restore|status <file> [flags]',
  actions: {
    save: 'Saves the objects in the data folder; a server may be running on it.',
    restore: 'Makes the store of a data folder that has none.',
    status: 'Checks a file and prints a summary of its content.',
  },
  flags,
};

/** Asks only on a terminal, never a program. */
async function askToOverwrite(file: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(`${file} exists; use --force to overwrite it`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${file} exists. Overwrite it? [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError(`${file} is left as it is`);
}

export async function snapshot(args: readonly string[]): Promise<number> {
  const given = parse(args);
  const summary = await (actions[given.action] as Action)(given);
  process.stdout.write(given.output === 'json' ? `${JSON.stringify(summary)}\n` : textOf(summary));
  return 0;
}

function textOf({ revision, objects, size, format, hash }: SnapshotSummary): string {
  const rows = { revision, objects, size: `${size} bytes`, format, hash: `sha256:${hash}` };
  return Object.entries(rows)
    .map(([name, value]) => `${name.padEnd(10)}${value}\n`)
    .join('');
}

function parse(args: readonly string[]): SnapshotArguments {
  const { words, given } = parseCommandLine('snapshot', flags, args);
  const [word = '', ...files] = words;
  const action = chooseWord('snapshot', word, Object.keys(actions));
  const taken = [...(flagsOfActions[action] ?? []), 'output'];
  for (const [key, flag] of Object.entries(flags))
    if (key in given && !taken.includes(key)) throw new UsageError(`snapshot ${action} has no flag --${flag.name}`);
  if (files.length !== 1) throw new UsageError(`snapshot ${action} needs one file`);
  const defaults = { dataDir: defaultDataDir, output: 'text', bumpRevision: 0, force: false } as const;
  return { ...defaults, ...given, action, file: files[0] as string };
}
