// How the expressions of admission policies did, under kube-apiserver's names.

import type { PolicyCheck } from '../admission/engines.ts';
import { NumberTable, SecondsTable } from './metric-tables.ts';
import type { MetricSource } from './request-metrics.ts';

const bounds = [0.0000005, 0.001, 0.01, 0.1, 1];

type Plugin = PolicyCheck['plugin'];

const tablesOf = (plugin: Plugin) => ({
  total: new NumberTable({
    name: `apiserver_${plugin}_admission_policy_check_total`,
    help: `Expressions of ${plugin} admission policies that failed or had an effect.`,
  }),
  seconds: new SecondsTable(
    {
      name: `apiserver_${plugin}_admission_policy_check_duration_seconds`,
      help: `Seconds that such expressions of ${plugin} admission policies took.`,
    },
    bounds,
  ),
});

export class PolicyMetrics {
  readonly #tables = { validating: tablesOf('validating'), mutating: tablesOf('mutating') };

  get sources(): readonly MetricSource[] {
    return Object.values(this.#tables).flatMap(({ total, seconds }) => [total.source, seconds.source]);
  }

  observe({ plugin, policy, binding, error, action, seconds }: PolicyCheck): void {
    const labels = {
      policy,
      policy_binding: binding,
      error_type: error,
      ...(action === undefined ? {} : { enforcement_action: action }),
    };
    this.#tables[plugin].total.add(labels);
    this.#tables[plugin].seconds.observe(labels, seconds);
  }
}
