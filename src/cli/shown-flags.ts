// Every flag with its value, as `/flagz` shows them.

import { withoutUserInfo } from '../config/user-info.ts';
import { cluster, type Dialect, kubernetes } from '../meta/dialect.ts';
import type { Flag } from './flag.ts';
import { givenFlags } from './parse-flags.ts';

/** Given or not, each flag has a value. Passwords in addresses are not shown. */
export function shownFlags(flags: readonly Flag[], args: readonly string[]): Readonly<Record<string, string>> {
  const given = new Map<string, string[]>();
  for (const { flag, value } of givenFlags(flags, args)) {
    const values = given.get(flag.name);
    if (values === undefined) given.set(flag.name, [value]);
    else values.push(value);
  }
  const last = (name: string) => given.get(name)?.at(-1);
  const [name, systemNamespace] = [last('dialect'), last('system-namespace')];
  const dialect = name === 'cluster' ? cluster(systemNamespace === undefined ? {} : { systemNamespace }) : kubernetes;
  return Object.fromEntries(flags.map((flag) => [flag.name, shown(flag, dialect, given.get(flag.name))]));
}

function shown({ show, defaultText, defaultIn }: Flag, dialect: Dialect, values?: readonly string[]): string {
  const given = values ?? [defaultIn?.(dialect) ?? defaultText];
  return withoutUserInfo(show === undefined ? (given.at(-1) ?? '') : show(given));
}
