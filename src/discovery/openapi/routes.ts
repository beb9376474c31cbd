// /openapi/v2 and /openapi/v3, built on first use and again after a change.

import { isAnyType, parseAccept } from '../../codec/accept.ts';
import type { Dialect } from '../../meta/dialect.ts';
import type { ApiResponse, Exchange } from '../../meta/exchange.ts';
import { apiPath } from '../../meta/group-version.ts';
import type { Resources } from '../../registry/resources.ts';
import type { GroupVersionDefinition } from '../../schema/resource.ts';
import { answerDocument, type Document, Documents, type Subject } from '../documents.ts';
import type { Routes } from '../routes.ts';
import { isLocal, isRemote, type RemoteVersion, type ShownApis, type ShownVersion } from '../shown-apis.ts';
import { apiDocuments, openApiV2, openApiV3, openApiV3Document } from './document.ts';
import type { Json } from './gnostic.ts';
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

export function addOpenApi(routes: Routes, resources: Resources, shown: ShownApis, dialect: Dialect): void {
  const documents = new Documents(resources);
  const builders = v3Builders(shown, dialect);
  const v3: Find = (path) => {
    const found = builders().get(path);
    return found && documents.get(`v3/${path}`, found.subject, () => JSON.stringify(found.build()));
  };
  routes.add('/openapi/v2', (exchange) => answerV2(exchange, documents, shown.versions, dialect));
  routes.add('/openapi/v3', (exchange) => {
    const { versions } = shown;
    const build = () => JSON.stringify({ paths: v3Index([...builders().keys()], v3, versions.filter(isRemote)) });
    return answerDocument(exchange, documents.get('v3', versions, build), jsonType);
  });
  /** Made of the JSON, whose hash names both. */
  const v3Binary: Find = (path) => {
    const document = v3(path);
    const subject = builders().get(path)?.subject;
    if (document === undefined || subject === undefined) return undefined;
    const build = () => encodeOpenApiV3(JSON.parse(String(document.body)) as Json);
    return { body: documents.get(`v3.pb/${path}`, subject, build).body, hash: document.hash };
  };
  routes.addBelow('/openapi/v3', (exchange) => answerV3(exchange, v3, v3Binary));
}

const jsonType = 'application/json';

interface Builder {
  readonly subject: Subject;
  readonly build: () => object;
}

/** How each document is made, by its path without the first slash; made anew when the set of resources has changed. */
function v3Builders(shown: ShownApis, dialect: Dialect): () => ReadonlyMap<string, Builder> {
  let made: { readonly of: Subject; readonly builders: ReadonlyMap<string, Builder> } | undefined;
  return () => {
    const { versions } = shown;
    if (made?.of !== versions)
      made = { of: versions, builders: buildersOf(versions.filter(isLocal), dialect, versions) };
    return made.builders;
  };
}

function buildersOf(
  groupVersions: readonly GroupVersionDefinition[],
  dialect: Dialect,
  all: readonly ShownVersion[],
): ReadonlyMap<string, Builder> {
  const builders = new Map<string, Builder>();
  for (const [path, about] of apiDocuments(groupVersions, dialect))
    builders.set(path, { subject: all, build: () => openApiV3Document(about, dialect) });
  for (const subject of groupVersions)
    builders.set(apiPath(subject).slice(1), { subject, build: () => openApiV3(subject, dialect) });
  return builders;
}

type Find = (path: string) => Document | undefined;

function v3Index(paths: readonly string[], v3: Find, remote: readonly RemoteVersion[]): object {
  const urls = new Map(paths.map((path) => [path, v3Url(path, v3(path))]));
  for (const version of remote) {
    const path = apiPath(version).slice(1);
    if (version.openApiHash !== undefined) urls.set(path, remoteUrl(path, version.openApiHash));
  }
  const sorted = [...urls].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([path, serverRelativeURL]) => [path, { serverRelativeURL }]));
}

const remoteUrl = (path: string, hash: string) => `/openapi/v3/${path}${hash === '' ? '' : `?hash=${hash}`}`;

const v3Url = (path: string, document: Document | undefined) => `/openapi/v3/${path}?hash=${document?.hash}`;

/** A year: who knows the hash knows the document. */
const forever = { 'cache-control': 'public, immutable', maxAge: 365 * 24 * 60 * 60 * 1000 } as const;

/** One document; who asks with the hash of an older one is sent to this one. */
function answerV3(exchange: Exchange, v3: Find, v3Binary: Find): ApiResponse {
  const path = exchange.request.path.slice('/openapi/v3/'.length);
  const known = v3(path);
  if (known === undefined) return { status: 404, headers: {} };
  const type = accepts(exchange, (name) => name === jsonType || protobufV3.asked.has(name));
  if (type === undefined) return notAcceptable;
  const hash = exchange.query.get('hash') ?? '';
  if (hash !== '' && hash !== known.hash) return { status: 301, headers: { location: v3Url(path, known) } };
  const isBinary = protobufV3.asked.has(type);
  const document = (isBinary ? v3Binary(path) : undefined) ?? known;
  return answerDocument(
    exchange,
    document,
    isBinary ? protobufV3.answered : jsonType,
    hash === '' ? {} : kept(exchange),
  );
}

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

function answerV2(
  exchange: Exchange,
  documents: Documents,
  subject: readonly ShownVersion[],
  dialect: Dialect,
): ApiResponse {
  const type = accepts(exchange, (name) => name === jsonType || protobufV2.asked.has(name));
  if (type === undefined) return notAcceptable;
  const fragments = subject.filter(isRemote).flatMap(({ openApi }) => (openApi === undefined ? [] : [openApi]));
  const build = () => openApiV2(subject.filter(isLocal), fragments, dialect);
  if (protobufV2.asked.has(type)) {
    const document = documents.get('v2.pb', subject, () => encodeOpenApiV2(build() as Record<string, unknown>));
    return answerDocument(exchange, document, protobufV2.answered);
  }
  return answerDocument(
    exchange,
    documents.get('v2', subject, () => JSON.stringify(build())),
    jsonType,
  );
}
