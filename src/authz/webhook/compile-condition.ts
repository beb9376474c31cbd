// Conditions under which a webhook is asked, compiled.

import type { CompileCondition } from './match-conditions.ts';

/** There is no language for conditions yet: a configuration that has some is refused. */
export const compileCondition: CompileCondition = () => ({ error: 'match conditions are not supported' });
