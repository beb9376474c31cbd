// What a flag is, and how a table of flags is written.

import type { ServerOptions } from '../config/options.ts';
import type { DialectNames } from '../meta/dialect.ts';
import type { ValueType } from './flag-values.ts';

/** Options as they are put together from flags. */
export type MutableOptions = { -readonly [K in keyof ServerOptions]: ServerOptions[K] } & {
  loggingFormat?: 'text' | 'json';
  /** Of commands that take the flags of `serve` and print a result. */
  output?: 'text' | 'json';
  /** Takes effect before flags are read: `bin/keelson.cjs` looks for it. */
  plainRuntime?: boolean;
  /** Flags that were given and have no effect here. */
  idleFlags?: readonly IdleFlag[];
  /** Deprecated flags that were given. */
  deprecatedFlags?: readonly Pick<Flag, 'name' | 'deprecated'>[];
};

interface IdleFlag {
  readonly name: string;
  /** Why it has no effect, as the end of a sentence. */
  readonly reason: string;
}

export interface Flag {
  readonly name: string;
  /** One letter, as in `-o`. */
  readonly short?: string;
  readonly group: string;
  readonly help: string;
  readonly placeholder: string;
  /** What holds when the flag is not given, as the help shows it; empty for nothing. */
  readonly defaultText: string;
  /** The default, if it is a name that depends on the dialect; `defaultText` is that of Kubernetes. */
  defaultIn?(dialect: DialectNames): string;
  /** What the flag sets, as errors about options name it. */
  readonly option: string;
  /** The value of a flag that stands alone. */
  readonly bare?: string;
  /** Why it has no effect here; undefined for flags that work. */
  readonly reason?: string;
  /** Why it should no longer be given, and what to do instead; undefined for flags that stay. */
  readonly deprecated?: string;
  /** Its values as `/flagz` shows them; the last of them when there is no such function. */
  show?(given: readonly string[]): string;
  /** Throws a UsageError for a bad value. */
  set(options: MutableOptions, value: string): void;
}

export type Ungrouped = Omit<Flag, 'group'>;

/** What a flag has from the type of its values. */
export function shape({ bare, show }: ValueType<unknown>): Pick<Flag, 'bare' | 'show'> {
  return { ...(bare === undefined ? {} : { bare }), ...(show === undefined ? {} : { show }) };
}

interface FlagSpec<K extends keyof MutableOptions> {
  readonly name: string;
  readonly short?: string;
  readonly option: K;
  readonly type: ValueType<NonNullable<MutableOptions[K]>>;
  readonly default?: string;
  readonly defaultIn?: (dialect: DialectNames) => string;
  readonly help: string;
  readonly deprecated?: string;
}

/** A flag that sets one option. */
export function flag<K extends keyof MutableOptions>({
  name,
  option,
  type,
  default: defaultText = '',
  help,
  ...marks
}: FlagSpec<K>) {
  return {
    name,
    option,
    help,
    placeholder: type.placeholder,
    defaultText,
    ...marks,
    ...shape(type),
    set(options, value) {
      // compat: without a value, flags that name a file or the like are as if they were not given
      if (value === '' && type.isOptional) delete options[option];
      else options[option] = type.parse(value, options[option] ?? undefined);
    },
  } satisfies Ungrouped;
}

interface IdleSpec {
  readonly name: string;
  readonly type: ValueType<unknown>;
  readonly default?: string;
  readonly reason: string;
  readonly deprecated?: string;
}

/** A flag whose subject does not exist here: its value is checked, and a log line reports that it has no effect. */
export function idle({ name, type, default: defaultText = '', reason, ...marks }: IdleSpec): Ungrouped {
  return {
    name,
    option: name,
    help: `Accepted without effect: ${reason}.`,
    placeholder: type.placeholder,
    defaultText,
    reason,
    ...marks,
    ...shape(type),
    set(options, value) {
      if (value === '' && type.isOptional) return;
      type.parse(value);
      const { idleFlags = [] } = options;
      if (!idleFlags.some((flag) => flag.name === name)) options.idleFlags = [...idleFlags, { name, reason }];
    },
  };
}

export const inGroup = (group: string, flags: readonly Ungrouped[]): Flag[] =>
  flags.map((entry) => ({ ...entry, group }));
