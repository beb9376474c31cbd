// What an extension API server asks of the cluster that it stands behind: whose certificates to trust, who a token
// belongs to, and what a user may do.

import type { AuthorizationModule } from '../authz/authorizer.ts';
import { webhookModule } from '../authz/webhook/webhook-module.ts';
import { JsonFields } from '../base/json/json-fields.ts';
import { type AuthenticationTrust, authenticationTrustRef, readTrust } from '../bootstrap/authentication-trust.ts';
import type { Client } from '../client/client.ts';
import { Informer } from '../client/informer.ts';
import type { Review } from '../client/webhook.ts';
import { delegationMs } from '../config/extension-options.ts';
import type { ServerConfig } from '../config/options.ts';
import type { ApiObject } from '../meta/object.ts';
import { AuthorizationMetrics } from '../metrics/authorization-metrics.ts';
import { Authorizers } from './auth/authorizers.ts';
import { ownLabels } from './own/own-labels.ts';
import type { WebhookClients } from './webhook-clients.ts';

export class ClusterLink {
  readonly #config: ServerConfig;
  readonly #cluster: Client;
  readonly #informer: Informer;
  #trust: AuthenticationTrust | undefined;
  /** Called when the cluster has published something else; throws for what cannot be used. */
  onTrust: (trust: AuthenticationTrust) => void = () => {};

  constructor(config: ServerConfig, cluster: Client) {
    this.#config = config;
    this.#cluster = cluster;
    const { clock, dialect, log } = config;
    const { namespace, name } = authenticationTrustRef(dialect);
    this.#informer = new Informer({
      ...{ client: cluster, clock },
      path: `/api/v1/namespaces/${namespace}/configmaps?fieldSelector=metadata.name%3D${name}`,
      onChange: (object) => this.#follow(object),
      onError: (error) => log.warn({ err: error }, 'the CAs that the cluster trusts could not be read'),
    });
  }

  /** What the cluster has published; undefined until it was read. */
  get trust(): AuthenticationTrust | undefined {
    return this.#trust;
  }

  start(): void {
    this.#informer.start();
  }

  close(): Promise<void> {
    return this.#informer.close();
  }

  /** Rights and tokens, asked of the cluster. */
  webhookClients(): WebhookClients {
    const { clock, log } = this.#config;
    const metrics = new AuthorizationMetrics(ownLabels(this.#config.dialect));
    const access = webhookModule({
      ...{ clock, dialect: this.#config.dialect, version: 'v1', failurePolicy: 'Deny' },
      ...{ authorizedMs: delegationMs, unauthorizedMs: delegationMs },
      webhook: { ask: (review) => this.#ask('subjectaccessreviews', review) },
      onError: (error) => log.warn({ err: error }, 'the cluster does not say what a user may do'),
      onFailOpen: (result) => metrics.failedOpen(authorizerName, result),
    });
    return {
      authorizers: Authorizers.delegating({ health: healthPaths, cluster: access }),
      authorizationMetrics: metrics,
      tokenWebhook: { webhook: { ask: (review) => this.#askAboutToken(review) }, close() {} },
      close() {},
    };
  }

  /** A review that is created is answered at once. */
  async #ask(plural: string, review: Review): Promise<JsonFields> {
    return JsonFields.of(await this.#cluster.create(`/apis/${review.apiVersion}/${plural}`, review), '');
  }

  /** The cluster decides which audiences a token is for: its own audiences are not known here. */
  async #askAboutToken({ kind, apiVersion, ...review }: Review & { readonly spec?: object }): Promise<JsonFields> {
    const { audiences: _, ...spec } = (review.spec ?? {}) as { readonly audiences?: unknown };
    const path = `/apis/${apiVersion}/tokenreviews`;
    const answer = (await this.#cluster.create(path, { kind, apiVersion, ...review, spec })) as unknown;
    const { audiences: __, ...status } = (answer as { status?: { audiences?: unknown } }).status ?? {};
    return JsonFields.of({ status }, '');
  }

  /** What cannot be used leaves everything as it is. */
  #follow(object: ApiObject): void {
    const { log } = this.#config;
    try {
      const trust = readTrust((object as { readonly data?: Readonly<Record<string, string>> }).data ?? {});
      this.onTrust(trust);
      this.#trust = trust;
    } catch (error) {
      log.warn({ err: error }, 'what the cluster says of trust cannot be used, and what it said before stays');
    }
  }
}

const authorizerName = 'cluster';

/** Whether a server is there is nothing to hide, and has to be known also when the cluster gives no answer. */
const openPaths = ['/healthz', '/livez', '/readyz'];

const healthPaths: AuthorizationModule = {
  authorize: ({ isResource, path, verb }) =>
    !isResource && verb === 'get' && openPaths.includes(path) ? { kind: 'allow' } : { kind: 'noOpinion', reason: '' },
  rules: () => ({ rules: [], incomplete: false, errors: [] }),
};
