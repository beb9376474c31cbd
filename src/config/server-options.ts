// The options of a server: all tables, in the order of the help.

import type { CompleteOptions, OptionsOf, OptionTable } from './option.ts';
import { admissionOptions } from './tables/admission.ts';
import { aggregationOptions } from './tables/aggregation.ts';
import { apiOptions } from './tables/api.ts';
import { auditLogOptions, auditMemberOptions, auditOptions, auditWebhookOptions } from './tables/audit.ts';
import { authenticationOptions } from './tables/authentication.ts';
import { authorizationOptions } from './tables/authorization.ts';
import { controllerOptions } from './tables/controller.ts';
import { dialectNameOptions, dialectOptions } from './tables/dialect.ts';
import { loggingOptions } from './tables/logging.ts';
import { observationOptions } from './tables/observation.ts';
import { programOptions } from './tables/program.ts';
import { servingOptions } from './tables/serving.ts';
import { signingOptions } from './tables/signing.ts';
import { storageOptions } from './tables/storage.ts';
import { versionOptions } from './tables/version.ts';

export interface OptionGroup {
  /** In the help of the command. */
  readonly name: string;
  readonly options: OptionTable;
  /** The option whose members these are, such as `audit.log`. */
  readonly memberOf?: string;
}

export const optionGroups: readonly OptionGroup[] = [
  { name: 'Storage', options: storageOptions },
  { name: 'Serving', options: servingOptions },
  { name: 'API', options: apiOptions },
  { name: 'Controllers', options: controllerOptions },
  { name: 'API', options: versionOptions },
  { name: 'Authentication', options: authenticationOptions },
  { name: 'Authorization', options: authorizationOptions },
  { name: 'Admission', options: admissionOptions },
  { name: 'Aggregation', options: aggregationOptions },
  { name: 'Audit', options: auditOptions },
  { name: 'Audit', options: auditMemberOptions, memberOf: 'audit' },
  { name: 'Audit', options: auditLogOptions, memberOf: 'audit.log' },
  { name: 'Audit', options: auditWebhookOptions, memberOf: 'audit.webhook' },
  { name: 'Certificates', options: signingOptions },
  { name: 'Dialect', options: dialectOptions },
  { name: 'Dialect', options: dialectNameOptions, memberOf: 'dialectNames' },
  { name: 'Observation', options: observationOptions },
  { name: 'Logging', options: loggingOptions },
  { name: 'Program', options: programOptions },
];

export const serverOptions = {
  ...storageOptions,
  ...servingOptions,
  ...apiOptions,
  ...controllerOptions,
  ...versionOptions,
  ...authenticationOptions,
  ...authorizationOptions,
  ...admissionOptions,
  ...aggregationOptions,
  ...auditOptions,
  ...signingOptions,
  ...dialectOptions,
  ...observationOptions,
  ...loggingOptions,
  ...programOptions,
};

/** Options as programs give them; `scripts/build.mjs` writes them out for the package, with the help of each. */
export interface ServerOptions extends OptionsOf<typeof serverOptions> {}

/** Options with those defaults that do not depend on other options. */
export interface ResolvedOptions extends CompleteOptions<typeof serverOptions> {}
