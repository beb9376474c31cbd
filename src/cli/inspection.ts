// `keelson status` and `keelson doctor` take the flags of `serve` and look at what a server with these flags would read.

import { option } from '../config/option.ts';
import type { ServerConfig } from '../config/options.ts';
import { resolveOptions } from '../config/options.ts';
import { oneOf } from '../config/value-types.ts';
import { type InputProblem, type InputReport, inspectInputs } from '../server/start/inputs.ts';
import { parseServeOptions, withFlagNames } from './commands/serve-options.ts';
import { flagsOf } from './flags/flag.ts';

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

interface Inspection {
  readonly config: ServerConfig;
  readonly output: 'text' | 'json';
  /** What a server would read; looked at on demand. */
  inspect(): Promise<InputReport>;
}

/** Throws a UsageError or an OptionError for flags that `serve` would refuse. */
export function openInspection(args: readonly string[]): Inspection {
  const { options, output = 'text' } = parseServeOptions(args, outputFlags);
  const config = resolveOptions(options);
  return {
    config,
    output,
    async inspect() {
      const report = await inspectInputs(config);
      const problems = report.problems.map(({ input, message }) => ({ input, message: withFlagNames(message) }));
      return { ...report, problems };
    },
  };
}
