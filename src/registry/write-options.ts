// What a write may be told besides the object.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { ApiObject } from '../meta/object.ts';

export interface WriteOptions {
  /** Runs every stage and stores nothing. */
  readonly dryRun: boolean;
  /** Validating admission: sees the final object, the old one if any, and throws to refuse. */
  admit?(object: ApiObject, old: ApiObject | undefined): MaybePromise<void>;
}
