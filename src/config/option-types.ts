// Checks of options by their tables: unknown names and values of another type, which programs without types give, and bad values.

import { suggestion } from '../base/text/nearest-name.ts';
import type { CompleteOptions, Option, OptionsOf, OptionTable } from './option.ts';
import { OptionError } from './option-error.ts';
import { serverOptions } from './server-options.ts';

/** Throws an OptionError that names the option. `more` are names that the caller knows besides. */
export function checkOptions(options: object, more: readonly string[] = []): void {
  checkTypes(serverOptions, options, '', more);
}

/** The options of a table with their defaults. `memberOf` is the option whose members they are, with a dot. */
export function completed<T extends OptionTable>(table: T, options: OptionsOf<T>, memberOf = ''): CompleteOptions<T> {
  if (memberOf !== '') checkTypes(table, options, memberOf);
  const values = new Map<string, unknown>(Object.entries(options));
  const complete = Object.entries(table).map(([name, { check, value: usual }]) => {
    const value = values.get(name);
    if (value === undefined) return [name, usual];
    const error = check?.(value as never);
    if (error !== undefined) throw new OptionError(`${memberOf}${name}: ${error}`);
    return [name, value];
  });
  return Object.fromEntries(complete) as CompleteOptions<T>;
}

function checkTypes(table: OptionTable, options: object, memberOf: string, more: readonly string[] = []): void {
  const known = new Map<string, Option<unknown, unknown>>(Object.entries(table));
  for (const [name, value] of Object.entries(options)) {
    const type = known.get(name)?.type;
    if (more.includes(name)) continue;
    if (type === undefined) {
      const option = memberOf === '' ? '' : `${memberOf.slice(0, -1)}: `;
      throw new OptionError(`${option}unknown option ${name}${suggestion(name, [...known.keys(), ...more])}`);
    }
    if (value !== undefined && !type.check(value))
      throw new OptionError(`${memberOf}${name}: ${textOf(value)} is not ${type.is}`);
  }
}

const textOf = (value: unknown): string => {
  const text = typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};
