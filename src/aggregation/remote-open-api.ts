// What other servers say of their types: which OpenAPI 3 document they have, and their part of the OpenAPI 2 document.
// Documents are bounded in size, time, number of values and depth; one that cannot be used is as good as none.

import { isJsonObject, type JsonValue } from '../base/json/json.ts';
import { parseJson } from '../codec/body.ts';
import { hashOf, jsonChunks } from '../discovery/chunks.ts';
import { fragmentOf, type OpenApiFragment } from '../discovery/openapi/fragment.ts';
import { openApiV3Of } from '../discovery/openapi/v3-of-v2.ts';
import { encodeOpenApiV3 } from '../discovery/openapi/v3-protobuf.ts';
import type { ConvertedOpenApi } from '../discovery/shown-apis.ts';
import type { RemoteEntry } from './api-services.ts';
import { type Fetched, fetchFrom } from './backend-fetch.ts';
import { pathOf } from './probe.ts';

export interface RemoteOpenApi {
  /** Of the OpenAPI 3 document; empty where the server does not say, undefined where it has none. */
  readonly hash: string | undefined;
  /** The OpenAPI 3 document that was made of that of version 2, where the server has no other. */
  readonly converted: ConvertedOpenApi | undefined;
  /** Whether that was tried. */
  readonly converts: boolean;
  readonly v2: OpenApiFragment | undefined;
  /** Of the OpenAPI 2 document. */
  readonly etag: string | undefined;
  /** What the OpenAPI 2 document was, for servers that have no ETag. */
  readonly sum: string | undefined;
}

const indexLimits = { timeoutMs: 5000, maxBytes: 1024 * 1024 };
const documentLimits = { timeoutMs: 10_000, maxBytes: 4 * 1024 * 1024 };
/** A document of four megabytes that needs more has ten bytes a value, its key included: none in use is known. */
const maxValues = 400_000;
/** Members of a document that are written one by one: paths, components and the schemas in them. */
const v3Depth = 3;

export async function fetchOpenApi(
  entry: RemoteEntry,
  before: RemoteOpenApi | undefined,
  stop: AbortSignal,
): Promise<RemoteOpenApi> {
  const index = await fetchIndex(entry, stop);
  return { ...(await fetchV2(entry, { before, converts: index.isAbsent, stop })), hash: index.hash };
}

const accept = 'application/json';

interface Index {
  readonly hash: string | undefined;
  /** The server answered 404 for OpenAPI 3. */
  readonly isAbsent: boolean;
}

async function fetchIndex(entry: RemoteEntry, stop: AbortSignal): Promise<Index> {
  try {
    const index = await fetchFrom(entry.backend, '/openapi/v3', { accept, stop, ...indexLimits });
    if (index.status !== 200) return { hash: undefined, isAbsent: index.status === 404 };
    const { value } = parseJson(index.bytes);
    const paths = isJsonObject(value) && isJsonObject(value['paths']) ? value['paths'] : {};
    // of the whole document only the part about the server's own group-version is used
    const own = paths[pathOf(entry.api).slice(1)];
    return { hash: isJsonObject(own) ? hashIn(own['serverRelativeURL']) : undefined, isAbsent: false };
  } catch {
    return { hash: undefined, isAbsent: false };
  }
}

function hashIn(url: unknown): string {
  const [, hash = ''] =
    typeof url === 'string' ? (/[?&]hash=([\w-]{1,128})(?:&|$)/.exec(url.slice(0, 1000)) ?? []) : [];
  return hash;
}

type SecondVersion = Omit<RemoteOpenApi, 'hash'>;

const nothing: SecondVersion = {
  ...{ v2: undefined, converted: undefined, converts: false },
  ...{ etag: undefined, sum: undefined },
};

interface FetchV2 {
  readonly before: RemoteOpenApi | undefined;
  /** Whether a document of version 3 is made of it. */
  readonly converts: boolean;
  readonly stop: AbortSignal;
}

async function fetchV2(entry: RemoteEntry, { before, converts, stop }: FetchV2): Promise<SecondVersion> {
  try {
    const previous = before !== undefined && converts === before.converts ? before : undefined;
    const etag = previous?.etag;
    const answer = await fetchFrom(entry.backend, '/openapi/v2', { accept, etag, stop, ...documentLimits });
    if (answer.status === 304 && previous !== undefined) return previous;
    if (answer.status !== 200) return nothing;
    const sum = await hashOf(pieces(answer.bytes));
    if (previous?.sum === sum) return { ...previous, etag: etagOf(answer) };
    const { value } = parseJson(answer.bytes, maxValues);
    const v2 = await fragmentOf(value, `${pathOf(entry.api)}/`);
    const converted = converts ? await convert(value) : undefined;
    return { v2, converted, converts, etag: etagOf(answer), sum };
  } catch {
    return nothing;
  }
}

const pieceBytes = 256 * 1024;

/** Pieces, so that other requests are served in between. */
const pieces = (bytes: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) =>
    bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  );

/** Undefined where it cannot be shown in every form that clients may ask for. */
async function convert(v2: JsonValue): Promise<ConvertedOpenApi | undefined> {
  try {
    const document = await openApiV3Of(v2);
    await encodeOpenApiV3(document);
    const chunks = await jsonChunks(document, v3Depth);
    return { hash: await hashOf(chunks), chunks };
  } catch {
    return undefined;
  }
}

const etagOf = ({ headers }: Fetched): string | undefined =>
  typeof headers['etag'] === 'string' ? headers['etag'] : undefined;
