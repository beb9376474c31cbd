// Keeps the public cluster information signed by every bootstrap token that may sign, and by no other.

import { isConflict, isNotFound } from '../../client/client.ts';
import { bootstrapTokenType, clusterInfoName } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ControllerContext, ControllerFactory } from '../controller.ts';
import { mentioning, only, type StoredChange } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';
import { signed, signingToken } from './signatures.ts';

interface ConfigMap extends ApiObject {
  readonly data?: Readonly<Record<string, string>>;
}

export const bootstrapSigner: ControllerFactory = (context) => {
  const { dialect } = context;
  const isToken = tokenNames(bootstrapTokenType(dialect));
  const queue = context.queue({ name: 'bootstrap_signer_queue', work: () => sign(context) });
  const concerns = (change: StoredChange) =>
    change.resource.plural === 'secrets'
      ? change.namespace === dialect.systemNamespace && isToken(change)
      : change.namespace === dialect.publicNamespace && change.name === clusterInfoName;
  context.feed.subscribe({
    wants: only('', 'secrets', 'configmaps'),
    onChange: (change) => concerns(change) && queue.add(clusterInfoName),
  });
  return { close: () => queue.close() };
};

/** Whether a change is about a token, or about what was one. */
function tokenNames(type: string): (change: StoredChange) => boolean {
  const isToken = mentioning(`"type":${JSON.stringify(type)}`);
  const known = new Set<string>();
  return ({ name, json }) => {
    if (json !== undefined && isToken(json)) known.add(name);
    else return known.delete(name);
    return true;
  };
}

/** Looks again when the first of the tokens ends. */
async function sign(context: ControllerContext): Promise<WorkOutcome> {
  const { client, clock, dialect } = context;
  const path = `/api/v1/namespaces/${dialect.publicNamespace}/configmaps/${clusterInfoName}`;
  const information = await client.find<ConfigMap>(path);
  if (information === undefined) return 'done';
  const now = clock.now();
  const tokens = (await tokenSecrets(context)).flatMap((secret) => signingToken(secret, now) ?? []);
  const { data = {} } = information;
  const next = signed(data, tokens, dialect.rules.bootstrapSignatureKey);
  try {
    if (next !== data) await client.replace(path, { ...information, data: next });
  } catch (error) {
    if (isConflict(error)) return 'again';
    if (!isNotFound(error)) throw error;
  }
  const ends = tokens.flatMap(({ end }) => end ?? []);
  return ends.length === 0 ? 'done' : Math.min(...ends) - now;
}

async function tokenSecrets({ client, dialect }: ControllerContext): Promise<readonly ApiObject[]> {
  const selector = encodeURIComponent(`type=${bootstrapTokenType(dialect)}`);
  const path = `/api/v1/namespaces/${dialect.systemNamespace}/secrets?fieldSelector=${selector}`;
  return (await client.list(path)).items;
}
