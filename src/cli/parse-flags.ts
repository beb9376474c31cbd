// `--name=value` and `--name value` into options.

import type { Flag, MutableOptions } from './flag.ts';
import { defaultPort } from './serving-flags.ts';
import { defaultDataDir } from './storage-flags.ts';
import { UsageError } from './usage-error.ts';

export function parseFlags(flags: readonly Flag[], args: readonly string[]): MutableOptions {
  const options: MutableOptions = { dataDir: defaultDataDir, securePort: defaultPort };
  const deprecated = new Set<Flag>();
  for (const { flag, value } of givenFlags(flags, args)) {
    setFlag(flag, options, value);
    if (flag.deprecated !== undefined) deprecated.add(flag);
  }
  if (deprecated.size > 0) options.deprecatedFlags = [...deprecated];
  options.store ??= options.etcdServers === undefined ? 'embedded' : 'etcd';
  return options;
}

/** What to tell of flags that were given, which are no options of a server: taken out of them. */
export function takeWarnings(options: MutableOptions): readonly string[] {
  const { idleFlags = [], deprecatedFlags = [] } = options;
  delete options.idleFlags;
  delete options.deprecatedFlags;
  return [
    ...idleFlags.map(({ name, reason }) => `--${name} has no effect here: ${reason}`),
    ...deprecatedFlags.map(({ name, deprecated }) => `--${name} is deprecated: ${deprecated}`),
  ];
}

interface GivenFlag {
  readonly flag: Flag;
  readonly value: string;
}

/** One after the other; an argument that is no known flag throws a UsageError when it is reached. */
export function* givenFlags(flags: readonly Flag[], args: readonly string[]): Generator<GivenFlag> {
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    const [, name = '', inline] = /^--?([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === '') throw new UsageError(`unexpected argument ${JSON.stringify(arg)}`);
    const flag = byName(flags, name);
    if (flag === undefined) throw new UsageError(`unknown flag --${name}${suggestion(flags, name)}`);
    const value = inline ?? flag.bare ?? args[++i];
    if (value === undefined) throw new UsageError(`--${name} needs a value`);
    yield { flag, value };
  }
}

function setFlag(flag: Flag, options: MutableOptions, value: string): void {
  try {
    flag.set(options, value);
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`--${flag.name}: ${error.message}`);
    throw error;
  }
}

/** compat: words may also be separated by underscores. */
function byName(flags: readonly Flag[], name: string): Flag | undefined {
  const plain = name.replaceAll('_', '-');
  return flags.find((candidate) => candidate.name === name) ?? flags.find((candidate) => candidate.name === plain);
}

/** The nearest name: few letters differ, or the given one is its beginning or its end. */
function suggestion(flags: readonly Flag[], name: string): string {
  const near = flags
    .map((flag) => ({ flag, far: distance(flag.name, name) }))
    .filter(({ flag, far }) => far <= name.length / 4 || isPart(flag.name, name))
    .sort((a, b) => a.far - b.far)[0];
  return near === undefined ? '; see keelson --help' : `; did you mean --${near.flag.name}?`;
}

const isPart = (whole: string, part: string) => whole.startsWith(`${part}-`) || whole.endsWith(`-${part}`);

/** How many letters have to be added, left out or changed. */
function distance(a: string, b: string): number {
  let row = [...b, ''].map((_, at) => at);
  for (const [at, char] of [...a].entries()) {
    const next = [at + 1];
    for (let j = 0; j < b.length; j++) {
      const changed = (row[j] as number) + (char === b[j] ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
