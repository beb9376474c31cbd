// The admission chain of a configuration, connected to what the server stores and decides.

import { pluginsIn } from '../../admission/catalog.ts';
import { AdmissionChain, type AdmissionObserver, type AdmissionStep } from '../../admission/chain.ts';
import type { AdmissionEngines, PluginSettings, WebhookEngines } from '../../admission/engines.ts';
import type { AdmissionPlugin } from '../../admission/plugin.ts';
import { podCertificateSigning } from '../../admission/plugins/certificate-rights.ts';
import { claimStatusRights } from '../../admission/plugins/claim-status-rights.ts';
import { deviceAdminAccess } from '../../admission/plugins/device-admin-access.ts';
import { grantedRights } from '../../admission/plugins/granted-rights.ts';
import { requiredReadings } from '../../admission/plugins/required-readings.ts';
import { reservedNames } from '../../admission/plugins/reserved-names.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { AdmissionConfig } from '../../config/admission-options.ts';
import type { FeatureGates } from '../../config/feature-gates.ts';
import type { Log } from '../../config/options.ts';
import type { Dialect } from '../../meta/dialect.ts';
import type { AdmissionMetrics } from '../../metrics/admission-metrics.ts';
import type { ManifestMetrics } from '../../metrics/manifest-metrics.ts';
import type { PodSecurityMetrics } from '../../metrics/pod-security-metrics.ts';
import type { PolicyMetrics } from '../../metrics/policy-metrics.ts';
import { ObjectLookup } from '../../registry/object-lookup.ts';
import type { Resources } from '../../registry/resources.ts';
import type { ObjectAccess } from '../../schema/object-access.ts';
import type { Authorization } from '../auth/authorization.ts';
import { Followers, objectEngines } from './admission-engines.ts';
import { AdmissionManifests } from './admission-manifests.ts';

interface AdmissionParts {
  readonly config: AdmissionConfig;
  readonly settings: PluginSettings;
  readonly gates: FeatureGates;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly resources: Resources;
  readonly objects: ObjectAccess;
  readonly authorization: Authorization;
  readonly metrics: AdmissionMetrics;
  /** Told of each step, next to metrics. */
  readonly onStep: (step: AdmissionStep, rejected: boolean, seconds: number) => void;
  readonly policyMetrics: PolicyMetrics;
  readonly podSecurityMetrics: PodSecurityMetrics;
  readonly manifestMetrics: ManifestMetrics;
  readonly log: Log;
  readonly webhooks: WebhookEngines;
}

export interface Admission {
  readonly chain: AdmissionChain;
  /** For trials of policies. */
  readonly engines: AdmissionEngines;
  /** Resolves when plugins know what users configured. */
  start(): Promise<void>;
  close(): void;
}

export function createAdmission(parts: AdmissionParts): Admission {
  const { config, dialect, clock, resources, objects } = parts;
  const followers = new Followers(resources, clock);
  const { manifestFolders: folders } = parts.settings;
  const { log, manifestMetrics } = parts;
  const manifests = new AdmissionManifests({ folders, engines: () => engines, clock, log, metrics: manifestMetrics });
  const engines: AdmissionEngines = {
    ...{ dialect, clock, settings: parts.settings, gates: parts.gates },
    access: parts.authorization.access,
    objects: new ObjectLookup(resources),
    create: objects.create,
    update: objects.update,
    ...objectEngines(resources),
    follow: followers.follow,
    onPolicyCheck: (check) => parts.policyMetrics.observe(check),
    onPodSecurity: (check) => parts.podSecurityMetrics.observe(check),
    onConditions: (report) => parts.metrics.conditions(report),
    webhooks: parts.webhooks,
    manifests,
  };
  const chosen = pluginsIn(engines.dialect).filter(({ name }) => config.plugins.has(name));
  const plugins = chosen.map(({ create }) => create(engines));
  const all = [...rulesOf(engines, parts.gates), ...plugins, ...rightsOf(parts, engines)];
  return {
    chain: new AdmissionChain(all, observerOf(parts)),
    engines,
    async start() {
      await Promise.all([manifests.start(), followers.start()]);
    },
    close() {
      manifests.close();
      followers.close();
    },
  };
}

function observerOf({ metrics, onStep }: AdmissionParts): AdmissionObserver {
  return {
    plugin: (name, type, operation) => metrics.plugin(name, type, operation),
    step(step) {
      const measure = metrics.step(step);
      return (rejected, seconds) => {
        measure(rejected, seconds);
        onStep(step, rejected, seconds);
      };
    },
  };
}

/** Rules of kinds that need to know more than the object; no option turns them off. */
const rulesOf = (engines: AdmissionEngines, gates: FeatureGates): readonly AdmissionPlugin[] => [
  deviceAdminAccess(engines),
  ...(gates.DRAResourceClaimGranularStatusAuthorization ? [claimStatusRights(engines)] : []),
  podCertificateSigning(engines),
  reservedNames(engines),
];

/** The plugins that no option turns off. */
function rightsOf(
  { objects, authorization: { checkGrant } }: AdmissionParts,
  engines: AdmissionEngines,
): readonly AdmissionPlugin[] {
  const readings = requiredReadings({ ...engines, objects });
  return checkGrant === undefined ? [readings] : [readings, grantedRights(checkGrant)];
}
