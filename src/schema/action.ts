// Kinds that are answered and never stored, and what their answers are made of.

import type { AccessControl } from '../meta/access.ts';
import type { ApiObject, ObjectRef } from '../meta/object.ts';
import type { FieldError, Status } from '../meta/status.ts';
import type { Tokens } from '../meta/tokens.ts';
import type { UserInfo } from '../meta/user.ts';
import type { ObjectAccess } from './object-access.ts';
import type { StrategyContext } from './strategy.ts';
import type { StructType } from './types.ts';

/** Answers an object that is not stored: a review, an eviction, a request for a token. */
export interface Action<T extends ApiObject = ApiObject> {
  /** The type of the answer, where it is not of the kind that was posted. */
  readonly answer?: StructType;
  /** Fills in what the client left out, before any plugin looks. */
  defaults?(input: T): ApiObject;
  /** Fills in what only the server knows, before plugins validate; errors are thrown. */
  prepare?(input: T, call: ActionCall): Promise<ApiObject>;
  /** What is wrong with the object that was posted. */
  validate?(input: T, context: StrategyContext): readonly FieldError[];
  /** The answer; errors are thrown. */
  run(input: T, call: ActionCall): Promise<ApiObject | Status>;
}

export interface ActionCall extends StrategyContext {
  readonly user: UserInfo;
  /** What the URL names; its own resource has no name. */
  readonly ref: ObjectRef;
  readonly dryRun: boolean;
  readonly objects: ObjectAccess;
  /** Decides what users may do. */
  readonly access: AccessControl;
  readonly tokens: Tokens;
  /** Adds a Warning header to the answer. */
  warn(text: string): void;
  /** Adds an annotation to the audit events of the request. */
  annotate(key: string, value: string): void;
}
