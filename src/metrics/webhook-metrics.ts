// Calls of admission webhooks, under kube-apiserver's names.

import type { WebhookReport } from '../admission/engines.ts';
import { NumberTable, SecondsTable } from './metric-tables.ts';
import type { MetricSource } from './request-metrics.ts';

const bounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
/** Larger codes are counted as one. */
const largestCode = 600;

export class WebhookMetrics {
  readonly #seconds = new SecondsTable(
    {
      name: 'apiserver_admission_webhook_admission_duration_seconds',
      help: 'Seconds that calls of admission webhooks took.',
    },
    bounds,
  );
  readonly #requests = new NumberTable({
    name: 'apiserver_admission_webhook_request_total',
    help: 'Calls of admission webhooks.',
  });
  readonly #rejections = new NumberTable({
    name: 'apiserver_admission_webhook_rejection_count',
    help: 'Requests that admission webhooks, or their failure, kept from being carried out.',
  });
  readonly #failedOpen = new NumberTable({
    name: 'apiserver_admission_webhook_fail_open_count',
    help: 'Requests that were carried out although an admission webhook could not be called.',
  });

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
