// Types of apiregistration/v1, made from the data of its kinds by built-in-kinds.test.ts.

import type { ObjectMeta } from './meta-v1.ts';

export interface APIService {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: APIServiceSpec;
  readonly status?: APIServiceStatus;
}

interface APIServiceCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface APIServiceSpec {
  readonly service?: ServiceReference;
  readonly group?: string;
  readonly version?: string;
  readonly insecureSkipTLSVerify?: boolean;
  readonly caBundle?: string;
  readonly groupPriorityMinimum?: number;
  readonly versionPriority?: number;
}

interface APIServiceStatus {
  readonly conditions?: readonly APIServiceCondition[];
}

interface ServiceReference {
  readonly namespace?: string;
  readonly name?: string;
  readonly port?: number;
}
