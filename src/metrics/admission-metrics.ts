// How long admission takes, by step and by plugin, and what match conditions decided, under kube-apiserver's names.

import type { AdmissionObserver, AdmissionStep, StepObserver } from '../admission/chain.ts';
import type { ConditionReport } from '../admission/engines.ts';
import type { Operation } from '../admission/plugin.ts';
import { Histogram } from '../base/histogram.ts';
import { type MetricSource, spreadMetric } from './metric-source.ts';
import { NumberTable, SecondsTable } from './number-table.ts';
import { RecentValues, summarySamples } from './recent-values.ts';
import { entryOf, type LabelsOf, type NameOf } from './table/all-metrics.ts';

const bounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5];
const conditionBounds = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];

const stepName = 'apiserver_admission_step_admission_duration_seconds';
const summaryName = 'apiserver_admission_step_admission_duration_seconds_summary';
const pluginName = 'apiserver_admission_controller_admission_duration_seconds';

interface Row<Name extends NameOf<'histogram'>> {
  readonly labels: LabelsOf<Name>;
  readonly spread: Histogram;
}

interface StepRow extends Row<typeof stepName> {
  readonly recent: RecentValues;
}

export class AdmissionMetrics implements AdmissionObserver {
  /** By step, operation and outcome. */
  readonly #steps = new Map<string, StepRow>();
  readonly #plugins = new Map<string, Row<typeof pluginName>>();
  readonly #errors = new NumberTable('apiserver_admission_match_condition_evaluation_errors_total');
  readonly #exclusions = new NumberTable('apiserver_admission_match_condition_exclusions_total');
  readonly #seconds = new SecondsTable('apiserver_admission_match_condition_evaluation_seconds', conditionBounds);

  get sources(): readonly MetricSource[] {
    return [
      spreads(stepName, this.#steps),
      { name: summaryName, entry: entryOf(summaryName), values: () => this.#summaries() },
      spreads(pluginName, this.#plugins),
      ...[this.#errors, this.#exclusions, this.#seconds].map((one) => one.source),
    ];
  }

  #summaries() {
    return [...this.#steps.values()].flatMap(({ labels, spread, recent }) =>
      summarySamples(summaryName, labels, spread, recent),
    );
  }

  /** Nothing is shown of a step before it was taken. */
  step(step: Pick<AdmissionStep, 'type' | 'operation'>): StepObserver {
    let [passed, refused]: (StepRow | undefined)[] = [];
    return (rejected, seconds) => {
      if (rejected) refused ??= this.#stepRow(step, true);
      else passed ??= this.#stepRow(step, false);
      const row = (rejected ? refused : passed) as StepRow;
      row.spread.observe(seconds);
      row.recent.add(seconds);
    };
  }

  #stepRow({ type, operation }: Pick<AdmissionStep, 'type' | 'operation'>, rejected: boolean): StepRow {
    const key = `${type} ${operation} ${rejected}`;
    const labels = { operation, rejected: String(rejected), type };
    const row = this.#steps.get(key) ?? { labels, spread: new Histogram(bounds), recent: new RecentValues() };
    this.#steps.set(key, row);
    return row;
  }

  plugin(name: string, type: AdmissionStep['type'], operation: Operation): StepObserver {
    const spreadOf = (rejected: boolean): Histogram => {
      const labels = { name, operation, rejected: String(rejected), type };
      const key = JSON.stringify(labels);
      const row = this.#plugins.get(key) ?? { labels, spread: new Histogram(bounds) };
      this.#plugins.set(key, row);
      return row.spread;
    };
    let [passed, refused]: (Histogram | undefined)[] = [];
    return (rejected, seconds) => {
      if (rejected) refused ??= spreadOf(true);
      else passed ??= spreadOf(false);
      (rejected ? refused : passed)?.observe(seconds);
    };
  }

  conditions({ name, kind, type, operation, seconds, errors = 0, isExclusion }: ConditionReport): void {
    const labels = { name, kind, type, operation };
    for (let count = 0; count < errors; count++) this.#errors.add(labels);
    if (isExclusion) this.#exclusions.add(labels);
    if (seconds !== undefined) this.#seconds.observe(labels, seconds);
  }
}

const spreads = <Name extends NameOf<'histogram'>>(name: Name, rows: ReadonlyMap<string, Row<Name>>): MetricSource =>
  spreadMetric(name, () => [...rows.values()].map(({ labels, spread }) => [labels, spread] as const));
