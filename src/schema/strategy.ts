// The behaviour of one kind: hooks around the writes of its objects.

import type { Clock } from '../base/time/clock.ts';
import type { RuleTimes } from '../base/time/rule-times.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { EffectiveVersions } from '../meta/effective-versions.ts';
import type { ApiObject } from '../meta/object.ts';
import type { FieldError } from '../meta/status.ts';
import type { UserInfo } from '../meta/user.ts';
import type { Warnings } from '../meta/warn-each.ts';

export interface StrategyContext {
  readonly dialect: Dialect;
  readonly clock: Clock;
  /** Who asks, while an object is being created. */
  readonly user?: UserInfo;
  /** Containers that may do everything on their node are not let in. */
  readonly refusesPrivileged?: boolean;
  /** Nothing collects what is left of deleted owners: deletions do not wait for it. */
  readonly ignoresDependents?: boolean;
  /** Releases that the server behaves like; its own where they are not given. */
  readonly versions?: EffectiveVersions;
  /** Called when the work for a write turns out to be long. It may throw to have it done elsewhere. */
  readonly onLongWork?: (() => void) | undefined;
  /** Hears how long rules took. */
  readonly ruleTimes?: RuleTimes;
}

/**
 * Hooks of one kind. Each gets decoded, defaulted objects and returns a new one, or what is wrong.
 * Order on create: defaults, admission, earlyWarnings, prepareForCreate, validate, validateExpressions, warnings. On update: defaults,
 * admission, prepareForUpdate, validateUpdate, validateExpressions, warnings. None may do I/O.
 */
export interface Strategy<T extends ApiObject = ApiObject> {
  /** Defaults that depend on other fields; also run on every write. */
  readonly defaults?: (object: T, context: StrategyContext) => ApiObject;
  /** Clears what a client may not set and fills what the server owns. */
  readonly prepareForCreate?: (object: T, context: StrategyContext) => ApiObject;
  readonly prepareForUpdate?: (next: T, old: T, context: StrategyContext) => ApiObject;
  readonly validate?: (object: T, context: StrategyContext) => readonly FieldError[];
  /** Runs besides `validate`, for rules about lists that may be long. */
  readonly validateWrite?: (next: T, old: T | undefined, context: StrategyContext) => readonly FieldError[];
  /** Runs besides `validate`, for new objects only. */
  readonly validateCreate?: (object: T, context: StrategyContext) => readonly FieldError[];
  /** Rules of a new object's name that depend on the rest of it; told before all other rules of the kind. */
  readonly validateName?: (object: T, context: StrategyContext) => readonly FieldError[];
  /** Runs besides `validate`. */
  readonly validateUpdate?: (next: T, old: T, context: StrategyContext) => readonly FieldError[];
  /**
   * What is wrong with the expressions in an object, after everything else; `old` is undefined for a new one. Later than
   * the others because the language is loaded on first use.
   */
  readonly validateExpressions?: (
    next: T,
    old: T | undefined,
    context: StrategyContext,
    run?: ExpressionRun,
  ) => Promise<readonly FieldError[]>;
  /** Whether the expressions took long for another object a short time ago: requests move to the lane for large ones early. */
  readonly hasExpensiveExpressions?: () => boolean;
  /** What the client is told about a new object as it came, also where it is refused then. */
  readonly earlyWarnings?: (object: T, context: StrategyContext) => Warnings;
  /** What the client is told about an object that is in order and still odd; `old` is undefined for a new one. */
  readonly warnings?: (next: T, old: T | undefined, context: StrategyContext) => Warnings;
  // compat: validation errors are listed as often as the rules of a kind look, which for some is twice on update
  readonly updateChecks?: UpdateChecks;
  /** Seconds an object is given to end; `asked` is what the request says. Kinds without this go at once. */
  readonly gracePeriod?: (object: T, asked: number | undefined) => number;
  /** What else changes when deletion begins on an object that cannot go at once. */
  readonly beginDeletion?: (object: T, context: StrategyContext) => ApiObject;
  /** Whether something beyond metadata.finalizers still holds a terminating object. */
  readonly isHeld?: (object: T, context: StrategyContext) => boolean;
}

/** What expressions are run for. */
export interface ExpressionRun {
  /** Called when the work is long: throws where the lane for large requests is to do it. */
  readonly moveIfPossible?: (() => void) | undefined;
  /** Hears what is wrong and may stay, also where something else is refused. */
  readonly warn?: ((text: string) => void) | undefined;
}

/** How often the rules of a kind look at parts of an object that changes, each once by default, and in which order. */
export interface UpdateChecks {
  /** Labels, annotations and the like, as of a new object. */
  readonly meta?: number;
  /** Metadata against what it was. */
  readonly metaChange?: number;
  /** Everything `validate` looks at. */
  readonly fields?: number;
  /** Whether metadata is looked at as of a new object before it is compared with what it was. */
  readonly newFirst?: boolean;
  /** Whether rules about the change are told before those about the fields, and not after them. */
  readonly changesFirst?: boolean;
}
