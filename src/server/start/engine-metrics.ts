// What engines count of their own work, each from the moment it is made.

import { AbortMetrics } from '../../metrics/abort-metrics.ts';
import { AdmissionMetrics } from '../../metrics/admission-metrics.ts';
import { AllocationMetrics } from '../../metrics/allocation-metrics.ts';
import { LateMetrics } from '../../metrics/late-metrics.ts';
import { ManifestMetrics } from '../../metrics/manifest-metrics.ts';
import type { MetricSource } from '../../metrics/metric-source.ts';
import { OwnCallMetrics } from '../../metrics/own-call-metrics.ts';
import { PodGarbageMetrics } from '../../metrics/pod-garbage-metrics.ts';
import { PodSecurityMetrics } from '../../metrics/pod-security-metrics.ts';
import { PolicyMetrics } from '../../metrics/policy-metrics.ts';
import { RuleMetrics } from '../../metrics/rule-metrics.ts';
import type { ServerLabels } from '../../metrics/server-labels.ts';
import { TerminationMetrics } from '../../metrics/termination-metrics.ts';
import { WebhookMetrics } from '../../metrics/webhook-metrics.ts';
import { WriteMetrics } from '../../metrics/write-metrics.ts';
import { X509Metrics } from '../../metrics/x509-metrics.ts';

export class EngineMetrics {
  readonly admission = new AdmissionMetrics();
  readonly policies = new PolicyMetrics();
  readonly podSecurity = new PodSecurityMetrics();
  readonly allocations = new AllocationMetrics();
  readonly rules = new RuleMetrics();
  readonly writes = new WriteMetrics();
  readonly webhooks = new WebhookMetrics();
  readonly manifests: ManifestMetrics;
  readonly webhookCertificates = new X509Metrics('webhooks');
  readonly backendCertificates = new X509Metrics('kube_aggregator');
  readonly podGarbage = new PodGarbageMetrics();
  readonly terminations = new TerminationMetrics();
  readonly aborts = new AbortMetrics();
  readonly late = new LateMetrics();
  readonly ownCalls = new OwnCallMetrics();

  constructor(ofServer: ServerLabels) {
    this.manifests = new ManifestMetrics(ofServer);
  }

  get sources(): readonly MetricSource[] {
    return [
      ...this.admission.sources,
      ...this.policies.sources,
      ...this.podSecurity.sources,
      ...this.allocations.sources,
      ...this.rules.sources,
      ...this.writes.sources,
      ...this.manifests.sources,
      ...this.webhooks.sources,
      ...this.webhookCertificates.sources,
      ...this.backendCertificates.sources,
      ...this.podGarbage.sources,
      this.terminations.source,
      this.aborts.source,
      this.late.source,
      this.ownCalls.source,
    ];
  }
}
