// What a write may be told besides the object.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { ApiObject } from '../meta/object.ts';
import type { RequestNotes } from '../meta/request-notes.ts';
import type { UserInfo } from '../meta/user.ts';
import { maxWarnings, type Warnings } from '../meta/warn-each.ts';

export interface WriteOptions {
  /** Runs every stage and stores nothing. */
  readonly dryRun: boolean;
  /** Who creates the object: some kinds remember it. */
  readonly user?: UserInfo;
  /** Hears what the kind has to say about an object that is in order. */
  readonly warn?: ((text: string) => void) | undefined;
  /** Called right before something is written; throws where the request has ended meanwhile and the write is to be dropped. */
  readonly beforeCommit?: (() => void) | undefined;
  /** Receives what happens to the write, while a trace is taken. */
  readonly notes?: RequestNotes | undefined;
  /** Called when the work for the write is long: throws where the lane for large requests is to do it. */
  readonly moveIfPossible?: (() => void) | undefined;
  /** Called with the size of the stored object before it is changed; throws where the lane for large requests is to do that. */
  readonly moveIfLarge?: ((bytes: number) => void) | undefined;
  /** Validating admission: sees the final object, the old one if any, and throws to refuse. */
  readonly admit?: ((object: ApiObject, old: ApiObject | undefined) => MaybePromise<void>) | undefined;
}

/** Passes on the warnings of a kind, as many as can be sent. */
export function sendWarnings(warn: NonNullable<WriteOptions['warn']>, texts: Warnings): void {
  for (const text of texts.slice(0, maxWarnings)) warn(text);
}
