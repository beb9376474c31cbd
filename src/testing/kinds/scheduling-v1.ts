// Types of scheduling/v1, made from the data of its kinds by built-in-kinds.test.ts.

import type { ObjectMeta } from './meta-v1.ts';

export interface PriorityClass {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly value?: number;
  readonly globalDefault?: boolean;
  readonly description?: string;
  readonly preemptionPolicy?: string;
}
