// What is to be done about one namespace that is being deleted: empty it, say in its conditions how that goes, then let it go.

import { isConflict, isNotFound } from '../../client/client.ts';
import type { Namespace } from '../../groups/core/v1/namespace.ts';
import { formatTime } from '../../meta/time.ts';
import type { ControllerContext } from '../controller.ts';
import { conditionsAfter, type DeletionState } from './conditions.ts';
import { discover, emptyNamespace } from './content.ts';

/** How many objects are still there, `again` when it is not known, `done` when there is nothing to wait for. */
type NamespaceOutcome = 'done' | 'again' | { readonly remaining: number };

export async function reconcileNamespace(context: ControllerContext, name: string): Promise<NamespaceOutcome> {
  const { client, dialect } = context;
  const namespace = await client.find<Namespace>(pathOf(name));
  if (namespace?.metadata.deletionTimestamp === undefined) return 'done';
  if (!(namespace.spec?.finalizers ?? []).includes(dialect.vendor)) return 'done';
  const { collections, failures } = await discover(client, name);
  const state = { discoveryFailures: failures, ...(await emptyNamespace(client, collections)) };
  try {
    const updated = await updateConditions(context, namespace, state);
    if (state.remaining.length > 0)
      return { remaining: state.remaining.reduce((total, { count }) => total + count, 0) };
    if (failures.length > 0 || state.deletionFailures.length > 0) return 'again';
    await letGo(context, updated);
  } catch (error) {
    if (isConflict(error)) return 'again';
    if (!isNotFound(error)) throw error;
  }
  return 'done';
}

const pathOf = (name: string) => `/api/v1/namespaces/${name}`;

/** The namespace with conditions that are true now. */
async function updateConditions(context: ControllerContext, namespace: Namespace, state: DeletionState) {
  const { client, clock, dialect } = context;
  const now = formatTime(clock.now());
  const conditions = conditionsAfter(namespace.status?.conditions ?? [], state, { now, dialect });
  if (conditions === undefined) return namespace;
  const next = { ...namespace, status: { ...namespace.status, conditions } };
  return (await client.replace(`${pathOf(namespace.metadata.name ?? '')}/status`, next)) as Namespace;
}

async function letGo({ client, dialect }: ControllerContext, namespace: Namespace): Promise<void> {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((other) => other !== dialect.vendor);
  await client.replace(`${pathOf(namespace.metadata.name ?? '')}/finalize`, { ...namespace, spec: { finalizers } });
}
