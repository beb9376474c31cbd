// The flags of `keelson serve`: those of options, those of the command, and those without effect.

import { option } from '../../config/option.ts';
import { optionGroups } from '../../config/server-options.ts';
import { oneOf, yesOrNo } from '../../config/value-types.ts';
import { type Flag, flagsOf } from './flag.ts';
import { idleFlags } from './idle-flags.ts';

/** What only the command knows; a server has no such option. */
const commandGroups = [
  {
    name: 'Logging',
    options: {
      loggingFormat: option({
        type: oneOf('text', 'json'),
        flag: 'logging-format',
        help: 'How lines of the log look; text on a terminal and json elsewhere when not given.',
      }),
    },
  },
  {
    name: 'Runtime',
    options: {
      plainRuntime: option({
        type: yesOrNo,
        flag: 'plain-runtime',
        default: 'false',
        help: 'Whether to rely on documented behaviour of Node and V8 only, which is slower; as KEELSON_PLAIN_RUNTIME=1 does.',
      }),
    },
  },
];

export const serveFlags: readonly Flag[] = [...[...optionGroups, ...commandGroups].flatMap(flagsOf), ...idleFlags];
