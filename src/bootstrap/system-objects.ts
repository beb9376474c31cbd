// Objects that every cluster starts with, created when they are missing: the priorities of system pods, and how
// requests share the server.

import { type Client, isConflict, isNotFound } from '../client/client.ts';
import { flowControlObjects } from '../groups/flowcontrol/v1/bootstrap.ts';
import { systemPriorityClasses } from '../groups/scheduling/v1/priority-class.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';

export async function createSystemObjects(client: Client, dialect: Dialect): Promise<void> {
  const collections = [...systemObjects(dialect)];
  await Promise.all(collections.map(([collection, objects]) => ensureAll(client, collection, objects)));
}

/** By the path of their collection. */
function systemObjects(dialect: Dialect): ReadonlyMap<string, readonly ApiObject[]> {
  const all = new Map<string, ApiObject[]>();
  const apiVersion = `${apiGroup(dialect, 'scheduling')}/v1`;
  const classes = systemPriorityClasses.map(({ name, value, description }) => ({
    kind: 'PriorityClass',
    apiVersion,
    metadata: { name },
    value,
    description,
  }));
  all.set(`/apis/${apiVersion}/priorityclasses`, classes);
  for (const { resource, object } of flowControlObjects(dialect)) {
    const collection = `/apis/${object.apiVersion}/${resource}`;
    all.set(collection, [...(all.get(collection) ?? []), object]);
  }
  return all;
}

/** The collections are short: one look at each is less work than one at each object. */
async function ensureAll(client: Client, collection: string, objects: readonly ApiObject[]): Promise<void> {
  const present = await namesIn(client, collection);
  if (present === undefined) return;
  const missing = objects.filter(({ metadata }) => !present.has(metadata.name));
  await Promise.all(missing.map((object) => create(client, collection, object)));
}

/** Undefined where the group is not served. */
async function namesIn(client: Client, collection: string): Promise<ReadonlySet<string | undefined> | undefined> {
  try {
    const { items } = await client.list(collection);
    return new Set(items.map(({ metadata }) => metadata.name));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function create(client: Client, collection: string, object: ApiObject): Promise<void> {
  try {
    await client.create(collection, object);
  } catch (error) {
    // another replica was faster
    if (!isConflict(error)) throw error;
  }
}
