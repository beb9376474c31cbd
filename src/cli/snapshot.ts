// `keelson snapshot`: saves the embedded store to a file, looks at such a file, makes a data folder of it.

import { join, resolve } from 'node:path';
import { openPrivateFolder } from '../storage/embedded/private-folder.ts';
import { readSnapshot, type SnapshotSummary } from '../storage/embedded/snapshot-file.ts';
import { integer, oneOf, text, type ValueType } from './flag-values.ts';
import { defaultDataDir } from './flags.ts';
import { UsageError } from './usage-error.ts';

interface SnapshotArguments {
  readonly action: string;
  readonly file: string;
  readonly dataDir: string;
  readonly output: 'text' | 'json';
  readonly bumpRevision: number;
}

type Action = (args: SnapshotArguments) => Promise<SnapshotSummary>;

const storeOf = ({ dataDir }: SnapshotArguments) => join(resolve(dataDir), 'store');

const actions: Readonly<Record<string, Action>> = {
  async save(args) {
    const { saveSnapshot } = await import('../storage/embedded/snapshot.ts');
    return saveSnapshot(storeOf(args), args.file);
  },
  async restore(args) {
    const { restoreSnapshot } = await import('../storage/embedded/snapshot.ts');
    openPrivateFolder(resolve(args.dataDir), (message) => process.stderr.write(`keelson: ${message}\n`));
    return restoreSnapshot(args.file, storeOf(args), { bumpRevision: args.bumpRevision });
  },
  status: ({ file }) => readSnapshot(file),
};

interface SnapshotFlag {
  readonly name: string;
  readonly option: keyof SnapshotArguments;
  readonly type: ValueType<string | number>;
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
    name: 'output',
    option: 'output',
    type: oneOf('text', 'json'),
    actions: ['save', 'restore', 'status'],
    help: 'How the summary is printed (default text).',
  },
];

export const snapshotHelp: readonly string[] = [
  'Usage: keelson snapshot save|restore|status <file> [flags]',
  '',
  '  save     Saves the objects in the data folder; a server may be running on it.',
  '  restore  Makes the store of a data folder that has none.',
  '  status   Checks a file and says what is in it.',
  '',
  'Flags of snapshot:',
  ...flags.map(({ name, type, help }) => `  ${`--${name} ${type.placeholder}`.padEnd(32)} ${help}`),
];

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
  if (!Object.hasOwn(actions, action)) throw new UsageError('snapshot needs one of save, restore, status');
  const found: Record<string, string | number> = {};
  const files: string[] = [];
  for (let i = 0; i < rest.length; i++) {
    const arg = rest[i] as string;
    const [, name, inline] = /^--?([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === undefined) files.push(arg);
    else {
      const flag = flagFor(action, name);
      const value = inline ?? rest[++i];
      if (value === undefined) throw new UsageError(`--${name} needs a value`);
      found[flag.option] = parsed(flag, value);
    }
  }
  if (files.length !== 1) throw new UsageError(`snapshot ${action} needs one file`);
  const defaults = { dataDir: defaultDataDir, output: 'text', bumpRevision: 0 };
  return { ...defaults, ...found, action, file: files[0] } as SnapshotArguments;
}

function flagFor(action: string, name: string): SnapshotFlag {
  const flag = flags.find((candidate) => candidate.name === name);
  if (flag === undefined) throw new UsageError(`unknown flag --${name}; see keelson --help`);
  if (!flag.actions.includes(action)) throw new UsageError(`snapshot ${action} has no flag --${name}`);
  return flag;
}

function parsed(flag: SnapshotFlag, value: string): string | number {
  try {
    return flag.type.parse(value);
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`--${flag.name}: ${error.message}`);
    throw error;
  }
}
