// `keelson status` and `keelson doctor` take the flags of `serve` and look at what a server with these flags would read.

import type { ServerConfig } from '../config/options.ts';
import { resolveOptions } from '../config/options.ts';
import { type InputProblem, type InputReport, inspectInputs } from '../server/inputs.ts';
import { flag } from './flag.ts';
import { oneOf } from './flag-values.ts';
import { parseServeOptions, withFlagNames } from './serve-options.ts';

export type { InputProblem };

const outputFlag = {
  ...flag({
    name: 'output',
    short: 'o',
    option: 'output',
    type: oneOf('text', 'json'),
    default: 'text',
    help: 'How the result is printed.',
  }),
  group: 'Output',
};

/** `outputFlag` for the help of commands. */
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
  const { options, output = 'text' } = parseServeOptions(args, [outputFlag]);
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
