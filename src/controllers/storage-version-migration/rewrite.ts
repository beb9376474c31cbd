// Stores the objects of a resource again: each is applied as it is, which writes it in the version that is stored now.

import { type Client, isConflict, isNotFound, RequestError } from '../../client/client.ts';
import { apiPath, formatApiVersion } from '../../meta/group-version.ts';
import type { ApiObject } from '../../meta/object.ts';

export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

interface GroupDocument {
  readonly versions: readonly (string | { readonly version: string })[];
}

interface VersionDocument {
  readonly resources: readonly (Omit<ServedResource, 'group' | 'version' | 'plural'> & { readonly name: string })[];
}

/** The resource in the version that clients prefer; undefined where no version has it. */
export async function findResource(client: Client, group: string, plural: string): Promise<ServedResource | undefined> {
  const document = await client.find<GroupDocument>(group === '' ? '/api' : `/apis/${encodeURIComponent(group)}`);
  for (const listed of document?.versions ?? []) {
    const version = typeof listed === 'string' ? listed : listed.version;
    const served = await client.find<VersionDocument>(apiPath({ group, version }));
    const found = served?.resources.find(({ name }) => name === plural);
    if (found !== undefined) return { ...found, group, version, plural };
  }
  return undefined;
}

/** The newest version of everything that is stored; no object has to be read for it. */
export async function newestVersion(client: Client, resource: ServedResource): Promise<string> {
  const nowhere = resource.namespaced ? `namespaces/${encodeURIComponent('@fake:svm_ns!')}/` : '';
  const { metadata } = await client.list(`${apiPath(resource)}/${nowhere}${resource.plural}?limit=1`);
  return metadata.resourceVersion;
}

interface Rewrite {
  readonly client: Client;
  readonly resource: ServedResource;
  /** What was stored later is in the right version. */
  readonly upTo: string;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

/** `again` where an object could not be stored for now: those that were are not touched again. */
export async function rewriteAll(rewrite: Rewrite): Promise<'done' | 'again'> {
  const { client, resource, signal } = rewrite;
  for await (const { items } of client.pages(`${apiPath(resource)}/${resource.plural}`))
    for (const item of items) {
      signal.throwIfAborted();
      const isOlder = BigInt(item.metadata.resourceVersion ?? '0') <= BigInt(rewrite.upTo);
      if (isOlder && (await rewriteOne(rewrite, item)) === 'again') return 'again';
    }
  return 'done';
}

async function rewriteOne(
  { client, resource, fieldManager }: Rewrite,
  { metadata }: ApiObject,
): Promise<'done' | 'again'> {
  const { name = '', namespace = '', uid, resourceVersion } = metadata;
  const scope = resource.namespaced ? `namespaces/${namespace}/` : '';
  const path = `${apiPath(resource)}/${scope}${resource.plural}/${encodeURIComponent(name)}`;
  // the uid keeps an object that is gone from being made again, the version one that was changed from being touched
  const nothing = { apiVersion: formatApiVersion(resource), kind: resource.kind, metadata: { uid, resourceVersion } };
  try {
    await client.apply(path, nothing, fieldManager);
    return 'done';
  } catch (error) {
    if (isPassing(error)) return 'again';
    // another write was faster and has done the same
    if (isConflict(error) || isNotFound(error)) return 'done';
    throw error;
  }
}

const passing: ReadonlySet<number> = new Set([429, 500, 503, 504]);

/** Whether the same request may succeed later. */
export const isPassing = (error: unknown): boolean => !(error instanceof RequestError) || passing.has(error.code);
