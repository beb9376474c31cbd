// The verbs that discovery names for a resource.

import type { ResourceDefinition } from '../schema/resource.ts';
import type { Verb } from '../schema/verbs.ts';

const writing = new Set<Verb>(['create', 'patch', 'update']);

/** compat: a resource that is about to go is shown without the verbs that write, though its objects can still be changed */
export function shownVerbs({ verbs, refusesNew }: ResourceDefinition): readonly Verb[] {
  return refusesNew === undefined ? verbs : verbs.filter((verb) => !writing.has(verb));
}
