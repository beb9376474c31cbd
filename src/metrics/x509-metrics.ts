// Certificates of other servers that are out of date, under kube-apiserver's names.

import type { CertificateFlaw } from '../webhooks/certificate-flaws.ts';
import { type MetricSource, metric } from './request-metrics.ts';

const kinds = [
  ['missingSan', 'x509_missing_san_total', 'without alternative names in their certificate'],
  ['insecureSha1', 'x509_insecure_sha1_total', 'with a certificate signed by SHA-1'],
] as const;

export class X509Metrics {
  readonly #counts: Record<CertificateFlaw, number> = { missingSan: 0, insecureSha1: 0 };
  readonly sources: readonly MetricSource[];

  /** `about` names the servers: `webhooks` or `kube_aggregator`. */
  constructor(about: string) {
    this.sources = kinds.map(([flaw, name, what]) =>
      metric(
        `apiserver_${about}_${name}`,
        'counter',
        `Requests to servers, or failures to connect to them, ${what}.`,
        () => [{ labels: {}, value: this.#counts[flaw] }],
      ),
    );
  }

  readonly observe = (flaw: CertificateFlaw): void => {
    this.#counts[flaw]++;
  };
}
