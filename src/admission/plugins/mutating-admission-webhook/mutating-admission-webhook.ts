// MutatingAdmissionWebhook: other servers may change what is about to be stored, one after the other.

import { isSameJson } from '../../../base/json/json.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { internalError } from '../../../meta/status.ts';
import { hostCredentials } from '../../../webhooks/webhook-credentials.ts';
import type { AdmissionEngines } from '../../engines.ts';
import type { AdmissionPlugin, AdmissionRequest, Rounds } from '../../plugin.ts';
import { type CallContext, callWebhook, operationsOf } from '../../webhooks/call-webhook.ts';
import { settleCall } from '../../webhooks/settle-call.ts';
import { type WantedRequest, wantedRequest } from '../../webhooks/wanted-request.ts';
import { type Hook, WebhookSource } from '../../webhooks/webhook-source.ts';
import { CallingWebhookError } from '../../webhooks/webhook-verdict.ts';
import { MutationNotes } from './mutation-notes.ts';
import { patchedObject } from './patched-object.ts';
import { Reinvocation } from './reinvocation.ts';

const type = 'admit';
const name = 'MutatingAdmissionWebhook';

export function mutatingAdmissionWebhook(engines: AdmissionEngines): AdmissionPlugin {
  const source = new WebhookSource(engines, 'mutatingwebhookconfigurations');
  const credentialsFor = hostCredentials(engines.settings.webhookUsers[name], { ...engines, environment: process.env });
  const calls = new MutatingCalls({ engines, credentialsFor, mutates: true }, engines);
  const reinvocations = new WeakMap<Rounds, Reinvocation>();
  return {
    name,
    notesItself: true,
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    covers: (definition, subresource, operation) => source.hooksFor(definition, subresource, operation).length > 0,
    onCoverageChange: (changed) => source.onChange(changed),
    async mutate(request) {
      const { definition, subresource, operation, rounds } = request;
      const reinvocation = reinvocations.get(rounds) ?? new Reinvocation();
      reinvocations.set(rounds, reinvocation);
      reinvocation.begin(request);
      let current = request;
      for (const hook of source.hooksFor(definition, subresource, operation)) {
        const wanted = reinvocation.mayCall(hook, rounds)
          ? await wantedRequest(hook, current, engines, type)
          : undefined;
        if (wanted === undefined) continue;
        const next = await calls.call(hook, wanted);
        reinvocation.called(hook, next !== current.object, rounds);
        if (next !== current.object) current = current.withObject(next);
      }
      reinvocation.end(current.object);
      return current.object;
    },
  };
}

class MutatingCalls {
  readonly #context: CallContext;
  readonly #engines: AdmissionEngines;

  constructor(context: CallContext, engines: AdmissionEngines) {
    this.#context = context;
    this.#engines = engines;
  }

  /** The object after the webhook: the same one where it changed nothing. */
  async call(hook: Hook, wanted: WantedRequest): Promise<ApiObject | undefined> {
    const { request } = wanted;
    const engines = this.#engines;
    const notes = new MutationNotes(request, hook, engines.dialect);
    let mutated = false;
    const site = { hook, request, type, engines, onFailedOpen: () => notes.failedOpen() } as const;
    try {
      const next = await settleCall(site, (traceHeaders) => this.#changed(hook, { ...wanted, traceHeaders }, notes));
      if (next === undefined || isSameJson(next, request.object)) return request.object;
      mutated = true;
      return next;
    } finally {
      notes.called(mutated);
    }
  }

  async #changed(hook: Hook, wanted: WantedRequest, notes: MutationNotes): Promise<ApiObject | undefined> {
    const answer = await callWebhook(hook, wanted, this.#context);
    const operations = operationsOf(hook, answer);
    if (operations.length === 0) return undefined;
    checkPatchable(hook, wanted.request, answer.patchType);
    const next = await patchedObject(wanted, wanted.object as ApiObject, operations, this.#engines);
    notes.patched(operations);
    return next;
  }
}

function checkPatchable({ name: webhook }: Hook, { object, operation }: AdmissionRequest, patchType: string): void {
  if (object === undefined || operation === 'CONNECT')
    throw internalError(
      `admission webhook ${JSON.stringify(webhook)} attempted to modify the object, which is not supported for this operation`,
    );
  if (patchType !== 'JSONPatch')
    throw new CallingWebhookError(webhook, `unsupported patch type ${JSON.stringify(patchType)}`, {
      ...{ code: 400, forLog: 'unsupported patch type' },
    });
}
