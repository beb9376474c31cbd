// Certificates of other servers that are out of date, under kube-apiserver's names.

import type { CertificateFlaw } from '../webhooks/certificate-flaws.ts';
import { type MetricSource, plainMetric } from './metric-source.ts';

export class X509Metrics {
  readonly #counts: Record<CertificateFlaw, number> = { missingSan: 0, insecureSha1: 0 };
  readonly sources: readonly MetricSource[];

  /** `about` names the servers. */
  constructor(about: 'webhooks' | 'kube_aggregator') {
    this.sources = [
      plainMetric(`apiserver_${about}_x509_missing_san_total`, () => this.#counts.missingSan),
      plainMetric(`apiserver_${about}_x509_insecure_sha1_total`, () => this.#counts.insecureSha1),
    ];
  }

  readonly observe = (flaw: CertificateFlaw): void => {
    this.#counts[flaw]++;
  };
}
