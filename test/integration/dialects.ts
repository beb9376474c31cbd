// What holds in every dialect is tested in every dialect.

import { cluster, type Dialect, kubernetes } from '../../src/meta/dialect.ts';

export const dialects: readonly (readonly [name: 'kubernetes' | 'cluster', dialect: Dialect])[] = [
  ['kubernetes', kubernetes],
  ['cluster', cluster()],
];

export const applyType = { 'content-type': 'application/apply-patch+yaml' };

/** The least that a workload needs. */
export const workload = (name: string, more: object = {}): object => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    ...more,
  },
});
