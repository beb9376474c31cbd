// GET of one object.

import { andThen } from '../../base/maybe-promise.ts';
import { isPlain } from '../../codec/accept.ts';
import { answerObject } from '../answer.ts';
import type { VerbHandler } from '../call.ts';
import { readAtForGet } from '../read-at.ts';
import { representationOf } from '../representation.ts';

export const get: VerbHandler = (call) => {
  const form = representationOf(call);
  const at = readAtForGet(call);
  return andThen(call.registry.get(call.ref, at), (stored) => {
    if (!isPlain(form)) call.exchange.moveIfLarge(stored.size);
    return answerObject(call, stored, form);
  });
};
