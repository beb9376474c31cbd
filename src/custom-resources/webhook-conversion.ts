// Conversion of custom resources by a webhook, many objects at a time.

import type { JsonObject, JsonValue } from '../base/json/json.ts';
import type { Clock } from '../base/time/clock.ts';
import type { CustomResourceDefinition } from '../groups/apiextensions/v1/custom-resource-definition-type.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';
import type { RequestLife } from '../meta/request-life.ts';
import { ApiError, plainError, timeout } from '../meta/status.ts';
import type { BatchConversion } from '../schema/resource.ts';
import { mostKeys } from '../schema/types.ts';
import type { WebhookCaller } from '../webhooks/webhook-caller.ts';
import type { WebhookTarget } from '../webhooks/webhook-target.ts';
import { answeredObjects, kindText, type Review, reviewOf, reviewVersionOf } from './conversion-review.ts';
import { answerKind } from './conversion-review-type.ts';
import { acceptConverted } from './converted-object.ts';

type ConversionFailure =
  | 'conversion_webhook_call_failure'
  | 'conversion_webhook_malformed_response_failure'
  | 'conversion_webhook_partial_response_failure'
  | 'conversion_webhook_invalid_converted_object_failure';

/** Hears of each call; `failure` is undefined for one that did what it should. */
export interface ConversionObserver {
  onConversion(call: {
    readonly definition: string;
    readonly from: string;
    readonly to: string;
    readonly seconds: number;
    readonly failure: ConversionFailure | undefined;
  }): void;
}

interface ConversionDeps {
  readonly caller: WebhookCaller;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly observer: ConversionObserver;
  newUid(): string;
}

/** A webhook that takes longer is given up, however long the request may take. */
const maxTimeoutMs = 30_000;

/** Twice the largest object that a client can send: a webhook gets one object, or a quarter of a mebibyte of them, at a time. */
const maxAnswerBytes = 6 * 1024 * 1024;

class ConversionError extends Error {
  readonly failure: ConversionFailure;

  constructor(failure: ConversionFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

/** Undefined where objects of all versions have one shape. */
export function webhookConversion(
  definition: CustomResourceDefinition,
  deps: ConversionDeps,
): BatchConversion | undefined {
  const { strategy, webhook } = definition.spec?.conversion ?? {};
  if (strategy !== 'Webhook' || webhook?.clientConfig === undefined) return undefined;
  const asked = new AskedWebhook(definition, webhook, deps);
  return { convert: (objects, apiVersion, during) => asked.convert(objects, apiVersion, during) };
}

type Webhook = NonNullable<NonNullable<NonNullable<CustomResourceDefinition['spec']>['conversion']>['webhook']>;

class AskedWebhook {
  readonly #deps: ConversionDeps;
  readonly #name: string;
  readonly #target: WebhookTarget;
  readonly #versions: readonly string[];

  constructor({ metadata }: CustomResourceDefinition, webhook: Webhook, deps: ConversionDeps) {
    this.#deps = deps;
    this.#name = metadata.name ?? '';
    this.#target = targetOf(webhook);
    this.#versions = webhook.conversionReviewVersions ?? [];
  }

  async convert(
    objects: readonly ApiObject[],
    apiVersion: string,
    during?: RequestLife,
  ): Promise<readonly ApiObject[]> {
    const began = performance.now();
    const done = (failure?: ConversionFailure) => this.#tell(objects, apiVersion, began, failure);
    try {
      const converted = await this.#ask(objects, apiVersion, during);
      done();
      return converted;
    } catch (error) {
      done(error instanceof ConversionError ? error.failure : 'conversion_webhook_call_failure');
      throw error instanceof ApiError ? error : plainError((error as Error).message);
    }
  }

  async #ask(objects: readonly ApiObject[], apiVersion: string, during?: RequestLife): Promise<readonly ApiObject[]> {
    const version = reviewVersionOf(this.#versions);
    if (version === undefined) throw new Error('no supported conversion review versions');
    const group = apiGroup(this.#deps.dialect, 'apiextensions');
    const review: Review = { group, version, uid: this.#deps.newUid(), apiVersion };
    const named = webhookOf(objects[0]);
    const span = during?.notes?.begin('Call conversion webhook', {
      'custom-resource-definition': this.#name,
      'desired-api-version': apiVersion,
      'object-count': objects.length,
      UID: review.uid,
    });
    const posted = this.#post(review, reviewOf(review, objects), named, during, span?.headers);
    const answer = await posted.finally(() => span?.end());
    const converted = attempt('conversion_webhook_malformed_response_failure', () =>
      answeredObjects(review, answer, named),
    );
    if (converted.length !== objects.length) {
      const text = `${named} returned ${converted.length} objects, expected ${objects.length}`;
      throw new ConversionError('conversion_webhook_partial_response_failure', text);
    }
    return acceptAll(objects, converted, apiVersion);
  }

  async #post(
    { version }: Review,
    body: object,
    named: string,
    during?: RequestLife,
    headers?: Readonly<Record<string, string>>,
  ): Promise<JsonObject> {
    const { caller, clock, dialect } = this.#deps;
    const left = (during?.deadline ?? Number.POSITIVE_INFINITY) - clock.now();
    const timeoutMs = Math.max(0, Math.min(maxTimeoutMs, left));
    try {
      const answer = answerKind(dialect, version);
      const signal = during ? { signal: during.signal } : {};
      return await caller.post(this.#target, body, { answer, timeoutMs, maxAnswerBytes, headers, ...signal });
    } catch (error) {
      const text = `${named} failed: ${(error as Error).message}`;
      // the time of the request was up, not that of the webhook
      if (timeoutMs === left && clock.now() >= (during?.deadline ?? 0)) throw timeout(text);
      throw new ConversionError('conversion_webhook_call_failure', text);
    }
  }

  #tell(objects: readonly ApiObject[], to: string, began: number, failure: ConversionFailure | undefined): void {
    this.#deps.observer.onConversion({
      definition: this.#name,
      from: versionIn(objects[0]?.apiVersion ?? ''),
      to: versionIn(to),
      seconds: (performance.now() - began) / 1000,
      failure,
    });
  }
}

function acceptAll(
  objects: readonly ApiObject[],
  converted: readonly JsonValue[],
  apiVersion: string,
): readonly ApiObject[] {
  return converted.map((answered, index) => {
    const original = objects[index] as ApiObject;
    const failure = 'conversion_webhook_invalid_converted_object_failure';
    if (isTooWide(answered)) {
      const text = `${webhookOf(original)} returned invalid object: an object in it has more than ${mostKeys} members`;
      throw new ConversionError(failure, text);
    }
    return attempt(failure, () => acceptConverted(original, answered, { apiVersion, index }));
  });
}

/** Whether there is an object with more members than any object of a client may have. */
function isTooWide(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  // by keys: of a large object V8 takes three times as long to list values
  const keys = Object.keys(value);
  if (keys.length > mostKeys && !Array.isArray(value)) return true;
  return keys.some((key) => isTooWide((value as JsonObject)[key] as JsonValue));
}

const versionIn = (apiVersion: string) => apiVersion.slice(apiVersion.indexOf('/') + 1);

/** As errors name the webhook: by what it was to convert, also in a list. */
const webhookOf = (object: ApiObject | undefined): string =>
  `conversion webhook for ${kindText(object?.apiVersion, object?.kind)}`;

function attempt<T>(failure: ConversionFailure, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new ConversionError(failure, (error as Error).message);
  }
}

function targetOf({ clientConfig = {} }: Webhook): WebhookTarget {
  const { url, service, caBundle } = clientConfig;
  // compat: a bundle of nothing but blanks is none
  const hasBundle = caBundle !== undefined && Buffer.from(caBundle, 'base64').toString().trim() !== '';
  return {
    ...(url === undefined ? {} : { url }),
    ...(service === undefined ? {} : { service: serviceOf(service) }),
    ...(hasBundle ? { caBundle } : {}),
  };
}

type Service = NonNullable<NonNullable<Webhook['clientConfig']>['service']>;

function serviceOf({ namespace = '', name = '', path, port }: Service): NonNullable<WebhookTarget['service']> {
  return { namespace, name, ...(path === undefined ? {} : { path }), ...(port === undefined ? {} : { port }) };
}
