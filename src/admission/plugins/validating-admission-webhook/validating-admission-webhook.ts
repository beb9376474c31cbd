// ValidatingAdmissionWebhook: other servers may refuse what is about to be stored. All that want to see a request are asked at once.

import { setMaxListeners } from 'node:events';
import { apiGroup } from '../../../meta/dialect.ts';
import { hostCredentials } from '../../../webhooks/webhook-credentials.ts';
import type { AdmissionEngines } from '../../engines.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../../plugin.ts';
import { callWebhook } from '../../webhooks/call-webhook.ts';
import { settleCall } from '../../webhooks/settle-call.ts';
import { type WantedRequest, wantedRequest } from '../../webhooks/wanted-request.ts';
import { type Hook, WebhookSource } from '../../webhooks/webhook-source.ts';

const type = 'validating';
const name = 'ValidatingAdmissionWebhook';

export function validatingAdmissionWebhook(engines: AdmissionEngines): AdmissionPlugin {
  const source = new WebhookSource(engines, 'validatingwebhookconfigurations');
  const credentialsFor = hostCredentials(engines.settings.webhookUsers[name], { ...engines, environment: process.env });
  const prefix = `failed-open.validating.webhook.${apiGroup(engines.dialect, 'admission')}/`;
  const context = { engines, credentialsFor, mutates: false };

  const call = (hook: Hook, wanted: WantedRequest, index: number, request: AdmissionRequest) =>
    settleCall(
      {
        ...{ hook, request, type, engines },
        onFailedOpen: () => request.annotate(`${prefix}round_0_index_${index}`, hook.name),
      },
      (traceHeaders) => callWebhook(hook, { ...wanted, traceHeaders }, context),
    );

  return {
    name,
    notesItself: true,
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    covers: (definition, subresource, operation) => source.hooksFor(definition, subresource, operation).length > 0,
    onCoverageChange: (changed) => source.onChange(changed),
    async validate(request) {
      const { definition, subresource, operation } = request;
      const relevant: { readonly hook: Hook; readonly wanted: WantedRequest }[] = [];
      for (const hook of source.hooksFor(definition, subresource, operation)) {
        const wanted = await wantedRequest(hook, request, engines, type);
        if (wanted !== undefined) relevant.push({ hook, wanted });
      }
      // each call listens to the end of the request
      if (relevant.length > 1) setMaxListeners(0, request.signal);
      const calls = relevant.map(({ hook, wanted }, index) => call(hook, wanted, index, request));
      const failure = (await Promise.allSettled(calls)).find(({ status }) => status === 'rejected');
      if (failure?.status === 'rejected') throw failure.reason;
    },
  };
}
