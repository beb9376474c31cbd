// GET of one object.

import { andThen } from '../../base/maybe-promise.ts';
import { answerObject } from '../answer.ts';
import type { VerbHandler } from '../call.ts';
import { readAtForGet } from '../read-at.ts';
import { representationOf } from '../representation.ts';

export const get: VerbHandler = (call) => {
  const form = representationOf(call);
  const at = readAtForGet(call);
  return andThen(call.registry.get(call.ref, at), (stored) => answerObject(call, stored, form));
};
