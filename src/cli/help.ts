// The help text, made from the tables that are also parsed.

import type { Flag } from './flag.ts';

export interface CommandSummary {
  readonly name: string;
  readonly help: string;
}

export function helpText(commands: readonly CommandSummary[], flags: readonly Flag[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = [
    'Keelson: a cluster API server, wire-compatible with Kubernetes.',
    '',
    'Usage: keelson [command] [flags]',
    '',
    'Commands:',
    ...commands.map(({ name, help }) => `  ${name.padEnd(width)}  ${help}`),
  ];
  for (const group of new Set(flags.map((flag) => flag.group))) {
    lines.push('', `${group} flags of serve:`, ...flags.filter((flag) => flag.group === group).map(flagLine));
  }
  return `${lines.join('\n')}\n`;
}

function flagLine({ name, placeholder, defaultText, help }: Flag): string {
  const byDefault = defaultText === '' ? '' : ` (default ${defaultText})`;
  return `  ${`--${name} ${placeholder}`.padEnd(46)} ${help}${byDefault}`;
}
