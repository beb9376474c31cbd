// What PodSecurity decided, under kube-apiserver's names.

import type { PodSecurityCheck } from '../admission/engines.ts';
import { release } from '../meta/release.ts';
import type { MetricSource } from './metric-source.ts';
import { NumberTable } from './number-table.ts';

const labelOfResource: Readonly<Record<string, string>> = { pods: 'pod', namespaces: 'namespace' };

export class PodSecurityMetrics {
  readonly #evaluations = new NumberTable('pod_security_evaluations_total');
  readonly #exemptions = new NumberTable('pod_security_exemptions_total');

  constructor() {
    for (const request_operation of ['create', 'update']) {
      const about = { request_operation, resource: 'pod', subresource: '' };
      this.#evaluations.set(evaluation(about, 'allow', 'enforce', 'privileged', 'latest'), 0);
      for (const resource of ['pod', 'controller']) this.#exemptions.set({ ...about, resource }, 0);
    }
  }

  get sources(): readonly MetricSource[] {
    return [this.#evaluations.source, this.#exemptions.source];
  }

  observe({ operation, resource, subresource, ...check }: PodSecurityCheck): void {
    const about = {
      request_operation: operation.toLowerCase(),
      resource: labelOfResource[resource] ?? 'controller',
      subresource,
    };
    if (check.evaluated === undefined) this.#exemptions.add(about);
    else {
      const { decision: made, mode, level, version } = check.evaluated;
      this.#evaluations.add(evaluation(about, made, mode, level, shownVersion(level, version)));
    }
  }
}

interface About {
  readonly request_operation: string;
  readonly resource: string;
  readonly subresource: string;
}

/** Field by field: one of these is made for every pod. */
const evaluation = (about: About, made: string, mode: string, level: string, version: string) => ({
  decision: made,
  policy_level: level,
  policy_version: version,
  mode,
  request_operation: about.request_operation,
  resource: about.resource,
  subresource: about.subresource,
});

/** The privileged level is equal in every release; future releases are one value. */
function shownVersion(level: string, version: string): string {
  if (level === 'privileged' || version === 'latest') return 'latest';
  return Number(version.slice('v1.'.length)) > release.minor ? 'future' : version;
}
