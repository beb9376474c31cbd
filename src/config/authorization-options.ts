// Options of authorization, resolved: the authorizers in order, and the settings of webhooks.

import { type AbacPolicy, parsePolicies } from '../authz/abac.ts';
import { type AuthorizerSettings, webhookType } from '../authz/check-configuration.ts';
import type { Dialect } from '../meta/dialect.ts';
import { OptionError } from './option-error.ts';
import { readOptionFile } from './option-file.ts';
import type { ResolvedOptions, ServerOptions } from './server-options.ts';

export const authorizationModes = ['Node', 'RBAC', 'ABAC', 'Webhook', 'AlwaysAllow', 'AlwaysDeny'] as const;
export type AuthorizationMode = (typeof authorizationModes)[number];

export interface AuthorizationConfig {
  readonly authorizers:
    | { readonly from: 'options'; readonly settings: readonly AuthorizerSettings[] }
    | { readonly from: 'file'; readonly file: string };
  /** The policies of ABAC; undefined without a policy file. */
  readonly policies: readonly AbacPolicy[] | undefined;
}

/** `given` are the options without their defaults. */
export function resolveAuthorization(
  options: ResolvedOptions,
  given: ServerOptions,
  dialect: Dialect,
): AuthorizationConfig {
  const { authorizationConfig: file, authorizationPolicyFile: policyFile } = options;
  if (file !== undefined) {
    refuseBesidesFile(given);
    return { authorizers: { from: 'file', file }, policies: readPolicies(policyFile, dialect) };
  }
  const modes = resolveModes(options.authorizationModes);
  if (modes.includes('ABAC') !== (policyFile !== undefined))
    throw new OptionError(
      policyFile === undefined
        ? 'authorizationModes: ABAC needs authorizationPolicyFile as well'
        : 'authorizationPolicyFile: only the mode ABAC has policies',
    );
  if (options.authorizationWebhookConfigFile !== undefined && !modes.includes(webhookType))
    throw new OptionError('authorizationWebhookConfigFile: only the mode Webhook asks a webhook');
  return {
    authorizers: { from: 'options', settings: modes.map((mode) => settingsOf(mode, options)) },
    policies: readPolicies(policyFile, dialect),
  };
}

const contradictions = [
  'authorizationModes',
  'authorizationWebhookConfigFile',
  'authorizationWebhookVersion',
  'authorizationWebhookCacheAuthorizedSeconds',
  'authorizationWebhookCacheUnauthorizedSeconds',
] as const;

function refuseBesidesFile(options: ServerOptions): void {
  const conflictingOption = contradictions.find((name) => options[name] !== undefined);
  if (conflictingOption !== undefined)
    throw new OptionError(`authorizationConfig: cannot be used together with ${conflictingOption}`);
}

function resolveModes(modes: readonly AuthorizationMode[]): readonly AuthorizationMode[] {
  if (modes.length === 0) throw new OptionError('authorizationModes: at least one is needed');
  const unknown = modes.find((mode) => !authorizationModes.includes(mode));
  if (unknown !== undefined) throw new OptionError(`authorizationModes: ${JSON.stringify(unknown)} is not a mode`);
  const twice = modes.find((mode, index) => modes.indexOf(mode) !== index);
  if (twice !== undefined) throw new OptionError(`authorizationModes: ${twice} is named twice`);
  return modes;
}

/** What the options about a webhook say, in the terms of a configuration file. */
function settingsOf(type: AuthorizationMode, options: ResolvedOptions): AuthorizerSettings {
  if (type !== webhookType) return { type, name: type.toLowerCase() };
  const {
    authorizationWebhookConfigFile: file,
    authorizationWebhookVersion: version,
    authorizationWebhookCacheAuthorizedSeconds: authorized,
    authorizationWebhookCacheUnauthorizedSeconds: unauthorized,
  } = options;
  if (file === undefined)
    throw new OptionError('authorizationModes: Webhook needs authorizationWebhookConfigFile as well');
  return {
    type,
    name: 'default',
    webhook: {
      ...{ file, version, timeoutMs: 30_000, conditions: [] },
      failurePolicy: 'NoOpinion',
      authorizedMs: authorized * 1000,
      unauthorizedMs: unauthorized * 1000,
    },
  };
}

function readPolicies(path: string | undefined, dialect: Dialect): readonly AbacPolicy[] | undefined {
  if (path === undefined) return undefined;
  try {
    return parsePolicies(readOptionFile('authorizationPolicyFile', path).toString(), dialect);
  } catch (error) {
    throw error instanceof OptionError
      ? error
      : new OptionError(`authorizationPolicyFile: ${(error as Error).message}`);
  }
}
