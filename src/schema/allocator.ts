// What a kind reserves beyond its own object, and where the server keeps record of it.

import type { ApiObject } from '../meta/object.ts';
import type { ObjectAccess } from './object-access.ts';
import type { StrategyContext } from './strategy.ts';
import type { StructType } from './types.ts';

/** A value that the server keeps next to the objects, below its own key. */
export interface RecordDefinition {
  readonly key: string;
  /** Other servers on the same store write it in protobuf. */
  readonly type: StructType;
}

export interface Records {
  /**
   * Replaces a record by what `change` makes of it; nothing is written where that is undefined. Tried again on the newer
   * one when another writer was faster. One that cannot be read is an error, or as good as none where it is to be made
   * again.
   */
  update(
    record: RecordDefinition,
    change: (current: unknown) => object | undefined,
    unreadable?: 'fails' | 'is replaced',
  ): Promise<void>;
}

export interface AllocationCall extends StrategyContext {
  readonly objects: ObjectAccess;
  readonly records: Records;
  readonly dryRun: boolean;
  /** Hears of what was reserved, and of what could not be; nothing of dry runs. */
  readonly onAllocation?: ((tried: AllocationReport) => void) | undefined;
}

/** That an address or a node port was reserved, or could not be, as metrics count it. */
export type AllocationReport = AllocationTry &
  (
    | { readonly of: 'address'; readonly range: string /** Of those that succeeded. */; readonly seconds?: number }
    | { readonly of: 'port' }
  );

export interface AllocationTry {
  /** Whether the client chose it. */
  readonly scope: 'static' | 'dynamic';
  readonly failed: boolean;
}

/**
 * What a kind reserves beyond its own object, such as addresses and ports. Runs around writes of the whole object, before
 * the strategy sees it; unlike a strategy it may do I/O.
 */
export interface Allocator<T extends ApiObject = ApiObject> {
  /** Reserves what the object needs, `old` is undefined for a new one. Errors are thrown, with nothing left reserved. */
  allocate(next: T, old: T | undefined, call: AllocationCall): Promise<Allocation>;
  /** Gives back what an object had that is gone. */
  release(object: T, call: AllocationCall): Promise<void>;
}

/** What was reserved for one write. */
export interface Allocation {
  /** The object with what was reserved filled in. */
  readonly object: ApiObject;
  /** The object was stored: gives back what only the old one needed. */
  commit(): Promise<void>;
  /** The object was not stored: gives back what was reserved for it. */
  revert(): Promise<void>;
}
