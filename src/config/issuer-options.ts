// Options about issuers of tokens, resolved: one issuer by flags, or several by a file.

import { readFileSync } from 'node:fs';
import { type Algorithm, signatureAlgorithms } from '../authn/jwt.ts';
import { compileConfiguration, type JwtAuthenticator } from '../authn/jwt-issuers/compile.ts';
import type { JwtAuthenticatorSpec } from '../authn/jwt-issuers/configuration.ts';
import { noExpressions } from '../authn/jwt-issuers/expression.ts';
import { certificateBlocks } from '../authn/jwt-issuers/issuer-rules.ts';
import type { Dialect } from '../meta/dialect.ts';
import { OptionError } from './option-error.ts';
import type { ResolvedOptions, ServerOptions } from './server-options.ts';

export type IssuersConfig =
  | { readonly kind: 'none' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'fixed'; readonly authenticators: readonly JwtAuthenticator[] };

interface Context {
  readonly dialect: Dialect;
  readonly ownIssuers: readonly string[];
}

/** `given` are the options without their defaults. */
export function resolveIssuers(options: ResolvedOptions, given: ServerOptions, context: Context): IssuersConfig {
  const [first] = Object.entries(given).filter(([name, value]) => name.startsWith('oidc') && value !== undefined);
  const { authenticationConfig: path } = options;
  if (first === undefined) return path === undefined ? { kind: 'none' } : { kind: 'file', path };
  if (path !== undefined) throw new OptionError(`authenticationConfig: names issuers, and so does ${first[0]}`);
  const { oidcIssuerUrl: url, oidcClientId: client } = options;
  if (!url) throw new OptionError(`${client ? 'oidcClientId' : first[0]}: needs oidcIssuerUrl as well`);
  if (!client) throw new OptionError('oidcIssuerUrl: needs oidcClientId as well');
  const { authenticators, validationErrors } = compileConfiguration(
    { jwt: [specOf(options, url, client)] },
    { ...context, expressions: noExpressions, algorithms: resolveAlgorithms(options.oidcSigningAlgs) },
  );
  const [validationError] = validationErrors;
  // of what flags can say wrongly only the address is left
  if (validationError !== undefined) throw new OptionError(`oidcIssuerUrl: ${validationError.message}`);
  return { kind: 'fixed', authenticators };
}

function specOf(options: ResolvedOptions, url: string, client: string): JwtAuthenticatorSpec {
  const { oidcUsernameClaim, oidcGroupsClaim, oidcRequiredClaims = {} } = options;
  const authorities = readAuthorities(options.oidcCaFile);
  return {
    issuer: { url, audiences: [client], ...(authorities === undefined ? {} : { certificateAuthority: authorities }) },
    claimMappings: {
      username: { claim: oidcUsernameClaim, prefix: usernamePrefix(options, oidcUsernameClaim, url) },
      ...(oidcGroupsClaim ? { groups: { claim: oidcGroupsClaim, prefix: options.oidcGroupsPrefix ?? '' } } : {}),
    },
    claimValidationRules: Object.entries(oidcRequiredClaims).map(([claim, requiredValue]) => ({
      claim,
      requiredValue,
    })),
  };
}

/** Names of different issuers must not meet; addresses of people say themselves where they belong. */
function usernamePrefix({ oidcUsernamePrefix: prefix = '' }: ResolvedOptions, claim: string, url: string): string {
  if (prefix === '-') return '';
  return prefix === '' && claim !== 'email' ? `${url}#` : prefix;
}

function resolveAlgorithms(names: readonly string[]): readonly Algorithm[] {
  return names.map((name) => {
    const algorithm = signatureAlgorithms.find((one) => one === name);
    if (algorithm === undefined)
      throw new OptionError(`oidcSigningAlgs: ${JSON.stringify(name)} is not one of ${signatureAlgorithms.join(', ')}`);
    return algorithm;
  });
}

function readAuthorities(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    const pem = readFileSync(path, 'utf8');
    if (certificateBlocks(pem).length === 0) throw new Error('the file has no certificate');
    return pem;
  } catch (error) {
    throw new OptionError(`oidcCaFile: ${path}: ${(error as Error).message}`);
  }
}
