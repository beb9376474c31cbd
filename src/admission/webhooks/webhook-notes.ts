// The call of a webhook in the trace of a request: its span, and its verdict.

import { isSameJson } from '../../base/json/json.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { AdmissionVerdict } from '../../meta/request-notes.ts';
import { NotedStep } from '../admission-notes.ts';
import type { WebhookReport } from '../engines.ts';
import type { AdmissionRequest } from '../plugin.ts';
import type { Hook } from './webhook-source.ts';
import { CallingWebhookError, WebhookDenial } from './webhook-verdict.ts';

export type TraceHeaders = Readonly<Record<string, string>>;

interface CallSite {
  readonly hook: Hook;
  readonly request: AdmissionRequest;
  readonly type: WebhookReport['type'];
}

/** Undefined where no trace is taken. */
export function beginStep({ hook, request, type }: CallSite): WebhookStep | undefined {
  return request.notes === undefined ? undefined : new WebhookStep(hook, request, request.notes, type);
}

class WebhookStep {
  readonly #hook: Hook;
  readonly #request: AdmissionRequest;
  readonly #step: NotedStep;
  readonly #about: Pick<AdmissionVerdict, 'plugin' | 'phase' | 'webhook'>;

  constructor(
    hook: Hook,
    request: AdmissionRequest,
    notes: NonNullable<AdmissionRequest['notes']>,
    type: WebhookReport['type'],
  ) {
    const mutates = type === 'admit';
    this.#hook = hook;
    this.#request = request;
    this.#about = {
      plugin: mutates ? 'MutatingAdmissionWebhook' : 'ValidatingAdmissionWebhook',
      phase: mutates ? 'mutating' : 'validating',
      webhook: hook.name,
    };
    const { group, version, plural } = request.definition;
    const attributes = {
      configuration: hook.configuration,
      webhook: hook.name,
      resource: [group, version, plural].filter((part) => part !== '').join('/'),
      subresource: request.subresource,
      operation: request.operation,
    };
    this.#step = new NotedStep(request, notes, `Call ${mutates ? 'mutating' : 'validating'} webhook`, attributes);
  }

  /** Of a call of the webhook. Undefined where no collector receives the trace. */
  get headers(): TraceHeaders | undefined {
    const { headers } = this.#step.span;
    return headers['traceparent'] === undefined ? undefined : headers;
  }

  /** `result` is the changed object, if the webhook may change it. */
  allowed(result: unknown): void {
    this.#step.span.event('Request completed');
    const before = this.#request.object;
    const isChanged = this.#about.phase === 'mutating' && result !== undefined && !isSameJson(result, before);
    if (isChanged) this.#step.end({ ...this.#about, outcome: 'changed' }, before, result as ApiObject);
    else this.#step.end({ ...this.#about, outcome: 'allowed' });
  }

  failed(error: unknown): void {
    const isIgnored = error instanceof CallingWebhookError && this.#hook.webhook.failurePolicy === 'Ignore';
    const outcome = error instanceof WebhookDenial ? 'refused' : isIgnored ? 'ignored' : 'failed';
    this.#step.end({ ...this.#about, outcome, reason: (error as Error).message });
  }
}
