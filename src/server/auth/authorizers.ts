// Those who are asked what callers may do, as options or a file name them; a file is read again when it changes.

import { readFileSync } from 'node:fs';
import type { AuthorizationModule } from '../../authz/authorizer.ts';
import {
  type AuthorizerSettings,
  checkConfiguration,
  type WebhookSettings,
  webhookType,
} from '../../authz/check-configuration.ts';
import { decodeAuthorizationConfiguration } from '../../authz/configuration.ts';
import { matchAll } from '../../authz/webhook/match-conditions.ts';
import { webhookModule } from '../../authz/webhook/webhook-module.ts';
import type { Clock } from '../../base/time/clock.ts';
import { openWebhook } from '../../client/webhook-file.ts';
import {
  type AuthorizationConfig,
  type AuthorizationMode,
  authorizationModes,
} from '../../config/authorization-options.ts';
import { FilePoll } from '../../config/file-poll.ts';
import { OptionError } from '../../config/option-error.ts';
import type { Log } from '../../config/options.ts';
import type { Dialect } from '../../meta/dialect.ts';
import type { AuthorizationMetrics } from '../../metrics/authorization-metrics.ts';

/** One of those who are asked. Webhooks come ready; the others are the server's own. */
export interface OpenAuthorizer {
  readonly type: AuthorizationMode;
  readonly name: string;
  readonly webhook?: { readonly module: AuthorizationModule; close(): void };
}

interface AuthorizersParts {
  readonly config: AuthorizationConfig;
  readonly metrics: AuthorizationMetrics;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly log: Log;
  readonly userAgent: string;
}

/** They need something that is made when the server starts. */
const madeAtStart: readonly AuthorizationMode[] = ['Node', 'RBAC', 'ABAC'];

export class Authorizers {
  readonly #parts: AuthorizersParts;
  readonly #required: ReadonlySet<AuthorizationMode>;
  #current: readonly OpenAuthorizer[];
  #text: string;
  #poll: FilePoll | undefined;

  private constructor(parts: AuthorizersParts, text: string, current: readonly OpenAuthorizer[]) {
    this.#parts = parts;
    this.#text = text;
    this.#current = current;
    this.#required = new Set(current.map(({ type }) => type).filter((type) => type !== webhookType));
  }

  /** Throws an OptionError when what is configured cannot be used. */
  static async open(parts: AuthorizersParts): Promise<Authorizers> {
    const { authorizers } = parts.config;
    const option = authorizers.from === 'file' ? 'authorizationConfig' : 'authorizationWebhookConfigFile';
    try {
      if (authorizers.from === 'options') return new Authorizers(parts, '', await openAll(authorizers.settings, parts));
      const text = readFileSync(authorizers.file, 'utf8');
      const opened = await openAll(await settingsIn(text, parts), parts);
      parts.metrics.configured(text);
      return new Authorizers(parts, text, opened);
    } catch (error) {
      throw new OptionError(`${option}: ${(error as Error).message}`);
    }
  }

  /** Another server decides, except about what anyone may see of this one's health. */
  static delegating(
    modules: Readonly<Record<'health' | 'cluster', AuthorizationModule>>,
  ): Pick<Authorizers, 'current' | 'follow' | 'close'> {
    const current = Object.entries(modules).map(([name, module]) => ({
      ...{ type: 'Webhook' as const, name, webhook: { module, close() {} } },
    }));
    return { current, follow() {}, close() {} };
  }

  get current(): readonly OpenAuthorizer[] {
    return this.#current;
  }

  /** Tells of every change of the file, until closed. */
  follow(onChange: (next: readonly OpenAuthorizer[]) => void): void {
    const { config, clock } = this.#parts;
    if (config.authorizers.from !== 'file') return;
    const { file } = config.authorizers;
    this.#poll = new FilePoll(clock, () => this.#reload(file, onChange));
  }

  close(): void {
    this.#poll?.stop();
    closeAll(this.#current);
  }

  /** Content that cannot be used leaves everything as it is. */
  async #reload(file: string, onChange: (next: readonly OpenAuthorizer[]) => void): Promise<void> {
    const { metrics, clock, log } = this.#parts;
    try {
      const text = readFileSync(file, 'utf8');
      if (text === this.#text) return;
      this.#text = text;
      const settings = await settingsIn(text, this.#parts);
      this.#checkTypes(settings);
      const next = await openAll(settings, this.#parts);
      const before = this.#current;
      this.#current = next;
      onChange(next);
      closeAll(before);
      metrics.reloaded('success', clock.now());
      metrics.configured(text);
      log.info({ file }, 'the authorizers were configured again');
    } catch (error) {
      metrics.reloaded('failure', clock.now());
      log.error({ file, err: error }, 'the authorizers could not be configured again, the old ones stay');
    }
  }

  /** What runs next to the authorizers is made once: their types stay. */
  #checkTypes(settings: readonly AuthorizerSettings[]): void {
    const types = settings.map(({ type }) => type as AuthorizationMode);
    const missing = [...this.#required].filter((type) => !types.includes(type)).sort();
    if (missing.length > 0) throw new Error(`missing required types: [${missing.join(' ')}]`);
    const late = types.find((type) => madeAtStart.includes(type) && !this.#required.has(type));
    if (late !== undefined)
      throw new Error(`authorizer type ${late} is not allowed if it was not enabled at initial server startup`);
  }
}

/** Throws an error that lists every validation error. */
async function settingsIn(text: string, parts: AuthorizersParts): Promise<readonly AuthorizerSettings[]> {
  const configuration = await decodeAuthorizationConfiguration(Buffer.from(text), parts.dialect);
  // few servers have conditions: the language is loaded when a file may
  const { conditionCompiler } = await import('../../authz/webhook/compile-condition.ts');
  const compile = conditionCompiler(parts.dialect);
  const { authorizers, validationErrors } = checkConfiguration(configuration, { types: authorizationModes, compile });
  const wrong = [...validationErrors.map(({ field, message }) => `${field}: ${message}`)];
  if (wrong.length === 0) wrong.push(...serverErrors(authorizers, parts));
  if (wrong.length > 0) throw new Error(wrong.length === 1 ? (wrong[0] as string) : `[${wrong.join(', ')}]`);
  return authorizers;
}

/** What holds in this server beyond the rules of the format. */
function serverErrors(authorizers: readonly AuthorizerSettings[], { config }: AuthorizersParts): readonly string[] {
  const misnamed = authorizers
    .filter(({ type, name }) => type !== webhookType && name !== type.toLowerCase())
    .map(({ type, name }) => `expected name ${type.toLowerCase()} for authorizer ${type} instead of ${name}`);
  const needsPolicies = config.policies === undefined && authorizers.some(({ type }) => type === 'ABAC');
  return needsPolicies ? [...misnamed, 'the type ABAC needs authorizationPolicyFile as well'] : misnamed;
}

async function openAll(
  settings: readonly AuthorizerSettings[],
  parts: AuthorizersParts,
): Promise<readonly OpenAuthorizer[]> {
  const opened: OpenAuthorizer[] = [];
  try {
    for (const { type, name, webhook } of settings) {
      const common = { type: type as AuthorizationMode, name };
      opened.push(webhook === undefined ? common : { ...common, webhook: await openOne(name, webhook, parts) });
    }
    return opened;
  } catch (error) {
    closeAll(opened);
    throw error;
  }
}

function closeAll(authorizers: readonly OpenAuthorizer[]): void {
  for (const { webhook } of authorizers) webhook?.close();
}

async function openOne(name: string, settings: WebhookSettings, parts: AuthorizersParts) {
  const { metrics, clock, dialect, log, userAgent } = parts;
  const { file, timeoutMs, conditions } = settings;
  const { webhook, close } = await openWebhook({
    ...{ file, timeoutMs, clock, dialect, userAgent },
    onAttempt: (result, seconds) => metrics.called(name, result, seconds),
  });
  const module = webhookModule({
    ...settings,
    webhook,
    clock,
    dialect,
    ...(conditions.length === 0 ? {} : { matches: matcher(name, settings, parts) }),
    onError: (error) => log.warn({ authorizer: name, err: error }, 'an authorization webhook gave no answer'),
    onFailOpen: (result) => metrics.failedOpen(name, result),
  });
  return { module, close };
}

function matcher(
  name: string,
  { conditions }: WebhookSettings,
  { metrics, clock }: AuthorizersParts,
): NonNullable<Parameters<typeof webhookModule>[0]['matches']> {
  return async (spec) => {
    const start = clock.now();
    const outcome = await matchAll(conditions, spec);
    const result = 'error' in outcome ? 'error' : outcome.matches ? 'included' : 'excluded';
    metrics.matched({ type: webhookType, name }, result, (clock.now() - start) / 1000);
    return outcome;
  };
}
