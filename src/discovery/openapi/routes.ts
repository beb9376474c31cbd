// /openapi/v2 and /openapi/v3, built on first use and again after a change.

import { isAnyType, parseAccept } from '../../codec/accept.ts';
import { parseJson } from '../../codec/body.ts';
import { compressed, takesGzip } from '../../codec/compression.ts';
import type { Dialect } from '../../meta/dialect.ts';
import type { ApiResponse, Exchange } from '../../meta/exchange.ts';
import { apiPath } from '../../meta/group-version.ts';
import type { Resources } from '../../registry/resources.ts';
import type { GroupVersionDefinition } from '../../schema/resource.ts';
import { type Chunks, jsonChunks } from '../chunks.ts';
import { answerDocument, Documents, type Recipe, type Subject } from '../documents.ts';
import type { Routes } from '../routes.ts';
import { isLocal, isRemote, type RemoteVersion, type ShownApis, type ShownVersion } from '../shown-apis.ts';
import { apiDocuments, openApiV2, openApiV3, openApiV3Document } from './document.ts';
import { customHash, subjectHash } from './document-hash.ts';
import type { Json } from './gnostic.ts';
import type { PreparedDocument, PreparedDocuments } from './prepared.ts';
import { encodeOpenApiV2 } from './v2-protobuf.ts';
import { encodeOpenApiV3 } from './v3-protobuf.ts';

interface ProtobufType {
  /** Older clients ask with an @, which no media type may contain; the answer therefore has a dot. */
  readonly asked: ReadonlySet<string>;
  readonly answered: string;
}

function protobufType(version: 'v2' | 'v3'): ProtobufType {
  const of = (separator: string) => `application/com.github.proto-openapi.spec.${version}${separator}v1.0+protobuf`;
  return { asked: new Set([of('.'), of('@')]), answered: of('.') };
}

const protobufV2 = protobufType('v2');
const protobufV3 = protobufType('v3');

/** `prepared` has the documents of a server that serves the built-in kinds in this dialect. */
export function addOpenApi(
  routes: Routes,
  resources: Resources,
  shown: ShownApis,
  dialect: Dialect,
  prepared?: PreparedDocuments,
): void {
  const documents = new Documents(resources);
  const builders = v3Builders(shown, dialect, prepared);
  const v3: Find = (path) => builders().get(path);
  routes.add('/openapi/v2', (exchange) => answerV2(exchange, documents, shown.versions, dialect, prepared));
  routes.add('/openapi/v3', async (exchange) => {
    const { versions } = shown;
    const index = { subject: versions, build: () => v3Index(builders(), versions.filter(isRemote), documents) };
    const hash = await documents.hash('v3', index);
    // compat: the index of OpenAPI 3 says that it is plain text
    const contentType = 'text/plain; charset=utf-8';
    return answerDocument(exchange, {
      hash,
      modified: documents.since('v3', versions, exchange.startedAt),
      contentType,
      vary: '',
      body: () => documents.body('v3', index),
    });
  });
  // compat: the path with a slash at its end is shown among the paths and has nothing to tell
  routes.add('/openapi/v3/', () => ({ status: 404, headers: {} }));
  routes.addBelow('/openapi/v3', (exchange) => answerV3(exchange, documents, v3));
}

const jsonType = 'application/json';

interface Builder {
  readonly subject: Subject;
  build(): Promise<Json>;
  hash(): Promise<string | undefined>;
  /** The document as JSON, where it is known already. */
  readonly chunks?: Chunks;
  /** Made by the build. */
  readonly prepared?: PreparedDocument | undefined;
}

/** Such a document was bounded when it was made. */
const maxConvertedValues = Number.POSITIVE_INFINITY;

/** How each document is made, by its path without the first slash; made again when the set of resources has changed. */
function v3Builders(
  shown: ShownApis,
  dialect: Dialect,
  prepared: PreparedDocuments | undefined,
): () => ReadonlyMap<string, Builder> {
  let made: { readonly of: Subject; readonly builders: ReadonlyMap<string, Builder> } | undefined;
  return () => {
    const { versions } = shown;
    if (made?.of !== versions)
      made = {
        of: versions,
        builders: new Map([
          ...buildersOf(versions.filter(isLocal), dialect, versions, prepared),
          ...versions.filter(isRemote).flatMap(convertedBuilder),
        ]),
      };
    return made.builders;
  };
}

function buildersOf(
  groupVersions: readonly GroupVersionDefinition[],
  dialect: Dialect,
  all: readonly ShownVersion[],
  prepared: PreparedDocuments | undefined,
): ReadonlyMap<string, Builder> {
  const builders = new Map<string, Builder>();
  for (const [path, about] of apiDocuments(groupVersions, dialect))
    builders.set(path, {
      subject: all,
      build: () => openApiV3Document(about, dialect),
      hash: async () => subjectHash({ ...about, type: about.type?.name }),
    });
  for (const subject of groupVersions) {
    const document = prepared?.ofVersion(subject);
    builders.set(apiPath(subject).slice(1), {
      subject,
      build: () => openApiV3(subject, dialect),
      hash: async () => document?.json.hash ?? customHash(subject),
      prepared: document,
    });
  }
  return builders;
}

/** For a server that has no OpenAPI 3 document of its own. */
function convertedBuilder(subject: RemoteVersion): [string, Builder][] {
  const { convertedOpenApi } = subject;
  if (convertedOpenApi === undefined) return [];
  const { hash, chunks } = convertedOpenApi;
  const build = async () => parseJson(Buffer.concat(chunks), maxConvertedValues).value as Json;
  return [[apiPath(subject).slice(1), { subject, build, hash: async () => hash, chunks }]];
}

type Find = (path: string) => Builder | undefined;

/** Members of a document of version 3 that are written one by one: paths, components and the schemas in them. */
const v3Depth = 3;

const v3Recipe = ({ subject, build, hash, chunks, prepared }: Builder): Recipe => ({
  subject,
  hash,
  build: async () => prepared?.json.chunks() ?? chunks ?? jsonChunks(await build(), v3Depth),
});

const v3Hash = (path: string, builder: Builder, documents: Documents) =>
  documents.hash(`v3/${path}`, v3Recipe(builder));

async function v3Index(
  builders: ReadonlyMap<string, Builder>,
  remote: readonly RemoteVersion[],
  documents: Documents,
): Promise<Chunks> {
  const urls = new Map<string, string>();
  for (const [path, builder] of builders) urls.set(path, v3Url(path, await v3Hash(path, builder, documents)));
  for (const version of remote) {
    const path = apiPath(version).slice(1);
    if (version.openApiHash !== undefined && !urls.has(path)) urls.set(path, v3Url(path, version.openApiHash));
  }
  const sorted = [...urls].sort(([a], [b]) => (a < b ? -1 : 1));
  return jsonChunks(
    { paths: Object.fromEntries(sorted.map(([path, serverRelativeURL]) => [path, { serverRelativeURL }])) },
    1,
  );
}

const v3Url = (path: string, hash: string) => `/openapi/v3/${path}${hash === '' ? '' : `?hash=${hash}`}`;

/** A year: who knows the hash knows the document. */
const forever = { 'cache-control': 'public, immutable', maxAge: 365 * 24 * 60 * 60 * 1000 } as const;

/** One document; who asks with the hash of an older one is sent to this one. */
async function answerV3(exchange: Exchange, documents: Documents, v3: Find): Promise<ApiResponse> {
  const path = exchange.info.path.slice('/openapi/v3/'.length);
  const builder = v3(path);
  if (builder === undefined) return { status: 404, headers: {} };
  const type = accepts(exchange, (name) => name === jsonType || protobufV3.asked.has(name));
  if (type === undefined) return notAcceptable;
  const asked = exchange.query.get('hash') ?? '';
  const hash = await v3Hash(path, builder, documents);
  if (asked !== '' && asked !== hash)
    return { status: 301, headers: { 'content-type': 'application/json', location: v3Url(path, hash) } };
  const isBinary = protobufV3.asked.has(type);
  return answerDocument(exchange, {
    hash,
    modified: documents.since(`v3/${path}`, builder.subject, exchange.startedAt),
    contentType: isBinary ? protobufV3.answered : jsonType,
    headers: asked === '' ? {} : kept(exchange),
    body: () =>
      isBinary
        ? documents.body(`v3.pb/${path}`, binaryRecipe(builder, hash))
        : documents.body(`v3/${path}`, v3Recipe(builder)),
  });
}

/** The hash of the JSON names both. */
const binaryRecipe = ({ subject, build, prepared }: Builder, hash: string): Recipe => ({
  subject,
  hash: async () => hash,
  build: async () => prepared?.protobuf.chunks() ?? encodeOpenApiV3(await build()),
});

function kept({ startedAt }: Exchange): Readonly<Record<string, string>> {
  const expires = new Date(startedAt + forever.maxAge).toUTCString();
  return { 'cache-control': forever['cache-control'], expires };
}

/** Nothing is said about what there is. */
const notAcceptable: ApiResponse = { status: 406, headers: { vary: 'Accept' } };

/** The first type the client names that there is, or any. */
function accepts({ request }: Exchange, isOffered: (type: string) => boolean): string | undefined {
  const clauses = parseAccept(request.header('accept') || '*/*');
  return clauses.map(({ type }) => type).find((type) => isAnyType(type) || isOffered(type));
}

async function answerV2(
  exchange: Exchange,
  documents: Documents,
  subject: readonly ShownVersion[],
  dialect: Dialect,
  prepared: PreparedDocuments | undefined,
): Promise<ApiResponse> {
  const type = accepts(exchange, (name) => name === jsonType || protobufV2.asked.has(name));
  if (type === undefined) return { ...notAcceptable, headers: { vary: v2Vary } };
  const isBinary = protobufV2.asked.has(type);
  const key = isBinary ? 'v2.pb' : 'v2';
  const encode = (document: Json) => (isBinary ? encodeOpenApiV2(document) : jsonChunks(document, v2Depth));
  const fragments = subject.filter(isRemote).flatMap(({ openApi }) => (openApi === undefined ? [] : [openApi]));
  const made = fragments.length === 0 ? prepared?.ofAll(subject.filter(isLocal)) : undefined;
  const ready = isBinary ? made?.protobuf : made?.json;
  const build = async () => ready?.chunks() ?? encode(await openApiV2(subject.filter(isLocal), fragments, dialect));
  const recipe: Recipe = { subject, build, hash: async () => ready?.hash };
  const gzip = takesGzip(exchange.request) ? ready?.gzip : undefined;
  const answer = await answerDocument(exchange, {
    hash: await documents.hash(key, recipe),
    modified: documents.since(key, subject, exchange.startedAt),
    contentType: isBinary ? protobufV2.answered : jsonType,
    vary: v2Vary,
    body: async () => (gzip === undefined ? documents.body(key, recipe) : [await gzip()]),
  });
  if (gzip === undefined || answer.status !== 200) return compressed(exchange.request, answer, { headers: {} });
  return { ...answer, headers: { ...answer.headers, 'content-encoding': 'gzip' } };
}

const v2Vary = ['Accept-Encoding', 'Accept'];

/** Paths and definitions are written one by one. */
const v2Depth = 2;
