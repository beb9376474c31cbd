// `keelson snapshot`: saves the embedded store to a file, looks at such a file, makes a data folder of it.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { suggestion } from '../../base/text/nearest-name.ts';
import { defaultDataDir } from '../../config/tables/storage.ts';
import { ValueError } from '../../config/value-error.ts';
import { integer, oneOf, text, type ValueType, yesOrNo } from '../../config/value-types.ts';
import { openPrivateFolder } from '../../storage/embedded/private-folder.ts';
import { readSnapshot, type SnapshotSummary } from '../../storage/embedded/snapshot-file.ts';
import type { Guide } from '../flags/command-line.ts';
import { hint } from '../flags/parse-flags.ts';
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

interface SnapshotFlag {
  readonly name: string;
  readonly option: keyof SnapshotArguments;
  readonly type: ValueType<string | number | boolean>;
  readonly actions: readonly string[];
  readonly help: string;
}

const flags: readonly SnapshotFlag[] = [
  {
    name: 'data-dir',
    option: 'dataDir',
    type: text,
    actions: ['save', 'restore'],
    help: `Data folder of the server (default ${defaultDataDir}).`,
  },
  {
    name: 'bump-revision',
    option: 'bumpRevision',
    type: integer(0, 2 ** 40),
    actions: ['restore'],
    help: 'Added to the revision, so that versions handed out after the save do not come again (default 0).',
  },
  {
    name: 'force',
    option: 'force',
    type: yesOrNo,
    actions: ['save'],
    help: 'Overwrites a file that exists without asking.',
  },
  {
    name: 'output',
    option: 'output',
    type: oneOf('text', 'json'),
    actions: ['save', 'restore', 'status'],
    help: 'How the summary is printed (default text).',
  },
];

export const snapshotGuide: Guide = {
  usage: 'save|restore|status <file> [flags]',
  actions: {
    save: 'Saves the objects in the data folder; a server may be running on it.',
    restore: 'Makes the store of a data folder that has none.',
    status: 'Checks a file and prints a summary of its content.',
  },
  flags: Object.fromEntries(flags.map((flag) => [flag.name, flag])),
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
  const [action = '', ...rest] = args;
  if (!Object.hasOwn(actions, action))
    throw new UsageError(`snapshot needs one of save, restore, status${suggestion(action, Object.keys(actions))}`);
  const settings: Record<string, string | number | boolean> = {};
  const files: string[] = [];
  for (let i = 0; i < rest.length; i++) {
    const arg = rest[i] as string;
    const [, name, inline] = /^--?([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === undefined) files.push(arg);
    else {
      const flag = flagFor(action, name);
      const value = inline ?? flag.type.bare ?? rest[++i];
      if (value === undefined) throw new UsageError(`--${name} needs a value`);
      settings[flag.option] = parsed(flag, value);
    }
  }
  if (files.length !== 1) throw new UsageError(`snapshot ${action} needs one file`);
  const defaults = { dataDir: defaultDataDir, output: 'text', bumpRevision: 0, force: false };
  return { ...defaults, ...settings, action, file: files[0] } as SnapshotArguments;
}

function flagFor(action: string, name: string): SnapshotFlag {
  const flag = flags.find((candidate) => candidate.name === name);
  const own = flags.filter((candidate) => candidate.actions.includes(action));
  if (flag === undefined) throw new UsageError(`unknown flag --${name}${hint(name, own, 'help snapshot')}`);
  if (!own.includes(flag)) throw new UsageError(`snapshot ${action} has no flag --${name}`);
  return flag;
}

function parsed(flag: SnapshotFlag, value: string): string | number | boolean {
  try {
    return flag.type.parse(value);
  } catch (error) {
    if (error instanceof ValueError) throw new UsageError(`--${flag.name}: ${error.message}`);
    throw error;
  }
}
