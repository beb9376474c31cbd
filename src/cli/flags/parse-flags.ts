// `--name=value` and `--name value` into options.

import { nearestName } from '../../base/text/nearest-name.ts';
import { defaultPort } from '../../config/tables/serving.ts';
import { defaultDataDir } from '../../config/tables/storage.ts';
import { ValueError } from '../../config/value-error.ts';
import { UsageError } from '../usage-error.ts';
import type { Flag, MutableOptions } from './flag.ts';

export function parseFlags(flags: readonly Flag[], args: readonly string[]): MutableOptions {
  const options: MutableOptions = { dataDir: defaultDataDir, securePort: defaultPort };
  const deprecated = new Set<Flag>();
  forEachFlag(flags, args, (flag, value) => {
    setFlag(flag, options, value);
    if (flag.deprecated !== undefined) deprecated.add(flag);
  });
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

/** An argument that is no known flag throws a UsageError when it is reached. */
export function forEachFlag(
  flags: readonly Flag[],
  args: readonly string[],
  visit: (flag: Flag, value: string) => void,
): void {
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    const [, name = '', inline] = /^--?([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === '') throw new UsageError(`unexpected argument ${JSON.stringify(arg)}`);
    const flag = byName(flags, name);
    if (flag === undefined) throw new UsageError(`unknown flag --${name}${hint(name, flags)}`);
    const value = inline ?? flag.bare ?? args[++i];
    if (value === undefined) throw new UsageError(`--${name} needs a value`);
    visit(flag, value);
  }
}

function setFlag(flag: Flag, options: MutableOptions, value: string): void {
  try {
    flag.set(options, value);
  } catch (error) {
    if (error instanceof ValueError) throw new UsageError(`--${flag.name}: ${error.message}`);
    throw error;
  }
}

/** compat: words may also be separated by underscores. */
function byName(flags: readonly Flag[], name: string): Flag | undefined {
  const plain = name.replaceAll('_', '-');
  return (
    flags.find((candidate) => candidate.name === name || candidate.short === name) ??
    flags.find((candidate) => candidate.name === plain)
  );
}

/** What follows the name of an unknown flag. */
export function hint(name: string, flags: readonly { readonly name: string }[], help = '--help'): string {
  const nearest = nearestName(
    name,
    flags.map((flag) => flag.name),
  );
  return nearest === undefined ? `; see keelson ${help}` : `; did you mean --${nearest}?`;
}
