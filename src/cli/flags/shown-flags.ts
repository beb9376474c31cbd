// Every flag with its value, as `/flagz` shows them.

import { withoutUserInfo } from '../../config/user-info.ts';
import { cluster, type Dialect, kubernetes } from '../../meta/dialect.ts';
import type { Flag } from './flag.ts';
import { forEachFlag } from './parse-flags.ts';

/** Given or not, each flag has a value. Passwords in addresses are not shown. */
export function shownFlags(flags: readonly Flag[], args: readonly string[]): Readonly<Record<string, string>> {
  const givenValues = new Map<string, string[]>();
  forEachFlag(flags, args, (flag, value) => {
    const values = givenValues.get(flag.name);
    if (values === undefined) givenValues.set(flag.name, [value]);
    else values.push(value);
  });
  const last = (name: string) => givenValues.get(name)?.at(-1);
  const [name, systemNamespace] = [last('dialect'), last('system-namespace')];
  const dialect = name === 'cluster' ? cluster(systemNamespace === undefined ? {} : { systemNamespace }) : kubernetes;
  return Object.fromEntries(flags.map((flag) => [flag.name, flagText(flag, dialect, givenValues.get(flag.name))]));
}

function flagText({ show, defaultText, defaultIn }: Flag, dialect: Dialect, values?: readonly string[]): string {
  const shownValues = values ?? [defaultIn?.(dialect) ?? defaultText];
  return withoutUserInfo(show === undefined ? (shownValues.at(-1) ?? '') : show(shownValues));
}
