// How often definitions of custom resources changed the OpenAPI documents, under kube-apiserver's names.

import type { GroupVersion } from '../meta/group-version.ts';
import type { MetricSource } from './metric-source.ts';
import { NumberTable } from './number-table.ts';

/** The number of definitions with their own series; beyond it the least recently changed one is dropped. */
const maxDefinitions = 2000;

export class RegenerationMetrics {
  readonly #v2 = new NumberTable('apiextensions_openapi_v2_regeneration_count', maxDefinitions);
  readonly #v3 = new NumberTable('apiextensions_openapi_v3_regeneration_count', maxDefinitions);

  get sources(): readonly MetricSource[] {
    return [this.#v2.source, this.#v3.source];
  }

  /** The served versions of a definition have changed. */
  observe(crd: string, before: readonly GroupVersion[], after: readonly GroupVersion[]): void {
    if (before.length + after.length === 0) return;
    this.#v2.add({ crd, reason: after.length === 0 ? 'remove' : before.length === 0 ? 'add' : 'update' });
    const was = new Set(before.map(({ version }) => version));
    const is = new Set(after.map(({ version }) => version));
    for (const { group, version } of after)
      this.#v3.add({ crd, group, reason: was.has(version) ? 'update' : 'add', version });
    for (const { group, version } of before)
      if (!is.has(version)) this.#v3.add({ crd, group, reason: 'remove', version });
  }
}
