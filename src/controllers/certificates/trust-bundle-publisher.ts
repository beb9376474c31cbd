// Publishes the CA of the server as a ClusterTrustBundle, and removes those of the CAs before it.

import { createHash } from 'node:crypto';
import { isConflict, isNotFound } from '../../client/client.ts';
import { apiserverWord, groupName, labelKey } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { only, pathOf, type StoredResource } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';

const plural = 'clustertrustbundles';
/** How often the CA is looked at: no event tells that it was renewed. */
const lookMs = 5 * 60_000;

interface TrustBundle extends ApiObject {
  readonly spec?: { readonly signerName?: string; readonly trustBundle?: string };
}

/** `rootCa` gives the PEM of the CA. */
export function trustBundlePublisher(context: ControllerContext, rootCa: () => string): Controller {
  const { dialect, kinds } = context;
  const group = groupName(dialect, 'certificates');
  const signerName = labelKey(dialect, `${apiserverWord(dialect)}-serving`);
  const queue = context.queue({
    name: 'ca_cert_publisher_cluster_trust_bundles',
    async work() {
      const resource = kinds.byPlural(group, plural);
      return resource === undefined ? 'done' : publish(context, resource, { signerName, trustBundle: rootCa() });
    },
  });
  context.feed.subscribe({
    wants: only(group, plural),
    onChange: ({ name }) => name.startsWith(prefixOf(signerName)) && queue.add(plural),
    onSynced: () => queue.add(plural),
  });
  return { close: () => queue.close() };
}

const prefixOf = (signerName: string) => `${signerName.replaceAll('/', ':')}:`;

/** Named after its content, so that a new one does not replace one that is in use. */
function bundleName(signerName: string, trustBundle: string): string {
  return `${prefixOf(signerName)}${createHash('sha256').update(trustBundle).digest('hex').slice(0, 24)}`;
}

async function publish(
  { client }: ControllerContext,
  resource: StoredResource,
  spec: { readonly signerName: string; readonly trustBundle: string },
): Promise<WorkOutcome> {
  const name = bundleName(spec.signerName, spec.trustBundle);
  const path = (of = '') => pathOf(resource, { namespace: '', name: of });
  const selector = encodeURIComponent(`spec.signerName=${spec.signerName}`);
  const { items } = await client.list(`${path()}?fieldSelector=${selector}`);
  const bundles = items as readonly TrustBundle[];
  const kept = bundles.find(({ metadata }) => metadata.name === name);
  try {
    if (kept === undefined) await client.create(path(), { metadata: { name }, spec });
    else if (kept.spec?.trustBundle !== spec.trustBundle) await client.replace(path(name), { ...kept, spec });
    for (const { metadata } of bundles) if (metadata.name !== name) await client.delete(path(metadata.name));
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return 'again';
    throw error;
  }
  return lookMs;
}
