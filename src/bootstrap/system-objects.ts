// Objects that every cluster starts with, created when they are missing: the priorities of system pods, and how
// requests share the server.

import { type Client, isConflict, isNotFound } from '../client/client.ts';
import { flowControlManager, flowControlObjects } from '../groups/flowcontrol/v1/bootstrap.ts';
import { systemPriorityClasses } from '../groups/scheduling/v1/priority-class.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';

export async function createSystemObjects(client: Client, dialect: Dialect): Promise<void> {
  await Promise.all(systemObjects(dialect).map((collection) => ensureAll(client, collection)));
}

interface Collection {
  readonly path: string;
  readonly objects: readonly ApiObject[];
  /** Parameters of the requests that create them. */
  readonly query: string;
}

function systemObjects(dialect: Dialect): readonly Collection[] {
  const apiVersion = `${apiGroup(dialect, 'scheduling')}/v1`;
  const classes = systemPriorityClasses.map(({ name, value, description }) => ({
    kind: 'PriorityClass',
    apiVersion,
    metadata: { name },
    value,
    description,
  }));
  const shares = new Map<string, ApiObject[]>();
  for (const { resource, object } of flowControlObjects(dialect)) {
    const path = `/apis/${object.apiVersion}/${resource}`;
    shares.set(path, [...(shares.get(path) ?? []), object]);
  }
  const query = `?fieldManager=${flowControlManager}`;
  return [
    { path: `/apis/${apiVersion}/priorityclasses`, objects: classes, query: '' },
    ...[...shares].map(([path, objects]) => ({ path, objects, query })),
  ];
}

/** The collections are short: one look at each is less work than one at each object. */
async function ensureAll(client: Client, { path, objects, query }: Collection): Promise<void> {
  const present = await namesIn(client, path);
  if (present === undefined) return;
  const missing = objects.filter(({ metadata }) => !present.has(metadata.name));
  await Promise.all(missing.map((object) => create(client, `${path}${query}`, object)));
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
