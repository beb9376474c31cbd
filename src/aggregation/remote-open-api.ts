// What other servers say of their types: which OpenAPI 3 document they have, and their part of the OpenAPI 2 document.
// Documents are bounded in size, time, number of values and depth; one that cannot be used is as good as none.

import { isJsonObject } from '../base/json.ts';
import { parseJson } from '../codec/body.ts';
import { fragmentOf, type OpenApiFragment } from '../discovery/openapi/fragment.ts';
import type { RemoteEntry } from './api-services.ts';
import { type Fetched, fetchFrom } from './backend-fetch.ts';
import { pathOf } from './probe.ts';

export interface RemoteOpenApi {
  /** Of the OpenAPI 3 document; empty where the server does not say, undefined where it has none. */
  readonly hash: string | undefined;
  readonly v2: OpenApiFragment | undefined;
  /** Of the OpenAPI 2 document. */
  readonly etag: string | undefined;
}

const indexLimits = { timeoutMs: 5000, maxBytes: 1024 * 1024 };
const documentLimits = { timeoutMs: 10_000, maxBytes: 4 * 1024 * 1024 };

export async function fetchOpenApi(
  entry: RemoteEntry,
  before: RemoteOpenApi | undefined,
  stop: AbortSignal,
): Promise<RemoteOpenApi> {
  const [hash, second] = await Promise.all([fetchHash(entry, stop), fetchV2(entry, before, stop)]);
  return { hash, ...second };
}

const accept = 'application/json';

async function fetchHash(entry: RemoteEntry, stop: AbortSignal): Promise<string | undefined> {
  try {
    const found = await fetchFrom(entry.backend, '/openapi/v3', { accept, stop, ...indexLimits });
    if (found.status !== 200) return undefined;
    const { value } = await parseJson(found.bytes);
    const paths = isJsonObject(value) && isJsonObject(value['paths']) ? value['paths'] : {};
    // of all that a server may claim, only what is about its own group-version counts
    const own = paths[pathOf(entry.api).slice(1)];
    if (!isJsonObject(own)) return undefined;
    return hashIn(own['serverRelativeURL']);
  } catch {
    return undefined;
  }
}

function hashIn(url: unknown): string {
  const [, hash = ''] =
    typeof url === 'string' ? (/[?&]hash=([\w-]{1,128})(?:&|$)/.exec(url.slice(0, 1000)) ?? []) : [];
  return hash;
}

type SecondVersion = Pick<RemoteOpenApi, 'v2' | 'etag'>;

async function fetchV2(
  entry: RemoteEntry,
  before: RemoteOpenApi | undefined,
  stop: AbortSignal,
): Promise<SecondVersion> {
  try {
    const etag = before?.etag;
    const found = await fetchFrom(entry.backend, '/openapi/v2', { accept, etag, stop, ...documentLimits });
    if (found.status === 304 && before !== undefined) return { v2: before.v2, etag };
    if (found.status !== 200) return { v2: undefined, etag: undefined };
    const { value } = await parseJson(found.bytes);
    return { v2: await fragmentOf(value, `${pathOf(entry.api)}/`), etag: etagOf(found) };
  } catch {
    return { v2: undefined, etag: undefined };
  }
}

const etagOf = ({ headers }: Fetched): string | undefined =>
  typeof headers['etag'] === 'string' ? headers['etag'] : undefined;
