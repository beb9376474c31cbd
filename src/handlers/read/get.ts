// GET of one object.

import { andThen } from '../../base/maybe-promise.ts';
import { answerObject } from '../answer.ts';
import type { VerbHandler } from '../call.ts';
import { isMadeOfText } from '../forms/object-form.ts';
import { noted } from '../noted-work.ts';
import { readAtForGet } from '../read-at.ts';
import { representationOf } from '../representation.ts';
import { shapeOf } from '../shape.ts';

export const get: VerbHandler = (call) => {
  const form = representationOf(call);
  const at = readAtForGet(call);
  const moveIfLarge = (bytes: number) => call.exchange.moveIfLarge(bytes);
  const read = noted(call.exchange, 'cacher.Get', () => call.registry.get(call.ref, at, moveIfLarge));
  return andThen(read, (stored) => {
    if (!isMadeOfText(shapeOf(call, form))) moveIfLarge(stored.size);
    return noted(call.exchange, 'SerializeObject', () => answerObject(call, stored, form));
  });
};
