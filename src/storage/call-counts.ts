// Calls to the server that keeps the objects, counted by what they were and how they ended.

import { Histogram } from '../base/histogram.ts';

/** A unary call has one message each way, a stream any number. */
type CallType = 'unary' | 'bidi_stream';

/** One method of the server. */
export interface CallRow {
  readonly service: string;
  readonly method: string;
  readonly type: CallType;
  started: number;
  sent: number;
  received: number;
  /** By the name of the code with which calls ended. */
  readonly handled: Map<string, number>;
}

/** Bounds of kube-apiserver's metric. */
const objectBounds = [10, 50, 100, 500, 1000, 2500, 5000];

export class CallCounts {
  /** How many objects shared a lease, of leases that are full or too old. */
  readonly leaseObjects = new Histogram(objectBounds);
  readonly #rows = new Map<string, CallRow>();

  get rows(): readonly CallRow[] {
    return [...this.#rows.values()];
  }

  /** `path` is `/service/Method`. */
  row(path: string, type: CallType): CallRow {
    let row = this.#rows.get(path);
    if (row === undefined) {
      const [, service = '', method = ''] = path.split('/');
      row = { service, method, type, started: 0, sent: 0, received: 0, handled: new Map() };
      this.#rows.set(path, row);
    }
    return row;
  }

  ended(row: CallRow, code: string): void {
    row.handled.set(code, (row.handled.get(code) ?? 0) + 1);
  }
}
