// GET of one object.

import { andThen } from '../../base/maybe-promise.ts';
import { answerObject } from '../answer.ts';
import type { VerbHandler } from '../call.ts';
import { isMadeOfText } from '../forms/object-form.ts';
import { readAtForGet } from '../read-at.ts';
import { representationOf } from '../representation.ts';
import { shapeOf } from '../shape.ts';

export const get: VerbHandler = (call) => {
  const form = representationOf(call);
  const at = readAtForGet(call);
  const moveIfLarge = (bytes: number) => call.exchange.moveIfLarge(bytes);
  return andThen(call.registry.get(call.ref, at, moveIfLarge), (stored) => {
    if (!isMadeOfText(shapeOf(call, form))) moveIfLarge(stored.size);
    return answerObject(call, stored, form);
  });
};
