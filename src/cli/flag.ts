// What a flag is, and how a table of flags is written.

import type { ServerOptions } from '../config/options.ts';
import type { ValueType } from './flag-values.ts';

/** Options as they are put together from flags. */
export type MutableOptions = { -readonly [K in keyof ServerOptions]: ServerOptions[K] } & {
  loggingFormat?: 'text' | 'json';
  /** Takes effect before flags are read: `bin/keelson.cjs` looks for it. */
  plainRuntime?: boolean;
};

export interface Flag {
  readonly name: string;
  readonly group: string;
  readonly help: string;
  readonly placeholder: string;
  /** What holds when the flag is not given, as the help shows it; empty for nothing. */
  readonly defaultText: string;
  /** What the flag sets, as errors about options name it. */
  readonly option: string;
  /** The value of a flag that stands alone. */
  readonly bare?: string;
  /** Throws a UsageError for a bad value. */
  set(options: MutableOptions, value: string): void;
}

export type Ungrouped = Omit<Flag, 'group'>;

interface FlagSpec<K extends keyof MutableOptions> {
  readonly name: string;
  readonly option: K;
  readonly type: ValueType<NonNullable<MutableOptions[K]>>;
  readonly default?: string;
  readonly help: string;
}

/** A flag that sets one option. */
export function flag<K extends keyof MutableOptions>({
  name,
  option,
  type,
  default: defaultText = '',
  help,
}: FlagSpec<K>) {
  return {
    name,
    option,
    help,
    placeholder: type.placeholder,
    defaultText,
    ...(type.bare === undefined ? {} : { bare: type.bare }),
    set(options, value) {
      options[option] = type.parse(value, options[option] ?? undefined);
    },
  } satisfies Ungrouped;
}

export const inGroup = (group: string, flags: readonly Ungrouped[]): Flag[] =>
  flags.map((entry) => ({ ...entry, group }));
