// The command lines of all commands but `serve`: words, and a few flags from a table.

import { suggestion } from '../../base/text/nearest-name.ts';
import { ValueError } from '../../config/value-error.ts';
import type { ValueType } from '../../config/value-types.ts';
import { UsageError } from '../usage-error.ts';
import { hint } from './parse-flags.ts';

interface CommandFlag<T> {
  readonly name: string;
  /** One letter, as in `-f`. */
  readonly short?: string;
  readonly type: ValueType<T>;
  readonly help: string;
}

type Flags = Readonly<Record<string, CommandFlag<unknown>>>;

/** The description of a command, for its help and for shell completion. */
export interface Guide {
  /** After the name of the command. */
  readonly usage: string;
  /** The actions of the command, each with its help. */
  readonly actions?: Readonly<Record<string, string>>;
  readonly notes?: readonly string[];
  readonly flags: Flags;
  /** The command takes the flags of `serve` as well. */
  readonly takesServeFlags?: boolean;
}
type ValueOf<F> = F extends CommandFlag<infer T> ? T : never;

interface CommandLine<F extends Flags> {
  /** Arguments that are not flags, in order. */
  readonly words: readonly string[];
  /** Parsed values, by the key of the flag in its table. */
  readonly given: { readonly [K in keyof F]?: ValueOf<F[K]> };
}

/** Throws a UsageError for flags that are unknown or have a bad value. */
export function parseCommandLine<F extends Flags>(command: string, flags: F, args: readonly string[]): CommandLine<F> {
  const words: string[] = [];
  const given: Record<string, unknown> = {};
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    const [, name, inline] = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === undefined) {
      words.push(arg);
      continue;
    }
    const [key, flag] = find(command, flags, name);
    const value = inline ?? flag.type.bare ?? args[++i];
    if (value === undefined) throw new UsageError(`--${flag.name} needs a value`);
    given[key] = parsed(flag, value, given[key]);
  }
  return { words, given: given as CommandLine<F>['given'] };
}

/** Throws a UsageError for any other word, with the nearest choice. */
export function chooseWord<T extends string>(command: string, word: string, choices: readonly T[]): T {
  const choice = choices.find((one) => one === word);
  if (choice !== undefined) return choice;
  throw new UsageError(`${command} needs one of ${choices.join(', ')}${suggestion(word, choices)}`);
}

function find(command: string, flags: Flags, name: string): [string, CommandFlag<unknown>] {
  const entry = Object.entries(flags).find(([, flag]) => flag.name === name || flag.short === name);
  if (entry === undefined)
    throw new UsageError(`${command} has no flag --${name}${hint(name, Object.values(flags), `help ${command}`)}`);
  return entry;
}

function parsed(flag: CommandFlag<unknown>, value: string, before: unknown): unknown {
  try {
    return flag.type.parse(value, before);
  } catch (error) {
    if (error instanceof ValueError) throw new UsageError(`--${flag.name}: ${error.message}`);
    throw error;
  }
}

/** The help of a command. */
export function guideText(command: string, guide: Guide): string {
  const { usage, actions = {}, notes = [], flags, takesServeFlags = false } = guide;
  const width = Math.max(0, ...Object.keys(actions).map((action) => action.length));
  const blocks = [
    [`Usage: keelson ${command} ${usage}`.trimEnd()],
    Object.entries(actions).map(([action, help]) => `  ${action.padEnd(width)}  ${help}`),
    notes,
    takesServeFlags ? ['All flags of serve are taken: give those that the server has.'] : [],
    Object.keys(flags).length === 0 ? [] : [`Flags of ${command}:`, ...flagLines(flags)],
  ];
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => `${block.join('\n')}\n`)
    .join('\n');
}

function flagLines(flags: Flags): readonly string[] {
  return Object.values(flags).map(({ name, short, type, help }) => {
    const names = `${short === undefined ? '' : `-${short}, `}--${name}`;
    return `  ${(type.bare === undefined ? `${names} ${type.placeholder}` : names).padEnd(32)} ${help}`;
  });
}
