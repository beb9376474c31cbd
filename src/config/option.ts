// An option of the server is one entry of a table. Its type, its check, its flag, its help and its line in the docs come from there.

import type { DialectNames } from '../meta/dialect.ts';
import type { DeclaredType, ValueType } from './value-types.ts';

interface Words<T> {
  /** For the help of the flag, which names other options by their flags, and for docs/guides/embedding.md. */
  readonly help: string;
  /** Further sentences for programs, which name other options as they are. */
  readonly note?: string;
  /** The error of a value, as it follows the name of the option; undefined if it is valid. */
  check?(value: NoInfer<T>): string | undefined;
}

/** An option that only programs can give. */
interface ProgramSpec<T> extends Words<T> {
  readonly type: DeclaredType<T>;
}

interface FlagFacts {
  readonly flag: string;
  /** The value where none is given, as the flag takes it. */
  readonly default?: string;
  /** What the help shows instead of `default`: the default of the command, or one that a later step has. */
  readonly flagDefault?: string;
  /** `flagDefault`, where it is a name that depends on the dialect. */
  defaultIn?(dialect: DialectNames): string;
  /** What to use instead. */
  readonly deprecated?: string;
  /** An older name of the flag, which is deprecated. */
  readonly olderFlag?: string;
}

interface FlagSpec<T> extends Words<T>, FlagFacts {
  readonly type: ValueType<T>;
}

/** `D` is the type of the default: undefined where there is none, or where it depends on other options. */
export interface Option<T, D = undefined> extends Words<never>, Partial<FlagFacts> {
  readonly type: DeclaredType<T> | ValueType<T>;
  readonly value: D;
}

export type OptionTable = Readonly<Record<string, Option<unknown, unknown>>>;

type ValueOf<O> = O extends Option<infer T, unknown> ? T : never;

/** Options as programs give them. */
export type OptionsOf<T extends OptionTable> = { readonly [K in keyof T]?: ValueOf<T[K]> };

/** Options with their defaults. */
export type CompleteOptions<T extends OptionTable> = { readonly [K in keyof T]: ValueOf<T[K]> | T[K]['value'] };

export function option<T>(spec: FlagSpec<T> & { readonly default: string }): Option<T, T>;
export function option<T>(spec: FlagSpec<T> | ProgramSpec<T>): Option<T>;
export function option<T>(spec: FlagSpec<T> | ProgramSpec<T>): Option<T, T | undefined> {
  const isGiven = 'default' in spec && spec.default !== undefined;
  return { ...spec, value: isGiven ? spec.type.parse(spec.default) : undefined };
}
