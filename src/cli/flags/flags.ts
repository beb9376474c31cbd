// The flags of `keelson serve`: those of options, those of the command, and those without effect.

import { option } from '../../config/option.ts';
import { optionGroups } from '../../config/server-options.ts';
import { given, oneOf, text, yesOrNo } from '../../config/value-types.ts';
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
    name: 'Manifests',
    options: {
      filename: option({
        type: given(text),
        flag: 'filename',
        help: 'A file or a folder of .yaml, .yml and .json files, applied at the start and on each save; once or several times.',
      }),
      recursive: option({
        type: yesOrNo,
        flag: 'recursive',
        default: 'false',
        help: 'Whether --filename also reads folders within folders.',
      }),
      prune: option({
        type: yesOrNo,
        flag: 'prune',
        default: 'false',
        help: 'Whether objects are deleted that are removed from the files of --filename while the server runs.',
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

const shortNames: Readonly<Record<string, string>> = { filename: 'f', recursive: 'R' };

const withShortName = (flag: Flag): Flag => {
  const short = shortNames[flag.name];
  return short === undefined ? flag : { ...flag, short };
};

export const serveFlags: readonly Flag[] = [
  ...optionGroups.flatMap(flagsOf),
  ...commandGroups.flatMap(flagsOf).map(withShortName),
  ...idleFlags,
];
