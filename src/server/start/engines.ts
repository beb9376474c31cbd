// The engines of a server, each connected to what it needs of the others.

import { randomUUID } from 'node:crypto';
import type { PluginSettings, WebhookEngines } from '../../admission/engines.ts';
import { atEndpoints } from '../../aggregation/service-location.ts';
import { packageVersion } from '../../base/package-version.ts';
import { Deadlines } from '../../base/time/deadlines.ts';
import type { Client } from '../../client/client.ts';
import { identityHeaders } from '../../handlers/connect/passed-headers.ts';
import { maxBodyBytes } from '../../meta/body-limits.ts';
import type { ClientTrust } from '../../pki/client-trust.ts';
import type { FrontProxy } from '../../pki/front-proxy.ts';
import { ObjectLookup } from '../../registry/object-lookup.ts';
import type { Resources } from '../../registry/resources.ts';
import type { ObjectAccess, OwnRequests } from '../../schema/object-access.ts';
import type { Store } from '../../storage/store.ts';
import { atGivenAddresses } from '../../webhooks/given-addresses.ts';
import { atServiceAddress } from '../../webhooks/service-destination.ts';
import { openWebhookCaller, type WebhookCaller } from '../../webhooks/webhook-caller.ts';
import { type Admission, createAdmission } from '../admission/admission.ts';
import { type Aggregation, createAggregation } from '../aggregation.ts';
import { type Authentication, createAuthentication } from '../auth/authentication.ts';
import { type Authorization, createAuthorization } from '../auth/authorization.ts';
import type { DecisionLog } from '../auth/decision-log.ts';
import type { ClusterLink } from '../cluster-link.ts';
import { type CustomResources, createCustomResources } from '../custom-resources.ts';
import { type OwnPresence, ownServers } from '../own/own-presence.ts';
import { openResources } from '../served-resources.ts';
import type { LoggedConfig } from '../server-log.ts';
import type { WebhookClients } from '../webhook-clients.ts';
import type { EngineMetrics } from './engine-metrics.ts';
import type { ServerHooks } from './server-hooks.ts';

export interface Engines {
  readonly resources: Resources;
  readonly objects: ObjectAccess;
  readonly authorization: Authorization;
  readonly authentication: Authentication;
  readonly admission: Admission;
  /** Calls webhooks that objects name. */
  readonly webhooks: WebhookCaller;
  readonly customResources: CustomResources;
  readonly aggregation: Aggregation;
  /** The API servers of the cluster, which no connection of ours may lead to. */
  readonly own: ReturnType<typeof ownServers>;
  readonly deadlines: Deadlines;
  /** Headers that say who a caller is. */
  readonly identityHeaders: ReturnType<typeof identityHeaders>;
}

/** What only the server knows: which certificates it trusts, which webhooks it asks, and where it listens. */
export interface EngineDeps {
  readonly trust: ClientTrust;
  readonly webhookClients: WebhookClients;
  url(): string | undefined;
  readonly presence: OwnPresence;
  /** How the server shows itself to aggregated API servers. */
  readonly frontProxy: FrontProxy;
  /** How admission plugins are set up. */
  readonly plugins: PluginSettings;
  /** Given where the server stands behind another API server. */
  readonly link?: ClusterLink | undefined;
  readonly hooks: ServerHooks;
  /** What the server asks of itself. */
  readonly requests: OwnRequests;
  readonly client: Client;
}

/** Who is told what engines do. */
export interface Observers {
  readonly decisions: DecisionLog;
  readonly metrics: EngineMetrics;
}

export function createEngines(config: LoggedConfig, store: Store, deps: EngineDeps, observers: Observers): Engines {
  const { clock, dialect, log } = config;
  const { resources, objects, builtIn } = openResources(config, store, deps, observers);
  const own = ownServers(deps.presence, objects, dialect);
  const { routesToEndpoints, webhookAddresses } = config.aggregation;
  const usual = routesToEndpoints ? atEndpoints(new ObjectLookup(resources), dialect) : atServiceAddress(objects);
  const webhooks = openWebhookCaller({
    ...{ clock, own, locate: atGivenAddresses(webhookAddresses, usual) },
    onFlaw: observers.metrics.webhookCertificates.observe,
    userAgent: `keelson/${packageVersion()}`,
  });
  const customResources = createCustomResources({
    ...{ resources, builtIn, dialect, clock, log },
    caller: webhooks,
    newUid: randomUUID,
    onConversion: (call) => observers.decisions.onConversion(call),
  });
  customResources.serve(config.extension?.definitions ?? []);
  const { dataDir } = config;
  const authorization = authorizationOf(config, deps, resources);
  const authentication = createAuthentication({
    ...{ config: config.authentication, dataDir, clock, dialect, log, resources },
    ...deps,
  });
  const admission = admissionOf(config, deps, observers, { resources, objects, authorization, webhooks });
  const shared = {
    deadlines: new Deadlines(clock),
    identityHeaders: identityHeaders(config.authentication.requestHeader),
  };
  const aggregation = createAggregation({
    ...{ resources, dialect, clock, own, maxBodyBytes, ...shared },
    notice: (fields, message) => log.warn(fields, message),
    config: config.aggregation,
    identity: () => deps.frontProxy.client,
    onFlaw: observers.metrics.backendCertificates.observe,
  });
  return {
    ...{ resources, objects, own, webhooks, customResources, authorization, authentication, admission, aggregation },
    ...shared,
  };
}

function authorizationOf(config: LoggedConfig, { webhookClients }: EngineDeps, resources: Resources): Authorization {
  return createAuthorization({
    authorizers: webhookClients.authorizers,
    metrics: webhookClients.authorizationMetrics,
    policies: config.authorization.policies ?? [],
    resources,
    dialect: config.dialect,
    clock: config.clock,
    gates: config.featureGates,
  });
}

function admissionOf(
  config: LoggedConfig,
  deps: EngineDeps,
  { decisions, metrics }: Observers,
  { webhooks, ...engines }: Pick<Engines, 'resources' | 'objects' | 'authorization' | 'webhooks'>,
): Admission {
  const { dialect, clock, log } = config;
  return createAdmission({
    ...{ dialect, clock, log, ...engines },
    config: config.admission,
    settings: deps.plugins,
    gates: config.featureGates,
    metrics: metrics.admission,
    policyMetrics: metrics.policies,
    podSecurityMetrics: metrics.podSecurity,
    manifestMetrics: metrics.manifests,
    onStep: (step, rejected, seconds) => decisions.onAdmission(step, rejected, seconds),
    webhooks: calledWebhooks(config, webhooks, { decisions, metrics }),
  });
}

function calledWebhooks(
  { log }: LoggedConfig,
  caller: WebhookCaller,
  { decisions, metrics }: Observers,
): WebhookEngines {
  return {
    caller,
    newUid: randomUUID,
    onCall(report) {
      metrics.webhooks.observe(report);
      decisions.onWebhook(report);
    },
    notice: (fields, message) => log.warn(fields, message),
  };
}
