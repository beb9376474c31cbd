// Types of options: the check of a value that a program gives, and the syntax of the flag, which is kube-apiserver's where it has one.

import { suggestion } from '../base/text/nearest-name.ts';
import { formatDuration, parseDuration } from '../meta/duration.ts';
import { ValueError } from './value-error.ts';

/** A type as TypeScript writes it, and its check for programs without types. */
export interface DeclaredType<T> {
  readonly ts: string;
  /** After "is not". */
  readonly is: string;
  check(value: unknown): boolean;
  /** The module of src/config that declares the type, where `ts` is a name. */
  readonly from?: string;
  /** Never there: `T` is the type of the values. */
  readonly values?: T;
}

export interface ValueType<T> extends DeclaredType<T> {
  /** Shown in the help. */
  readonly placeholder: string;
  /** The value of a flag that stands alone; without one a value is needed. */
  readonly bare?: string;
  /** Without a value, the flag is as if it was not given. */
  readonly isOptional?: true;
  /** The given values, in order, as `/flagz` shows them; without this function the last one. */
  show?(given: readonly string[]): string;
  /** Throws a ValueError for a bad text. `before` is the value of earlier uses of the flag. */
  parse(text: string, before?: T): T;
}

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';
const isBoolean = (value: unknown) => typeof value === 'boolean';
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isObjectOf = (check: (value: unknown) => boolean) => (value: unknown) =>
  isObject(value) && Object.values(value as object).every(check);

const aText = { ts: 'string', is: 'a text', check: isText };
const aNumber = { ts: 'number', is: 'a number', check: isNumber };
const booleansByName = {
  ts: 'Readonly<Record<string, boolean>>',
  is: 'an object of true and false by name',
  check: isObjectOf(isBoolean),
};
const textsByName = {
  ts: 'Readonly<Record<string, string>>',
  is: 'an object of texts by name',
  check: isObjectOf(isText),
};

function aListOf<T>({ ts, check }: DeclaredType<T>): DeclaredType<readonly T[]> {
  return {
    ts: `readonly ${ts.includes('|') ? `(${ts})` : ts}[]`,
    is: check === isNumber ? 'a list of numbers' : 'a list of texts',
    check: (value) => Array.isArray(value) && value.every(check),
  };
}

/** Types that no flag has. `from` is the module that declares `ts`. */
export const object = <T>(ts: string, from?: string): DeclaredType<T> => ({
  ...{ ts, is: 'an object', check: isObject },
  ...(from === undefined ? {} : { from }),
});
export const callback = <T>(ts: string, from: string): DeclaredType<T> => ({
  ...{ ts, from, is: 'a function', check: (value) => typeof value === 'function' },
});

/** Also takes an object of a program, which no flag can name. */
export function orObject<T extends string, O>(of: ValueType<T>, { ts, from = '' }: DeclaredType<O>): ValueType<T | O> {
  const check = (value: unknown) => isText(value) || isObject(value);
  const { placeholder, parse } = of;
  return {
    ts: `${of.ts} | ${ts}`,
    from,
    is: 'a text or an object',
    check,
    placeholder,
    parse: (value) => parse(value),
  };
}

export const text: ValueType<string> = {
  ...aText,
  placeholder: 'string',
  parse(value) {
    if (value === '') throw new ValueError('must not be empty');
    return value;
  },
};

/** `[one,two]`: what several values are shown as, however they were given. */
const inBrackets = (given: readonly string[]) => `[${given.filter((value) => value !== '').join(',')}]`;
const byCommas = (given: readonly string[]) => given.filter((value) => value !== '').join(',');

/** A text, or nothing: `--flag=` is as if it was not given. */
export const textOrNone: ValueType<string> = { ...text, isOptional: true };

/** A text that may also say nothing. */
export const anyText: ValueType<string> = { ...aText, placeholder: 'string', parse: (value) => value };

/** A flag that may be given several times, with one or several values. */
export function repeated<T>(of: ValueType<T>): ValueType<readonly T[]> {
  return {
    ...aListOf(of),
    placeholder: of.placeholder,
    show: inBrackets,
    parse: (value, before = []) => [...before, ...value.split(',').map((part) => of.parse(part))],
  };
}

/** A flag that may be given several times, with one value each: commas belong to the value. */
export function given<T>(of: ValueType<T>): ValueType<readonly T[]> {
  return {
    ...aListOf(of),
    placeholder: of.placeholder,
    show: inBrackets,
    parse: (value, before = []) => [...before, of.parse(value)],
  };
}

/** The spellings that kube-apiserver takes as well. */
const yes: ReadonlySet<string> = new Set(['true', 'True', 'TRUE', 't', 'T', '1']);
const no: ReadonlySet<string> = new Set(['false', 'False', 'FALSE', 'f', 'F', '0']);

export const yesOrNo: ValueType<boolean> = {
  ...{ ts: 'boolean', is: 'true or false', check: isBoolean },
  placeholder: 'bool',
  bare: 'true',
  show: (given) => String(yes.has(given.at(-1) ?? '')),
  parse(value) {
    if (!yes.has(value) && !no.has(value)) throw new ValueError(`${JSON.stringify(value)} is neither true nor false`);
    return yes.has(value);
  },
};

export function integer(min: number, max: number): ValueType<number> {
  return {
    ...aNumber,
    placeholder: 'int',
    show: (given) => String(Number(given.at(-1) || 0)),
    parse(value) {
      const number = Number(value);
      if (!/^-?\d+$/.test(value) || number < min || number > max) {
        throw new ValueError(`${JSON.stringify(value)} is not a whole number from ${min} to ${max}`);
      }
      return number;
    },
  };
}

/** A number with or without a fraction. */
export const number: ValueType<number> = {
  ...aNumber,
  placeholder: 'float',
  show: (given) => String(Number(given.at(-1) || 0)),
  parse(value) {
    if (!/^\d+(\.\d+)?$/.test(value)) throw new ValueError(`${JSON.stringify(value)} is not a number`);
    return Number(value);
  },
};

export function oneOf<const T extends string>(...choices: readonly T[]): ValueType<T> {
  return {
    ...aText,
    ts: choices.map((choice) => `'${choice}'`).join(' | '),
    placeholder: choices.join('|'),
    parse(value) {
      const match = choices.find((choice) => choice === value);
      if (match === undefined) {
        const hint = suggestion(value, choices);
        throw new ValueError(`${JSON.stringify(value)} is not one of ${choices.join(', ')}${hint}`);
      }
      return match;
    },
  };
}

/** `90s`, `1h30m`: the result is in seconds. */
export const duration: ValueType<number> = {
  ...aNumber,
  placeholder: 'duration',
  show: (given) => formatDuration(parseDuration(given.at(-1) ?? '') ?? 0),
  parse(value) {
    const seconds = parseDuration(value);
    if (seconds === undefined || seconds < 0)
      throw new ValueError(`${JSON.stringify(value)} is not a duration such as 90s or 1h30m`);
    return seconds;
  },
};

/** Values separated by commas; a flag that is given again adds to them. */
export function listOf<T>(of: ValueType<T>): ValueType<readonly T[]> {
  return {
    ...aListOf(of),
    placeholder: `${of.placeholder},...`,
    show: inBrackets,
    parse: (value, before = []) => [...before, ...value.split(',').map((part) => of.parse(part))],
  };
}

/** Texts separated by commas, or nothing: `--flag=` is as if it was not given. */
export const texts: ValueType<readonly string[]> = { ...listOf(text), isOptional: true };

/** A list that may also be empty: `--flag=`. */
export function listOrNone<T>(of: ValueType<T>): ValueType<readonly T[]> {
  const list = listOf(of);
  return { ...list, parse: (value, before = []) => (value === '' ? before : list.parse(value, before)) };
}

/** `name=true,other=false`; a name alone is turned on. A flag that is given again adds to them. */
export const switches: ValueType<Readonly<Record<string, boolean>>> = {
  ...booleansByName,
  placeholder: 'name=bool,...',
  isOptional: true,
  show: byCommas,
  parse(value, before = {}) {
    const parsed = value.split(',').map((part): [string, boolean] => {
      const [name = '', state = 'true', ...rest] = part.split('=');
      if (name === '' || rest.length > 0 || !(yes.has(state) || no.has(state)))
        throw new ValueError(`${JSON.stringify(part)} is not a switch such as api/beta=true`);
      return [name, yes.has(state)];
    });
    return { ...before, ...Object.fromEntries(parsed) };
  },
};

/** The component whose gates these are, which may stand before each of them. */
const gatePrefix = 'kube:';

/** `Name=true,Other=false`, each with or without `kube:` before it. */
export const gates: ValueType<Readonly<Record<string, boolean>>> = {
  ...booleansByName,
  placeholder: 'name=bool,...',
  isOptional: true,
  show: (given) =>
    byCommas(
      given.flatMap((value) => value.split(',')).map((part) => (part.includes(':') || part === '' ? part : `:${part}`)),
    ),
  parse(value, before = {}) {
    const parsed = value
      .split(',')
      .filter((part) => part !== '')
      .map(gate);
    return { ...before, ...Object.fromEntries(parsed) };
  },
};

function gate(part: string): [string, boolean] {
  const [name = '', state] = part.replace(gatePrefix, '').split(/=(.*)/s);
  const trimmed = name.trim();
  if (trimmed.includes(':')) throw new ValueError(`component not registered: ${trimmed.replace(/:.*/s, '')}`);
  if (state === undefined) throw new ValueError(`missing bool value for ${trimmed}`);
  const isOn = state.trim();
  if (!yes.has(isOn) && !no.has(isOn))
    throw new ValueError(`invalid value of ${trimmed}=${isOn}: neither true nor false`);
  return [trimmed, yes.has(isOn)];
}

/** `name=value`; given several times, or with several separated by commas. */
export const pairs: ValueType<Readonly<Record<string, string>>> = {
  ...textsByName,
  placeholder: 'name=value,...',
  show: byCommas,
  parse(value, before = {}) {
    const parsed = value.split(',').map((part): [string, string] => {
      const at = part.indexOf('=');
      if (at <= 0) throw new ValueError(`${JSON.stringify(part)} is not a pair such as name=value`);
      return [part.slice(0, at), part.slice(at + 1)];
    });
    return { ...before, ...Object.fromEntries(parsed) };
  },
};

/** `metric,label='one,two'`: commas belong to both sides, so that a flag has one of them; it may be given several times. */
export const labelValues: ValueType<Readonly<Record<string, string>>> = {
  ...textsByName,
  placeholder: "metric,label='value,...'",
  show: inBrackets,
  isOptional: true,
  parse(value, before = {}) {
    const [, key, values] =
      /^([^=,]+,[^=,]+)=(?:'(.*)'|"(.*)"|(.*))$/s.exec(value)?.filter((part) => part !== undefined) ?? [];
    if (key === undefined || values === undefined)
      throw new ValueError(`${JSON.stringify(value)} is not a metric and a label such as metric,label=one,two`);
    return { ...before, [key]: values };
  },
};

const quantityText = /^[+]?\d+(\.\d*)?([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/;

/** An amount of bytes. */
export const quantity: ValueType<string> = {
  ...aText,
  placeholder: 'quantity',
  parse(value) {
    if (!quantityText.test(value)) throw new ValueError(`${JSON.stringify(value)} is not a quantity such as 64Ki`);
    return value;
  },
};
