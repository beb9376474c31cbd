// Options of the log.

import { logAreas } from '../../base/log-levels.ts';
import { option } from '../option.ts';
import type { Log } from '../options.ts';
import { integer, object, textOrNone } from '../value-types.ts';

export const loggingOptions = {
  log: option({
    type: object<Log>('Log', './options.ts'),
    help: 'Receives the lines of the log; nothing is logged when not given.',
  }),
  verbosity: option({
    type: integer(0, 10),
    flag: 'v',
    flagDefault: '0',
    help: 'How much is logged: 0 what an operator must act on, 1 also start, stop and configuration, 2 requests that failed or were slow, 3 every request, 4 decisions.',
    note: '1 when embedding.',
    check: (value) => (Number.isSafeInteger(value) && value >= 0 ? undefined : `${value} is not a level, use 0 to 4`),
  }),
  vmodule: option({
    type: textOrNone,
    flag: 'vmodule',
    help: `Levels of their own for some areas, such as requests=3,webhooks=4; areas are ${logAreas.join(', ')}. Patterns of klog, such as httplog=9, set the areas that they match.`,
  }),
};
