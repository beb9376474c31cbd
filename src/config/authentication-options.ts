// Options of authentication, resolved: files read, defaults filled in, contradictions refused.

import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type SigningKey, signingKey, type VerificationKey, verificationKey } from '../authn/jwt.ts';
import { parseTokenFile, type StaticTokens } from '../authn/static-tokens.ts';
import { type Certificate, readCertificate } from '../codec/certificate.ts';
import type { Dialect } from '../meta/dialect.ts';
import {
  type FrontProxyConfig,
  type RequestHeaderOptions,
  resolveFrontProxy,
  resolveRequestHeader,
} from './front-proxy-options.ts';
import { type IssuersConfig, resolveIssuers } from './issuer-options.ts';
import { OptionError } from './option-error.ts';
import type { ResolvedOptions, ServerOptions } from './server-options.ts';
import { resolveTokenWebhook, type TokenWebhookConfig } from './token-webhook-options.ts';

export interface AuthenticationConfig {
  readonly anonymous: boolean;
  /** Whether `anonymous` is false only because AlwaysAllow is among the authorizers. */
  readonly isAnonymousReset: boolean;
  /** Whether `anonymous` was set explicitly. */
  readonly isAnonymousGiven: boolean;
  readonly clientCaFile: string | undefined;
  readonly staticTokens: StaticTokens | undefined;
  readonly bootstrapTokens: boolean;
  /** Other issuers whose tokens are trusted. */
  readonly tokenIssuers: IssuersConfig;
  readonly tokenWebhook: TokenWebhookConfig | undefined;
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  /** Undefined: made by the server. */
  readonly signingKey: SigningKey | undefined;
  /** Signs the tokens in Secrets; undefined: the same as the others. */
  readonly secretsKey: SigningKey | undefined;
  readonly keys: readonly VerificationKey[];
  readonly lookup: boolean;
  readonly maxTokenSeconds: number | undefined;
  readonly extendPodTokens: boolean;
  readonly jwksUri: string | undefined;
  /** What the server shows to aggregated API servers. */
  readonly frontProxy: FrontProxyConfig;
  /** Undefined where no proxy is trusted. */
  readonly requestHeader: RequestHeaderOptions | undefined;
}

/** What others have decided already. */
interface Context {
  /** Without the defaults. */
  readonly given: ServerOptions;
  readonly dialect: Dialect;
  readonly allowsEverything: boolean;
  readonly tlsKeyFile: string | undefined;
}

export function resolveAuthentication(options: ResolvedOptions, context: Context): AuthenticationConfig {
  const { serviceAccountIssuers: issuers = [`https://${context.dialect.vendor}.default.svc`] } = options;
  return {
    // under AlwaysAllow a caller without credentials could read Secrets
    anonymous: options.anonymousAuth && !context.allowsEverything,
    isAnonymousReset: options.anonymousAuth && context.allowsEverything,
    isAnonymousGiven: context.given.anonymousAuth !== undefined,
    clientCaFile: checkCertificates('clientCaFile', options.clientCaFile),
    staticTokens: readTokens(options.tokenAuthFile),
    bootstrapTokens: options.enableBootstrapTokenAuth,
    tokenIssuers: resolveIssuers(options, context.given, { dialect: context.dialect, ownIssuers: issuers }),
    tokenWebhook: resolveTokenWebhook(options),
    issuers: checkIssuers(issuers),
    audiences: options.apiAudiences ?? issuers,
    signingKey: readSigningKey('serviceAccountSigningKeyFile', options.serviceAccountSigningKeyFile),
    secretsKey: readSigningKey('serviceAccountPrivateKeyFile', options.serviceAccountPrivateKeyFile),
    keys: readKeys(options.serviceAccountKeyFiles, context.tlsKeyFile),
    lookup: options.serviceAccountLookup,
    maxTokenSeconds: options.serviceAccountMaxTokenExpirationSeconds,
    extendPodTokens: options.serviceAccountExtendTokenExpiration ?? context.dialect.rules.podTokens === 'extended',
    jwksUri: options.serviceAccountJwksUri,
    frontProxy: resolveFrontProxy(options),
    requestHeader: resolveRequestHeader(options, checkCertificates),
  };
}

function checkIssuers(issuers: readonly string[]): readonly string[] {
  if (issuers.length === 0) throw new OptionError('serviceAccountIssuers: at least one is needed');
  const bad = issuers.find((issuer) => issuer === '' || (issuer.includes(':') && !URL.canParse(issuer)));
  if (bad !== undefined) throw new OptionError(`serviceAccountIssuers: ${JSON.stringify(bad)} is not a URL`);
  return issuers;
}

/** The content of a file that an option names, put to some use. */
function fromFile<T>(option: string, path: string, use: (text: string) => T): T {
  try {
    return use(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new OptionError(`${option}: ${path}: ${(error as Error).message}`);
  }
}

const readTokens = (path: string | undefined) =>
  path === undefined ? undefined : fromFile('tokenAuthFile', path, parseTokenFile);

const readSigningKey = (option: string, path: string | undefined) =>
  path === undefined ? undefined : fromFile(option, path, (text) => signingKey(createPrivateKey(text)));

/** Without their own keys, tokens may be signed with the serving key. */
function readKeys(files: readonly string[] | undefined, tlsKeyFile: string | undefined): readonly VerificationKey[] {
  const all = files ?? (tlsKeyFile === undefined ? [] : [tlsKeyFile]);
  const option = files === undefined ? 'tlsPrivateKeyFile' : 'serviceAccountKeyFiles';
  return all.flatMap((path) =>
    fromFile(option, path, (text) => blocksOf(text).map((block) => verificationKey(anyKey(block)))),
  );
}

/** Public keys, certificates and private keys all have a public half. */
const anyKey = (pem: string): KeyObject => createPublicKey(pem);

/** The blocks of a PEM file; an error if it has none. */
export function blocksOf(text: string): string[] {
  const blocks = text.match(/-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g) ?? [];
  if (blocks.length === 0) throw new Error('the file has no PEM block');
  return blocks.filter((block) => !block.startsWith('-----BEGIN EC PARAMETERS'));
}

/** Refuses a file of CAs that cannot be read at start; afterwards it may change. */
function checkCertificates(option: string, path: string | undefined): string | undefined {
  if (path !== undefined) fromFile(option, path, parseCertificates);
  return path;
}

export const parseCertificates = (text: string): Certificate[] =>
  blocksOf(text).map((block) => readCertificate(new X509Certificate(block).raw));
