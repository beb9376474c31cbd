// `--name=value` and `--name value` into options.

import type { Flag, MutableOptions } from './flag.ts';
import { defaultDataDir, defaultPort } from './flags.ts';
import { UsageError } from './usage-error.ts';

export function parseFlags(flags: readonly Flag[], args: readonly string[]): MutableOptions {
  const options: MutableOptions = { dataDir: defaultDataDir, securePort: defaultPort };
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    const [, name = '', inline] = /^--?([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === '') throw new UsageError(`unexpected argument ${JSON.stringify(arg)}`);
    const flag = flags.find((candidate) => candidate.name === name);
    if (flag === undefined) throw new UsageError(`unknown flag --${name}${suggestion(flags, name)}`);
    const value = inline ?? flag.bare ?? args[++i];
    if (value === undefined) throw new UsageError(`--${name} needs a value`);
    setFlag(flag, options, value);
  }
  options.store ??= options.etcdServers === undefined ? 'embedded' : 'etcd';
  return options;
}

function setFlag(flag: Flag, options: MutableOptions, value: string): void {
  try {
    flag.set(options, value);
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`--${flag.name}: ${error.message}`);
    throw error;
  }
}

function suggestion(flags: readonly Flag[], name: string): string {
  const shared = (flag: Flag) => [...flag.name].findIndex((char, i) => char !== name[i]);
  const near =
    flags.find((flag) => flag.name.startsWith(name) || flag.name.includes(name)) ??
    flags.find((flag) => shared(flag) >= 4);
  return near === undefined ? '; see keelson --help' : `; did you mean --${near.name}?`;
}
