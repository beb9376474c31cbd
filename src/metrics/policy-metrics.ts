// How the expressions of admission policies did, under kube-apiserver's names.

import type { PolicyCheck } from '../admission/engines.ts';
import type { MetricSource } from './metric-source.ts';
import { NumberTable, SecondsTable } from './number-table.ts';

const bounds = [0.0000005, 0.001, 0.01, 0.1, 1];

export class PolicyMetrics {
  readonly #validated = new NumberTable('apiserver_validating_admission_policy_check_total');
  readonly #validatedSeconds = new SecondsTable('apiserver_validating_admission_policy_check_duration_seconds', bounds);
  readonly #mutated = new NumberTable('apiserver_mutating_admission_policy_check_total');
  readonly #mutatedSeconds = new SecondsTable('apiserver_mutating_admission_policy_check_duration_seconds', bounds);

  get sources(): readonly MetricSource[] {
    return [this.#validated, this.#validatedSeconds, this.#mutated, this.#mutatedSeconds].map(({ source }) => source);
  }

  observe(check: PolicyCheck): void {
    const { policy, binding, error, seconds } = check;
    const labels = { policy, policy_binding: binding, error_type: error };
    if (check.plugin === 'mutating') {
      this.#mutated.add(labels);
      this.#mutatedSeconds.observe(labels, seconds);
    } else {
      const withAction = { ...labels, enforcement_action: check.action };
      this.#validated.add(withAction);
      this.#validatedSeconds.observe(withAction, seconds);
    }
  }
}
