// Calls of admission webhooks, under kube-apiserver's names.

import type { WebhookReport } from '../admission/engines.ts';
import type { MetricSource } from './metric-source.ts';
import { NumberTable, SecondsTable } from './number-table.ts';

const bounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
/** Larger codes are counted as one. */
const largestCode = 600;

export class WebhookMetrics {
  readonly #seconds = new SecondsTable('apiserver_admission_webhook_admission_duration_seconds', bounds);
  readonly #requests = new NumberTable('apiserver_admission_webhook_request_total');
  readonly #rejections = new NumberTable('apiserver_admission_webhook_rejection_count');
  readonly #failedOpen = new NumberTable('apiserver_admission_webhook_fail_open_count');

  get sources(): readonly MetricSource[] {
    const { source: seconds } = this.#seconds;
    return [seconds, ...[this.#requests, this.#rejections, this.#failedOpen].map((one) => one.source)];
  }

  observe({ name, type, operation, seconds, code, rejectedBy, failedOpen }: WebhookReport): void {
    const labels = { name, type, operation };
    const rejected = String(rejectedBy !== undefined);
    const shownCode = String(Math.min(code, largestCode));
    this.#seconds.observe({ ...labels, rejected }, seconds);
    this.#requests.add({ ...labels, code: shownCode, rejected });
    if (rejectedBy !== undefined)
      this.#rejections.add({ ...labels, error_type: rejectedBy, rejection_code: shownCode });
    if (failedOpen) this.#failedOpen.add({ name, type });
  }
}
