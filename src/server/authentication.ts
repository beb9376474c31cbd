// The authenticators of a configuration, connected to the keys and to the objects that tokens depend on.

import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Authenticator,
  anonymous,
  bearerToken,
  clientCertificate,
  inProcess,
  refuseBadCertificate,
} from '../authn/authenticator.ts';
import { bootstrapTokens } from '../authn/bootstrap-tokens.ts';
import { jsonWebKeys, type SigningKey, signingKey } from '../authn/jwt.ts';
import { requestHeader } from '../authn/request-header.ts';
import { type CoreLookup, ServiceAccountTokens } from '../authn/service-account/tokens.ts';
import { staticTokens } from '../authn/static-tokens.ts';
import { checkToken, type TokenAuthenticator } from '../authn/token-authenticator.ts';
import { tokenWebhook } from '../authn/token-webhook.ts';
import { webSocketToken } from '../authn/web-socket-token.ts';
import type { Clock } from '../base/clock.ts';
import { json, type Routes } from '../discovery/routes.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';
import type { Tokens } from '../meta/tokens.ts';
import type { Resources } from '../registry/resources.ts';
import { AuthenticationMetrics } from './authentication-metrics.ts';
import type { AuthenticationConfig } from './authentication-options.ts';
import type { ClientTrust } from './client-trust.ts';
import type { Log } from './options.ts';
import type { Outbound } from './outbound.ts';
import { writeAtomically } from './pki/identity.ts';
import { TokenIssuers } from './token-issuers.ts';

export interface Authentication {
  readonly authenticators: readonly Authenticator[];
  readonly tokens: Tokens;
  readonly metrics: AuthenticationMetrics;
  /** The token that a Secret for a service account holds. */
  tokenForSecret(secret: ApiObject, account: ApiObject): string;
  /** Serves what others need to check service account tokens. */
  addRoutes(routes: Routes): void;
  /** Begins what goes on in the background. */
  start(): void;
  close(): void;
}

export interface AuthenticationParts {
  readonly config: AuthenticationConfig;
  readonly dataDir: string | undefined;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly resources: Resources;
  readonly trust: ClientTrust;
  readonly log: Log;
  readonly outbound: Pick<Outbound, 'tokenWebhook'>;
  /** Where the server can be reached, once it listens. */
  url(): string | undefined;
}

export function createAuthentication(parts: AuthenticationParts): Authentication {
  const { config, dialect, resources, trust } = parts;
  const { audiences } = config;
  const key = config.signingKey ?? ownSigningKey(parts.dataDir);
  const keys = [key, ...config.keys.filter(({ id }) => id !== key.id)];
  const lookup = coreLookup(resources);
  const accounts = new ServiceAccountTokens({
    ...parts,
    issuers: config.issuers,
    audiences,
    signingKey: key,
    keys,
    lookup: config.lookup ? lookup : undefined,
  });
  const metrics = new AuthenticationMetrics(dialect);
  const issuers = new TokenIssuers({ ...parts, config: config.tokenIssuers, audiences, metrics });
  const authorities: TokenAuthenticator[] = [
    ...(config.staticTokens === undefined ? [] : [staticTokens(config.staticTokens, audiences)]),
    (token, wanted) => accounts.check(token, wanted),
    ...(config.bootstrapTokens
      ? [bootstrapTokens({ ...parts, audiences, secret: systemSecret(lookup, dialect) })]
      : []),
    issuers.check,
    ...webhookOf(parts),
  ];
  const tokens: Tokens = {
    audiences,
    maxLifetimeSeconds: config.maxTokenSeconds,
    extendPodTokens: config.extendPodTokens,
    check: (token, wanted) => checkToken(authorities, token, wanted),
    issue: (order) => accounts.issue(order),
  };
  const credentialKey = `authentication.${dialect.labelDomain}/credential-id`;
  const { requestHeader: proxy } = config;
  return {
    tokens,
    authenticators: [
      inProcess,
      ...(proxy === undefined ? [] : [requestHeader({ ...proxy, authorities: () => trust.proxyAuthorities })]),
      clientCertificate({ credentialKey, authorities: () => trust.userAuthorities }),
      bearerToken(tokens),
      webSocketToken(tokens, dialect),
      refuseBadCertificate,
      anonymous(() => config.anonymous),
    ],
    metrics,
    start: () => issuers.start(),
    close: () => issuers.close(),
    tokenForSecret({ metadata: { namespace = '', name: secret = '' } }, { metadata: { name = '', uid = '' } }) {
      return accounts.issueForSecret(namespace, { name, uid }, secret);
    },
    addRoutes: (routes) => addIssuerRoutes(routes, parts, keys),
  };
}

/** The webhook is asked last: it is the only one that others have to be waited for. */
function webhookOf({ config, outbound, clock, dialect, log }: AuthenticationParts): readonly TokenAuthenticator[] {
  const { tokenWebhook: settings, audiences } = config;
  const { tokenWebhook: opened } = outbound;
  if (settings === undefined || opened === undefined) return [];
  const onError = (error: unknown) => log.warn({ err: error }, 'the token webhook gave no answer');
  return [tokenWebhook({ ...settings, webhook: opened.webhook, audiences, clock, dialect, onError })];
}

/** What is served for others to check tokens with, and how long they may keep it. */
function addIssuerRoutes(
  routes: Routes,
  { config, url }: AuthenticationParts,
  keys: readonly SigningKey[] | Parameters<typeof jsonWebKeys>[0],
): void {
  const [issuer = ''] = config.issuers;
  const caching = { 'cache-control': 'public, max-age=3600' };
  const jwks = '/openid/v1/jwks';
  // documents about an issuer that is no address would name nothing
  if (!issuer.startsWith('https://')) return;
  routes.add(jwks, () => json(jsonWebKeys(keys), { ...caching, 'content-type': 'application/jwk-set+json' }));
  routes.add('/.well-known/openid-configuration', () =>
    json(
      {
        issuer,
        jwks_uri: config.jwksUri ?? `${url() ?? issuer}${jwks}`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [...new Set(keys.flatMap(({ algorithms }) => algorithms.slice(0, 1)))],
      },
      caching,
    ),
  );
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

/** The key in the data folder, made at first start; one in memory where there is no folder. */
function ownSigningKey(dataDir: string | undefined): SigningKey {
  if (dataDir === undefined) return signingKey(newKey());
  const folder = join(dataDir, 'pki');
  const path = join(folder, 'sa.key');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    return signingKey(createPrivateKey(readFileSync(path)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const key = newKey();
    writeAtomically(path, key.export({ type: 'pkcs8', format: 'pem' }) as string, 0o600);
    return signingKey(key);
  }
}

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
