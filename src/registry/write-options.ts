// What a write may be told besides the object.

import type { MaybePromise } from '../base/maybe-promise.ts';
import { inTurns, type Steps } from '../base/steps.ts';
import { type YieldTimer, yieldTimerFor } from '../base/yield-timer.ts';
import type { ApiObject } from '../meta/object.ts';
import type { UserInfo } from '../meta/user.ts';
import type { Warnings } from '../meta/warn-each.ts';

export interface WriteOptions {
  /** Runs every stage and stores nothing. */
  readonly dryRun: boolean;
  /** How many bytes the client sent; any number where that is not known. */
  readonly bodyBytes?: number;
  /** Who creates the object: some kinds remember it. */
  readonly user?: UserInfo;
  /** Hears what the kind has to say about an object that is in order. */
  readonly warn?: ((text: string) => void) | undefined;
  /** Called right before something is written; throws where the request has ended meanwhile and the write is to be dropped. */
  readonly beforeCommit?: (() => void) | undefined;
  /** Called when the work for the write is long: throws where the lane for large requests is to do it. */
  readonly moveIfPossible?: (() => void) | undefined;
  /** Called with the size of the stored object before it is changed; throws where the lane for large requests is to do that. */
  readonly moveIfLarge?: ((bytes: number) => void) | undefined;
  /** Validating admission: sees the final object, the old one if any, and throws to refuse. */
  readonly admit?: ((object: ApiObject, old: ApiObject | undefined) => MaybePromise<void>) | undefined;
}

/** `storedBytes` is the size of the object as it was. */
export function yieldTimerOf({ bodyBytes = Number.POSITIVE_INFINITY }: WriteOptions, storedBytes = 0): YieldTimer {
  return yieldTimerFor(bodyBytes + storedBytes);
}

/** Together they must fit into headers of 4096 characters: what comes after so many would not be sent. */
const mostWarnings = 200;

/** Passes on what a kind says, with a rest where that takes long; no more of it is made than can be sent. */
export function sendWarnings(
  warn: NonNullable<WriteOptions['warn']>,
  texts: Warnings,
  pace: YieldTimer,
): MaybePromise<void> {
  return inTurns(sending(warn, texts), pace);
}

function* sending(warn: NonNullable<WriteOptions['warn']>, texts: Warnings): Steps<void> {
  let sent = 0;
  for (const text of texts)
    if (text === undefined) yield;
    else {
      warn(text);
      if (++sent === mostWarnings) return;
    }
}
