// A configuration of authorizers, checked and made ready for use. Every validation error names the field it is about.

import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { formatDuration, parseDuration } from '../meta/duration.ts';
import { duplicate, invalidValue, notSupported, required, tooMany } from '../meta/field-errors.ts';
import { checkSubdomain } from '../meta/names.ts';
import type { FieldError } from '../meta/status.ts';
import type {
  AuthorizationConfiguration,
  AuthorizerConfiguration,
  ConnectionInfo,
  WebhookConfiguration,
} from './configuration.ts';
import type { ReviewVersion } from './webhook/access-review.ts';
import type { CompileCondition, MatchCondition } from './webhook/match-conditions.ts';

/** A webhook as it is to be opened. */
export interface WebhookSettings {
  readonly file: string;
  readonly version: ReviewVersion;
  readonly timeoutMs: number;
  readonly authorizedMs: number;
  readonly unauthorizedMs: number;
  readonly failurePolicy: 'NoOpinion' | 'Deny';
  readonly conditions: readonly MatchCondition[];
}

export interface AuthorizerSettings {
  readonly type: string;
  readonly name: string;
  /** Set for webhooks, and only for them. */
  readonly webhook?: WebhookSettings;
}

interface CheckedConfiguration {
  readonly authorizers: readonly AuthorizerSettings[];
  readonly validationErrors: readonly FieldError[];
}

interface CheckContext {
  /** The types there are. */
  readonly types: readonly string[];
  readonly compile: CompileCondition;
}

export const webhookType = 'Webhook';
const maxConditions = 64;

/** Errors are in `validationErrors`; the authorizers may be used only if there are none. */
export function checkConfiguration(
  { authorizers = [] }: AuthorizationConfiguration,
  context: CheckContext,
): CheckedConfiguration {
  const checker = new Checker(context);
  const checked = authorizers.map((one, index) => checker.authorizer(one, `authorizers[${index}]`));
  if (authorizers.length === 0)
    checker.validationErrors.push(required('authorizers', 'at least one authorization mode must be defined'));
  return { authorizers: checked, validationErrors: checker.validationErrors };
}

class Checker {
  readonly validationErrors: FieldError[] = [];
  readonly #context: CheckContext;
  readonly #types = new Set<string>();
  readonly #names = new Set<string>();

  constructor(context: CheckContext) {
    this.#context = context;
  }

  authorizer({ type = '', name = '', webhook }: AuthorizerConfiguration, at: string): AuthorizerSettings {
    const wrong = this.#wrongType(type, `${at}.type`);
    if (wrong !== undefined) {
      this.validationErrors.push(wrong);
      return { type, name };
    }
    this.#types.add(type);
    this.#name(name, `${at}.name`);
    if (type !== webhookType) {
      if (webhook) this.#wrong(invalidValue(`${at}.webhook`, 'non-null', 'may only be specified when type=Webhook'));
      return { type, name };
    }
    if (webhook) return { type, name, webhook: this.#webhook(webhook, at) };
    this.#wrong(required(`${at}.webhook`, 'required when type=Webhook'));
    return { type, name };
  }

  #wrongType(type: string, at: string): FieldError | undefined {
    const { types } = this.#context;
    if (type === '') return required(at);
    if (!types.includes(type)) return notSupported(at, type, types.toSorted());
    return this.#types.has(type) && type !== webhookType ? duplicate(at, type) : undefined;
  }

  #name(name: string, at: string): void {
    const advice = checkSubdomain(name);
    if (name === '') this.#wrong(required(at));
    else if (this.#names.has(name)) this.#wrong(duplicate(at, name));
    else if (advice.length > 0) this.#wrong(invalidValue(at, name, `authorizer name is invalid: ${advice.join(', ')}`));
    this.#names.add(name);
  }

  /** compat: validation errors about a webhook name its fields as if they stood in the authorizer itself. */
  #webhook(webhook: WebhookConfiguration, at: string): WebhookSettings {
    const timeout = this.#timeout(webhook.timeout, `${at}.timeout`);
    const authorized = this.#lifetime(webhook.authorizedTTL, 300, `${at}.authorizedTTL`);
    const unauthorized = this.#lifetime(webhook.unauthorizedTTL, 30, `${at}.unauthorizedTTL`);
    const version = this.#oneOf(
      webhook.subjectAccessReviewVersion,
      ['v1', 'v1beta1'],
      `${at}.subjectAccessReviewVersion`,
    );
    this.#conditionVersion(webhook, `${at}.matchConditionSubjectAccessReviewVersion`);
    const failurePolicy = this.#oneOf(webhook.failurePolicy, ['NoOpinion', 'Deny'], `${at}.failurePolicy`);
    this.#connection(webhook.connectionInfo ?? {}, `${at}.connectionInfo`);
    return {
      file: webhook.connectionInfo?.kubeConfigFile ?? '',
      version,
      timeoutMs: timeout * 1000,
      authorizedMs: webhook.cacheAuthorizedRequests === false ? 0 : authorized * 1000,
      unauthorizedMs: webhook.cacheUnauthorizedRequests === false ? 0 : unauthorized * 1000,
      failurePolicy,
      conditions: this.#conditions(webhook, at),
    };
  }

  #timeout(text = '', at: string): number {
    const seconds = this.#duration(text, at);
    if (seconds === 0) this.#wrong(required(at));
    else if (seconds > 30 || seconds < 0)
      this.#wrong(invalidValue(at, formatDuration(seconds), 'must be > 0s and <= 30s'));
    return seconds;
  }

  /** No time at all stands for the usual one. */
  #lifetime(text = '', usual: number, at: string): number {
    const seconds = this.#duration(text, at) || usual;
    if (seconds < 0) this.#wrong(invalidValue(at, formatDuration(seconds), 'must be > 0s'));
    return seconds;
  }

  #duration(text: string, at: string): number {
    const seconds = text === '' ? 0 : parseDuration(text);
    if (seconds === undefined) this.#wrong(invalidValue(at, text, 'must be a duration such as 3s'));
    return seconds ?? 1;
  }

  #oneOf<const T extends string>(value = '', known: readonly [T, ...T[]], at: string): T {
    const match = known.find((one) => one === value);
    if (value === '') this.#wrong(required(at));
    else if (match === undefined) this.#wrong(notSupported(at, value, known));
    return match ?? known[0];
  }

  #conditionVersion(webhook: WebhookConfiguration, at: string): void {
    const { matchConditionSubjectAccessReviewVersion: version = '', matchConditions = [] } = webhook;
    if (version === '' && matchConditions.length > 0)
      this.#wrong(required(at, 'required if match conditions are specified'));
    else if (version !== '' && version !== 'v1') this.#wrong(notSupported(at, version, ['v1']));
  }

  #connection({ type = '', kubeConfigFile: file }: ConnectionInfo, at: string): void {
    // of the two types that Kubernetes knows, only one is for servers
    if (type === '') this.#wrong(required(`${at}.type`));
    else if (type !== 'KubeConfigFile') this.#wrong(notSupported(`${at}.type`, type, ['KubeConfigFile']));
    else if (!file) this.#wrong(required(`${at}.kubeConfigFile`));
    else {
      const problem = problemOf(file);
      if (problem !== undefined) this.#wrong(invalidValue(`${at}.kubeConfigFile`, file, problem));
    }
  }

  #conditions({ matchConditions = [] }: WebhookConfiguration, parent: string): readonly MatchCondition[] {
    const at = `${parent}.matchConditions`;
    if (matchConditions.length > maxConditions) {
      this.#wrong(tooMany(at, matchConditions.length, maxConditions));
      return [];
    }
    const seen = new Set<string>();
    return matchConditions.flatMap(({ expression = '' }, index) => {
      const place = `${at}[${index}].expression`;
      if (expression.trim() === '') this.#wrong(required(place));
      else if (seen.has(expression)) this.#wrong(duplicate(place, expression));
      else {
        seen.add(expression);
        return this.#condition(expression, place);
      }
      return [];
    });
  }

  #condition(expression: string, at: string): readonly MatchCondition[] {
    const compiled = this.#context.compile(expression);
    if ('condition' in compiled) return [compiled.condition];
    this.#wrong(invalidValue(at, expression, compiled.error));
    return [];
  }

  #wrong(validationError: FieldError): void {
    this.validationErrors.push(validationError);
  }
}

function problemOf(file: string): string | undefined {
  if (!isAbsolute(file)) return 'must be an absolute path';
  try {
    return statSync(file).isFile() ? undefined : 'must be a regular file';
  } catch (error) {
    return `error loading file: ${(error as Error).message}`;
  }
}
