// What a flag is: one that sets an option of the server, made from the option's entry in its table, or one without effect.

import type { Option } from '../../config/option.ts';
import type { OptionGroup, ServerOptions } from '../../config/server-options.ts';
import type { DeclaredType, ValueType } from '../../config/value-types.ts';
import type { DialectNames } from '../../meta/dialect.ts';

/** Options as they are put together from flags. */
export type MutableOptions = { -readonly [K in keyof ServerOptions]: ServerOptions[K] } & {
  loggingFormat?: 'text' | 'json';
  /** Of commands that take the flags of `serve` and print a result. */
  output?: 'text' | 'json';
  /** Of `status`. */
  namespace?: string;
  watch?: boolean;
  /** Manifests that `serve` follows. */
  filename?: readonly string[];
  recursive?: boolean;
  prune?: boolean;
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
  /** Throws a ValueError for a bad value. */
  set(options: MutableOptions, value: string): void;
}

/** What a flag has from the type of its values. */
function shape({ placeholder, bare, show }: ValueType<unknown>): Pick<Flag, 'placeholder' | 'bare' | 'show'> {
  return { placeholder, ...(bare === undefined ? {} : { bare }), ...(show === undefined ? {} : { show }) };
}

/** The flags of the options of a group, and their older names. */
export function flagsOf({ name: group, options, memberOf }: OptionGroup): Flag[] {
  const parents = memberOf?.split('.') ?? [];
  return Object.entries(options).flatMap(([name, option]) => {
    const { flag, olderFlag } = option;
    if (flag === undefined || !hasSyntax(option.type)) return [];
    const made = flagOf(group, flag, option, option.type, [...parents, name]);
    if (olderFlag === undefined) return [made];
    return [
      made,
      { ...made, name: olderFlag, help: 'The same under its older name.', deprecated: `use --${made.name}` },
    ];
  });
}

const hasSyntax = (type: DeclaredType<unknown>): type is ValueType<unknown> => 'parse' in type;

function flagOf(
  group: string,
  name: string,
  { help, default: usual = '', flagDefault = usual, defaultIn, deprecated }: Option<unknown, unknown>,
  type: ValueType<unknown>,
  path: readonly string[],
): Flag {
  return {
    ...{ name, group, help, defaultText: flagDefault, option: path.join('.') },
    ...(defaultIn === undefined ? {} : { defaultIn }),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...shape(type),
    set(options, value) {
      // compat: without a value, flags that name a file or the like are as if they were not given
      if (value === '' && type.isOptional) setOption(options, path, undefined);
      else setOption(options, path, (before) => type.parse(value, before));
    },
  };
}

type Level = Record<string, unknown>;

/** Objects on the way are copied: those of defaults are shared. Without `change` the option is removed. */
function setOption(level: Level, path: readonly string[], change?: (before: unknown) => unknown): void {
  const [name = '', ...rest] = path;
  const before = level[name] ?? undefined;
  if (rest.length > 0) {
    const members = { ...(before as Level | undefined) };
    setOption(members, rest, change);
    level[name] = members;
  } else if (change === undefined) delete level[name];
  else level[name] = change(before);
}

interface IdleSpec {
  readonly name: string;
  readonly type: ValueType<unknown>;
  readonly default?: string;
  readonly reason: string;
  readonly deprecated?: string;
}

/** A flag whose subject does not exist here: its value is checked, and a log line reports that it has no effect. */
export function idle({ name, type, default: defaultText = '', reason, ...marks }: IdleSpec): Omit<Flag, 'group'> {
  return {
    name,
    option: name,
    help: `Accepted without effect: ${reason}.`,
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

export const inGroup = (group: string, flags: readonly Omit<Flag, 'group'>[]): Flag[] =>
  flags.map((entry) => ({ ...entry, group }));
