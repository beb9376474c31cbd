// The authenticators of a configuration, connected to the keys and to the objects that tokens depend on.

import { type Authenticator, anonymous, bearerToken, inProcess, named } from '../../authn/authenticator.ts';
import { bootstrapTokens } from '../../authn/bootstrap-tokens.ts';
import { clientCertificate, refuseBadCertificate } from '../../authn/client-certificate.ts';
import { jsonWebKeys } from '../../authn/jwt.ts';
import { type RequestHeaderConfig, requestHeader } from '../../authn/request-header.ts';
import type { SecretLabelWriter } from '../../authn/service-account/token-uses.ts';
import { type CoreLookup, ServiceAccountTokens } from '../../authn/service-account/tokens.ts';
import { staticTokens } from '../../authn/static-tokens.ts';
import { checkToken, type TokenAuthenticator } from '../../authn/token-authenticator.ts';
import { tokenWebhook } from '../../authn/token-webhook.ts';
import { webSocketToken } from '../../authn/web-socket-token.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { Client } from '../../client/client.ts';
import type { AuthenticationConfig } from '../../config/authentication-options.ts';
import type { Log } from '../../config/options.ts';
import { json, type Routes } from '../../discovery/routes.ts';
import type { Dialect } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { Tokens } from '../../meta/tokens.ts';
import { AuthenticationMetrics } from '../../metrics/authentication-metrics.ts';
import type { MetricSource } from '../../metrics/metric-source.ts';
import { tokenMetrics } from '../../metrics/token-metrics.ts';
import type { ClientTrust } from '../../pki/client-trust.ts';
import { ServerKeys } from '../../pki/signing-key.ts';
import type { Resources } from '../../registry/resources.ts';
import type { ClusterLink } from '../cluster-link.ts';
import { ownLabels } from '../own/own-labels.ts';
import type { ServerHooks } from '../start/server-hooks.ts';
import type { WebhookClients } from '../webhook-clients.ts';
import { TokenIssuers } from './token-issuers.ts';

export interface Authentication {
  readonly authenticators: readonly Authenticator[];
  readonly tokens: Tokens;
  readonly metrics: AuthenticationMetrics;
  /** About uses of tokens. */
  readonly tokenMetrics: readonly MetricSource[];
  /** The token that a Secret for a service account holds. */
  tokenForSecret(secret: ApiObject, account: ApiObject): Promise<string>;
  /** Serves what others need to check service account tokens. */
  addRoutes(routes: Routes): void;
  /** Begins what goes on in the background. Throws for a configuration file that cannot be used. */
  start(): Promise<void>;
  close(): void;
}

interface AuthenticationParts {
  readonly config: AuthenticationConfig;
  readonly dataDir: string | undefined;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly resources: Resources;
  readonly trust: ClientTrust;
  readonly log: Log;
  readonly webhookClients: Pick<WebhookClients, 'tokenWebhook'>;
  /** Given where the cluster, behind whose API server this one stands, decides who a caller is. */
  readonly link?: Pick<ClusterLink, 'trust'> | undefined;
  readonly hooks: Pick<ServerHooks, 'tokens'>;
  /** Sends requests of the server itself. */
  readonly client: Pick<Client, 'merge'>;
  /** Where the server can be reached, once it listens. */
  url(): string | undefined;
}

export function createAuthentication(parts: AuthenticationParts): Authentication {
  const { config, dialect, resources, trust, clock, log } = parts;
  const { audiences } = config;
  const { secretsKey } = config;
  const others = secretsKey === undefined ? config.keys : [secretsKey, ...config.keys];
  const keys = new ServerKeys({ given: config.signingKey, others, dataDir: parts.dataDir });
  const lookup = coreLookup(resources);
  const accounts = new ServiceAccountTokens({
    ...parts,
    issuers: config.issuers,
    audiences,
    signingKey: () => keys.signing(),
    secretsKey: () => secretsKey ?? keys.signing(),
    keys: () => keys.all,
    lookup: config.lookup ? lookup : undefined,
    labelSecret: secretLabels(parts),
  });
  const metrics = new AuthenticationMetrics(dialect, ownLabels(dialect));
  const issuers = new TokenIssuers({ ...parts, metrics });
  const local: TokenAuthenticator[] = [
    ...(config.staticTokens === undefined ? [] : [staticTokens(config.staticTokens, audiences)]),
    (token, wanted) => accounts.check(token, wanted),
    ...(config.bootstrapTokens
      ? [bootstrapTokens({ ...parts, audiences, secret: systemSecret(lookup, dialect) })]
      : []),
    issuers.check,
  ];
  const authorities = [...(parts.link === undefined ? local : []), ...webhookOf(parts)];
  const own: Tokens = {
    audiences,
    maxLifetimeSeconds: config.maxTokenSeconds,
    extendPodTokens: config.extendPodTokens,
    check: (token, wanted) => checkToken(authorities, token, wanted),
    issue: (order) => accounts.issue(order),
  };
  const tokens = parts.hooks.tokens?.(own) ?? own;
  const credentialKey = `authentication.${dialect.labelDomain}/credential-id`;
  const { requestHeader: proxy } = config;
  const users = () => trust.userAuthorities;
  const proxies = () => trust.proxyAuthorities;
  return {
    tokens,
    tokenMetrics: tokenMetrics(accounts),
    authenticators: [
      named('in process', inProcess),
      ...(proxy === undefined
        ? []
        : [named('request header', requestHeader({ ...proxy, authorities: proxies, clock }))]),
      ...(parts.link === undefined
        ? []
        : [named('request header', publishedProxy(parts.link, { authorities: proxies, clock }))]),
      named(
        'x509',
        clientCertificate({
          ...{ credentialKey, authorities: users, clock },
          onShown: (seconds) => metrics.shownCertificate(seconds),
        }),
      ),
      named('bearer token', bearerToken(tokens)),
      named('websocket token', webSocketToken(tokens, dialect)),
      refuseBadCertificate(
        [{ authorities: users }, ...(proxy === undefined ? [] : [{ ...proxy, authorities: proxies }])],
        clock,
      ),
      named(
        'anonymous',
        anonymous((path) => issuers.allowsAnonymous(path)),
      ),
    ],
    metrics,
    start() {
      if (config.isAnonymousReset) log.warn({}, anonymousReset);
      return issuers.start();
    },
    close: () => issuers.close(),
    tokenForSecret({ metadata: { namespace = '', name: secret = '' } }, { metadata: { name = '', uid = '' } }) {
      return accounts.issueForSecret(namespace, { name, uid }, secret);
    },
    addRoutes: (routes) => addIssuerRoutes(routes, parts, keys),
  };
}

function secretLabels({ client, log }: AuthenticationParts): SecretLabelWriter {
  return async ({ kind, apiVersion, metadata: { namespace = '', name = '', uid } }, labels) => {
    const change = { kind, apiVersion, metadata: { namespace, name, uid, labels } };
    try {
      await client.merge(`/api/v1/namespaces/${namespace}/secrets/${name}`, change);
    } catch (error) {
      log.error(
        { namespace, name, err: error },
        'a Secret could not be labelled with the day on which its token was used',
      );
    }
  };
}

const anonymousReset =
  'AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You should use a different authorizer';

/** Proxies and headers as the cluster has published them; none before that. */
function publishedProxy(
  link: Pick<ClusterLink, 'trust'>,
  context: Pick<RequestHeaderConfig, 'authorities' | 'clock'>,
): Authenticator {
  const lower = (names: readonly string[]) => names.map((name) => name.toLowerCase());
  return (request, notes) => {
    const proxies = link.trust?.proxies;
    if (proxies === undefined) return undefined;
    const { allowedNames, usernameHeaders, uidHeaders, groupHeaders, extraPrefixes } = proxies;
    return requestHeader({
      ...context,
      allowedNames,
      usernameHeaders: lower(usernameHeaders),
      uidHeaders: lower(uidHeaders),
      groupHeaders: lower(groupHeaders),
      extraPrefixes: lower(extraPrefixes),
    })(request, notes);
  };
}

/** The webhook is asked last: it is the only one that others have to be waited for. */
function webhookOf({
  config,
  webhookClients,
  clock,
  dialect,
  log,
}: AuthenticationParts): readonly TokenAuthenticator[] {
  const { tokenWebhook: settings, audiences } = config;
  const { tokenWebhook: opened } = webhookClients;
  if (settings === undefined || opened === undefined) return [];
  const onError = (error: unknown) => log.warn({ err: error }, 'the token webhook gave no answer');
  return [tokenWebhook({ ...settings, webhook: opened.webhook, audiences, clock, dialect, onError })];
}

/** What is served for others to check tokens with, and how long they may keep it. */
function addIssuerRoutes(routes: Routes, { config, url }: AuthenticationParts, keys: ServerKeys): void {
  const [issuer = ''] = config.issuers;
  const caching = { 'cache-control': 'public, max-age=3600' };
  const jwks = '/openid/v1/jwks';
  // documents about an issuer that is no address would name nothing
  if (!issuer.startsWith('https://')) return;
  const published = async () => {
    await keys.signing();
    return keys.all;
  };
  const type = 'application/jwk-set+json';
  const headers = { ...caching, 'content-type': type };
  routes.addDocument(jwks, async () => json(jsonWebKeys(await published()), headers), type);
  const configuration = async () =>
    json(
      {
        issuer,
        jwks_uri: config.jwksUri ?? `${url() ?? issuer}${jwks}`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [
          ...new Set((await published()).flatMap(({ algorithms }) => algorithms.slice(0, 1))),
        ],
      },
      caching,
    );
  routes.addDocument('/.well-known/openid-configuration', configuration, 'application/json');
}

/** Core objects as caches have them; one that is not there is looked for once more where it would be newest. */
function coreLookup(resources: Resources): CoreLookup {
  return async (plural, ref) => {
    const registry = resources.find('', 'v1', plural)?.registry;
    if (registry === undefined) return undefined;
    const key = registry.key(ref);
    await registry.fresh({ mode: 'any' });
    const known = registry.cache.get(key);
    if (known !== undefined) return known.parse();
    await registry.fresh({ mode: 'latest' });
    return registry.cache.get(key)?.parse();
  };
}

const systemSecret =
  (lookup: CoreLookup, { systemNamespace }: Dialect) =>
  (name: string) =>
    lookup('secrets', { namespace: systemNamespace, name });
