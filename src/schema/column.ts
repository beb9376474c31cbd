// The table form of objects.

import type { ApiObject } from '../meta/object.ts';
import type { StrategyContext } from './strategy.ts';

/** What the rows of one table may still cost together; cells lower it. */
export interface TableEffort {
  visitsLeft: number;
}

/** One column of the table form. */
export interface Column<T extends ApiObject = ApiObject> {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly about: string;
  /** 0 is always shown, 1 with `-o wide`. */
  readonly priority: number;
  /** Rows have its cell, but the table does not name it. */
  readonly unlisted?: true;
  /** The fields that the cell reads. Only for columns of kinds whose type is not declared field by field. */
  readonly paths?: readonly (readonly string[])[];
  readonly cell: (object: T, context: StrategyContext, effort?: TableEffort) => unknown;
}

export interface RowCondition {
  readonly type: 'Completed';
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
}
