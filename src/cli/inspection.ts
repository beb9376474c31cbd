// `keelson status` and `keelson doctor` take the flags of `serve` and look at what a server with these flags would read.

import { option } from '../config/option.ts';
import type { ServerConfig } from '../config/options.ts';
import { resolveOptions } from '../config/options.ts';
import { oneOf } from '../config/value-types.ts';
import { type InputProblem, type InputReport, inspectInputs } from '../server/start/inputs.ts';
import { parseServeOptions, withFlagNames } from './commands/serve-options.ts';
import { type Flag, flagsOf } from './flags/flag.ts';

export type { InputProblem };

const outputFlags = flagsOf({
  name: 'Output',
  options: {
    output: option({
      type: oneOf('text', 'json'),
      flag: 'output',
      default: 'text',
      help: 'How the result is printed.',
    }),
  },
}).map((flag) => ({ ...flag, short: 'o' }));

/** The flag for the help of commands. */
export const outputGuide = {
  name: 'output',
  short: 'o',
  type: oneOf('text', 'json'),
  help: 'How the result is printed (default text).',
};

export interface Inspection {
  readonly config: ServerConfig;
  readonly output: 'text' | 'json';
  /** Of `status`. */
  readonly namespace?: string;
  readonly watch: boolean;
  /** What a server would read; looked at on demand. */
  inspect(): Promise<InputReport>;
}

/** Throws a UsageError or an OptionError for flags that `serve` would refuse. */
export function openInspection(args: readonly string[], more: readonly Flag[] = []): Inspection {
  const { options: parsed, output = 'text' } = parseServeOptions(args, [...outputFlags, ...more]);
  const { namespace, watch = false, ...options } = parsed;
  const config = resolveOptions(options);
  return {
    config,
    output,
    watch,
    ...(namespace === undefined ? {} : { namespace }),
    async inspect() {
      const report = await inspectInputs(config);
      const problems = report.problems.map(({ input, message }) => ({ input, message: withFlagNames(message) }));
      return { ...report, problems };
    },
  };
}
