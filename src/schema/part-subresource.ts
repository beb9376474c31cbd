// Subresources such as `status`: a part of an object, under the name of its kind.

import type { ApiObject } from '../meta/object.ts';
import type { FieldError } from '../meta/status.ts';
import type { Warnings } from '../meta/warn-each.ts';
import type { Strategy, StrategyContext, UpdateChecks } from './strategy.ts';
import type { Verb } from './verbs.ts';

/** A subresource that reads and writes a part of its parent, as an object of the parent's kind. */
export interface PartSubresource<T extends ApiObject = ApiObject> {
  readonly is: 'part';
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** Fields (`spec`, `metadata.labels`) that a write through here leaves alone; by default all but metadata and `status`, or `status`. */
  readonly resetFields?: readonly string[];
  /** False where the object cannot be had as a row here. */
  readonly tables?: false;
  /** Keeps of `next` what this subresource may change, everything else from `old`. */
  readonly merge: (next: T, old: T, context: StrategyContext) => ApiObject;
  /** What is wrong with what was written here. What was not is left alone, though it may break rules that came later. */
  readonly validateUpdate?: (next: T, old: T, context: StrategyContext) => readonly FieldError[];
  /** As of a strategy. */
  readonly validateExpressions?: Strategy<T>['validateExpressions'];
  /** The whole object is held to the rules of its kind, as by a write of all of it. */
  readonly validatesWhole?: true;
  /** Where the whole is not looked at: how often metadata is; by default for what changed, once. */
  readonly updateChecks?: UpdateChecks;
  /** What the client is told about what it wrote here; the kind's own warnings are about the rest. */
  readonly warnings?: (next: T, old: T, context: StrategyContext) => Warnings;
  /** What metrics count of a write through here that was stored. */
  readonly counts?: (next: T, old: T, context: StrategyContext) => readonly WriteCount[];
}

export type CountedWrite = 'csr_requested_duration' | 'csr_honored_duration';

export interface WriteCount {
  readonly metric: CountedWrite;
  readonly labels: Readonly<Record<string, string>>;
}
