// The syntax of flag values, kube-apiserver's where it has one.

import { parseDuration } from '../meta/duration.ts';
import { UsageError } from './usage-error.ts';

export interface ValueType<T> {
  /** Shown in the help. */
  readonly placeholder: string;
  /** The value of a flag that stands alone; without one a value is needed. */
  readonly bare?: string;
  /** Throws a UsageError that says what is wrong with the text. `before` is what the same flag gave already. */
  parse(text: string, before?: T): T;
}

export const text: ValueType<string> = {
  placeholder: 'string',
  parse(value) {
    if (value === '') throw new UsageError('must not be empty');
    return value;
  },
};

/** A text that may also say nothing. */
export const anyText: ValueType<string> = { placeholder: 'string', parse: (value) => value };

/** A flag that may be given several times, with one or several values. */
export function repeated<T>(of: ValueType<T>): ValueType<readonly T[]> {
  return {
    placeholder: of.placeholder,
    parse: (value, before = []) => [...before, ...value.split(',').map((part) => of.parse(part))],
  };
}

/** A flag that may be given several times, with one value each: commas belong to the value. */
export function given<T>(of: ValueType<T>): ValueType<readonly T[]> {
  return { placeholder: of.placeholder, parse: (value, before = []) => [...before, of.parse(value)] };
}

export const yesOrNo: ValueType<boolean> = {
  placeholder: 'bool',
  bare: 'true',
  parse(value) {
    if (value !== 'true' && value !== 'false')
      throw new UsageError(`${JSON.stringify(value)} is neither true nor false`);
    return value === 'true';
  },
};

export function integer(min: number, max: number): ValueType<number> {
  return {
    placeholder: 'int',
    parse(value) {
      const number = Number(value);
      if (!/^-?\d+$/.test(value) || number < min || number > max) {
        throw new UsageError(`${JSON.stringify(value)} is not a whole number from ${min} to ${max}`);
      }
      return number;
    },
  };
}

/** A number with or without a fraction. */
export const number: ValueType<number> = {
  placeholder: 'float',
  parse(value) {
    if (!/^\d+(\.\d+)?$/.test(value)) throw new UsageError(`${JSON.stringify(value)} is not a number`);
    return Number(value);
  },
};

export function oneOf<const T extends string>(...choices: readonly T[]): ValueType<T> {
  return {
    placeholder: choices.join('|'),
    parse(value) {
      const found = choices.find((choice) => choice === value);
      if (found === undefined) throw new UsageError(`${JSON.stringify(value)} is not one of ${choices.join(', ')}`);
      return found;
    },
  };
}

/** `90s`, `1h30m`: the result is in seconds. */
export const duration: ValueType<number> = {
  placeholder: 'duration',
  parse(value) {
    const seconds = parseDuration(value);
    if (seconds === undefined || seconds < 0)
      throw new UsageError(`${JSON.stringify(value)} is not a duration such as 90s or 1h30m`);
    return seconds;
  },
};

/** Values separated by commas. */
export function listOf<T>(of: ValueType<T>): ValueType<T[]> {
  return { placeholder: `${of.placeholder},...`, parse: (value) => value.split(',').map((part) => of.parse(part)) };
}

/** A list that may also be empty: `--flag=`. */
export function listOrNone<T>(of: ValueType<T>): ValueType<T[]> {
  const list = listOf(of);
  return { ...list, parse: (value) => (value === '' ? [] : list.parse(value)) };
}

/** `name=true,other=false`; a name alone is turned on. */
export const switches: ValueType<Record<string, boolean>> = {
  placeholder: 'name=bool,...',
  parse(value) {
    const parsed = value.split(',').map((part): [string, boolean] => {
      const [name = '', state = 'true', ...rest] = part.split('=');
      if (name === '' || rest.length > 0 || !['true', 'false'].includes(state))
        throw new UsageError(`${JSON.stringify(part)} is not a switch such as api/beta=true`);
      return [name, state === 'true'];
    });
    return Object.fromEntries(parsed);
  },
};

/** `name=value`; given several times, or with several separated by commas. */
export const pairs: ValueType<Readonly<Record<string, string>>> = {
  placeholder: 'name=value,...',
  parse(value, before = {}) {
    const parsed = value.split(',').map((part): [string, string] => {
      const at = part.indexOf('=');
      if (at <= 0) throw new UsageError(`${JSON.stringify(part)} is not a pair such as name=value`);
      return [part.slice(0, at), part.slice(at + 1)];
    });
    return { ...before, ...Object.fromEntries(parsed) };
  },
};
