// The command line of `serve` as options of a server, for all commands that take its flags.

import type { Flag, MutableOptions } from '../flags/flag.ts';
import { serveFlags } from '../flags/flags.ts';
import { parseFlags, takeWarnings } from '../flags/parse-flags.ts';
import { UsageError } from '../usage-error.ts';

/** Flags that are no options of a server. */
type OfTheCommand = 'loggingFormat' | 'plainRuntime' | 'output' | 'filename' | 'recursive' | 'prune';

interface ServeOptions {
  readonly options: Omit<MutableOptions, OfTheCommand>;
  /** Manifests that the server follows; no paths where none are given. */
  readonly manifests: { readonly paths: readonly string[]; readonly recursive: boolean; readonly prunes: boolean };
  readonly loggingFormat: MutableOptions['loggingFormat'];
  /** How a command prints its result, where it has a flag for that. */
  readonly output: MutableOptions['output'];
  /** About flags that have no effect here or are deprecated. */
  readonly warnings: readonly string[];
}

/** Throws a UsageError for a flag that is neither one of `serve` nor in `more`. */
export function parseServeOptions(args: readonly string[], more: readonly Flag[] = []): ServeOptions {
  const parsed = parseFlags([...more, ...serveFlags], args);
  const warnings = takeWarnings(parsed);
  const { loggingFormat, plainRuntime: _, output, filename: paths = [], recursive = false, prune, ...options } = parsed;
  const manifests = { paths, recursive, prunes: prune ?? false };
  return { options: withPassword(options), manifests, loggingFormat, output, warnings };
}

/** For commands that have their own `-f`: a second one after `--` would be ignored. */
export function parseOptionsAfterDashes(args: readonly string[]): ServeOptions {
  const parsed = parseServeOptions(args);
  if (parsed.manifests.paths.length > 0) throw new UsageError('give -f before --');
  return parsed;
}

/** The environment is where a password can stand without showing up in the list of processes. */
function withPassword(options: ServeOptions['options']): ServeOptions['options'] {
  const etcdPassword = process.env['KEELSON_ETCD_PASSWORD'];
  return etcdPassword === undefined ? options : { ...options, etcdPassword };
}

/** Options are named as their flags are: `tlsCertFile` is `--tls-cert-file`. One that is a single word is at the beginning, before a colon. */
export function withFlagNames(message: string): string {
  return message.replace(/^[a-z]+(?=:)|\b[a-z]+(?:\.[a-z]+|[A-Z][a-z]+)+\b/g, (option) => {
    const flag = serveFlags.find((candidate) => candidate.option === option);
    return flag === undefined ? option : `--${flag.name}`;
  });
}
