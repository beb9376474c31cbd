// What becomes of a request after the call of a webhook: it goes on, or it fails in the words that clients know.

import { internalError } from '../../meta/status.ts';
import type { AdmissionEngines, WebhookReport } from '../engines.ts';
import type { AdmissionRequest } from '../plugin.ts';
import { throwIfEnded } from '../request-end.ts';
import { beginStep, type TraceHeaders } from './webhook-notes.ts';
import type { Hook } from './webhook-source.ts';
import { CallingWebhookError, WebhookDenial } from './webhook-verdict.ts';

interface CallSite {
  readonly hook: Hook;
  readonly request: AdmissionRequest;
  readonly type: WebhookReport['type'];
  readonly engines: Pick<AdmissionEngines, 'webhooks'>;
  /** Called where the request goes on although the call failed. */
  onFailedOpen(): void;
}

/** What `call` gives; undefined where it failed and that does not matter. */
export async function settleCall<T>(
  site: CallSite,
  call: (traceHeaders: TraceHeaders) => Promise<T>,
): Promise<T | undefined> {
  const began = performance.now();
  site.request.stay?.();
  const step = beginStep(site);
  const report = (more: Pick<WebhookReport, 'code' | 'rejectedBy' | 'failedOpen'>) => {
    const seconds = (performance.now() - began) / 1000;
    site.request.waitedElsewhere?.(seconds);
    site.engines.webhooks.onCall({
      ...{ name: site.hook.name, type: site.type, operation: site.request.operation },
      seconds,
      ...more,
    });
  };
  try {
    const result = await call(step?.headers ?? site.request.traceHeaders ?? {});
    report({ code: 200 });
    step?.allowed(result);
    return result;
  } catch (error) {
    step?.failed(error);
    return failed(site, error, report);
  }
}

function failed(
  site: CallSite,
  error: unknown,
  report: (more: Pick<WebhookReport, 'code' | 'rejectedBy' | 'failedOpen'>) => void,
): undefined {
  if (error instanceof CallingWebhookError) return failedCall(site, error, report);
  const isDenial = error instanceof WebhookDenial;
  report({ code: isDenial ? error.code : 0, rejectedBy: isDenial ? 'no_error' : 'apiserver_internal_error' });
  throw isDenial ? error.error : error;
}

function failedCall(
  site: CallSite,
  error: CallingWebhookError,
  report: (more: Pick<WebhookReport, 'code' | 'rejectedBy' | 'failedOpen'>) => void,
): undefined {
  const { hook, request, engines } = site;
  const { code, isCanceled } = error;
  const isIgnored = hook.webhook.failurePolicy === 'Ignore';
  // a request that is over says nothing about the webhook
  if (!isIgnored) report(isCanceled ? { code } : { code, rejectedBy: 'calling_webhook_error' });
  else report(isCanceled ? { code } : { code, failedOpen: true });
  engines.webhooks.notice(
    { webhook: hook.name, configuration: hook.configuration, why: error.forLog },
    isIgnored ? 'a webhook could not be called; the request goes on' : 'a webhook could not be called',
  );
  if (!isIgnored) throw internalError(error.message);
  if (!isCanceled) site.onFailedOpen();
  throwIfEnded(request);
  return undefined;
}
