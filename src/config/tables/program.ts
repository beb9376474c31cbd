// Options that only programs give.

import type { Clock } from '../../base/time/clock.ts';
import { option } from '../option.ts';
import { object, pairs } from '../value-types.ts';

export const programOptions = {
  commandLine: option({
    type: pairs,
    help: 'Flags of the command line with their values, as /flagz shows them; none when not given.',
  }),
  clock: option({
    type: object<Clock>('Clock', '../base/time/clock.ts'),
    help: "What time it is, and what happens later; the system's clock when not given.",
  }),
};
