// Types of node/v1, made from the data of its kinds by built-in-kinds.test.ts.

import type { Toleration } from './core-v1.ts';
import type { ObjectMeta } from './meta-v1.ts';

interface Overhead {
  readonly podFixed?: Readonly<Record<string, string>>;
}

export interface RuntimeClass {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly handler?: string;
  readonly overhead?: Overhead;
  readonly scheduling?: Scheduling;
}

interface Scheduling {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
}
