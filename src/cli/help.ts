// The help texts, made from the tables that are also parsed.

import { suggestion } from '../base/text/nearest-name.ts';
import type { Flag } from './flags/flag.ts';
import { UsageError } from './usage-error.ts';

export interface CommandSummary {
  readonly name: string;
  readonly help: string;
}

/** Flags that a newcomer needs. */
const firstFlags = ['data-dir', 'bind-address', 'secure-port', 'store', 'v'];

export function helpText(commands: readonly CommandSummary[], flags: readonly Flag[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const first = flags.filter(({ name }) => firstFlags.includes(name));
  const lines = [
    'Keelson: a cluster API server, wire-compatible with Kubernetes.',
    '',
    'Usage: keelson [command] [flags]',
    '',
    'Commands:',
    ...commands.map(({ name, help }) => `  ${name.padEnd(width)}  ${help}`),
    '',
    'Flags most often used with serve:',
    ...first.map((flag) => flagLine(flag, 30)),
    '',
    'keelson help serve lists all flags by group, keelson help <command> explains one command.',
  ];
  return `${lines.join('\n')}\n`;
}

/** All flags of serve, or those of the groups that are named. */
export function serveHelp(flags: readonly Flag[], requestedGroups: readonly string[]): string {
  const groups = [...new Set(flags.map((flag) => flag.group))];
  const names = groups.map((group) => group.toLowerCase());
  const unknown = requestedGroups.find((group) => !names.includes(group.toLowerCase()));
  if (unknown !== undefined) {
    const hint = suggestion(unknown, names) || `; use ${names.join(', ')}`;
    throw new UsageError(`serve has no group of flags ${JSON.stringify(unknown)}${hint}`);
  }
  const shownGroups =
    requestedGroups.length === 0
      ? groups
      : groups.filter((group) => requestedGroups.some((one) => one.toLowerCase() === group.toLowerCase()));
  const blocks = shownGroups.map((group) => {
    const own = flags.filter((flag) => flag.group === group);
    return `${group} flags of serve:\n${own.map((flag) => `${flagLine(flag, 46)}\n`).join('')}`;
  });
  const intro = `Usage: keelson [serve] [flags]

Runs the server until Ctrl-C or SIGTERM. keelson help serve GROUP shows one group of flags:
${names.join(', ')}.
`;
  return [...(requestedGroups.length === 0 ? [intro] : []), ...blocks].join('\n');
}

function flagLine({ name, short, placeholder, defaultText, help }: Flag, width: number): string {
  const byDefault = defaultText === '' ? '' : ` (default ${defaultText})`;
  return `  ${`${short === undefined ? '' : `-${short}, `}--${name} ${placeholder}`.padEnd(width)} ${help}${byDefault}`;
}
