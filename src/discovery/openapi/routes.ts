// /openapi/v2 and /openapi/v3, built on first use and again after a change.

import { isAnyType, parseAccept } from '../../codec/accept.ts';
import type { Dialect } from '../../meta/dialect.ts';
import type { ApiResponse, Exchange } from '../../meta/exchange.ts';
import { apiPath } from '../../meta/group-version.ts';
import type { Resources } from '../../registry/resources.ts';
import type { GroupVersionDefinition } from '../../schema/resource.ts';
import { answerDocument, type Document, Documents, PerGeneration } from '../documents.ts';
import type { Routes } from '../routes.ts';
import { apiDocuments, openApiV2, openApiV3, openApiV3Document } from './document.ts';
import { encodeOpenApiV2 } from './v2-protobuf.ts';

/** Clients ask with an @, which no media type may contain; the answer therefore has a dot. */
const protobufV2 = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const askedProtobufV2 = new Set([protobufV2, 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf']);

export function addOpenApi(routes: Routes, resources: Resources, dialect: Dialect): void {
  const documents = new Documents(resources);
  const builders = new PerGeneration(resources, () => v3Builders(resources.groupVersions, dialect));
  const v3 = (path: string) => {
    const build = builders.get().get(path);
    return build && documents.get(`v3/${path}`, () => JSON.stringify(build()));
  };
  routes.add('/openapi/v2', (exchange) =>
    answerV2(exchange, documents, () => openApiV2(resources.groupVersions, dialect)),
  );
  routes.add('/openapi/v3', (exchange) => {
    const index = documents.get('v3', () => JSON.stringify({ paths: v3Index([...builders.get().keys()], v3) }));
    return answerDocument(exchange, index, jsonType);
  });
  routes.addBelow('/openapi/v3', (exchange) => answerV3(exchange, v3));
}

const jsonType = 'application/json';

/** How each document is made, by its path without the first slash. */
function v3Builders(
  groupVersions: readonly GroupVersionDefinition[],
  dialect: Dialect,
): ReadonlyMap<string, () => object> {
  const builders = new Map<string, () => object>();
  for (const [path, about] of apiDocuments(groupVersions, dialect))
    builders.set(path, () => openApiV3Document(about, dialect));
  for (const groupVersion of groupVersions)
    builders.set(apiPath(groupVersion).slice(1), () => openApiV3(groupVersion, dialect));
  return builders;
}

type Find = (path: string) => Document | undefined;

function v3Index(paths: readonly string[], v3: Find): object {
  const sorted = [...paths].sort((a, b) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map((path) => [path, { serverRelativeURL: v3Url(path, v3(path)) }]));
}

const v3Url = (path: string, document: Document | undefined) => `/openapi/v3/${path}?hash=${document?.hash}`;

/** A year: who knows the hash knows the document. */
const forever = { 'cache-control': 'public, immutable', maxAge: 365 * 24 * 60 * 60 * 1000 } as const;

/** One document; who asks with the hash of an older one is sent to this one. */
function answerV3(exchange: Exchange, v3: Find): ApiResponse {
  const path = exchange.request.path.slice('/openapi/v3/'.length);
  const document = v3(path);
  if (document === undefined) return { status: 404, headers: {} };
  if (!accepts(exchange, (type) => type === jsonType)) return notAcceptable;
  const hash = exchange.query.get('hash') ?? '';
  if (hash === '') return answerDocument(exchange, document, jsonType);
  if (hash !== document.hash) return { status: 301, headers: { location: v3Url(path, document) } };
  const expires = new Date(exchange.startedAt + forever.maxAge).toUTCString();
  return answerDocument(exchange, document, jsonType, { 'cache-control': forever['cache-control'], expires });
}

/** Nothing is said about what there is. */
const notAcceptable: ApiResponse = { status: 406, headers: { vary: 'Accept' } };

/** The first type the client names that there is, or any. */
function accepts({ request }: Exchange, isOffered: (type: string) => boolean): string | undefined {
  const clauses = parseAccept(request.header('accept') || '*/*');
  return clauses.map(({ type }) => type).find((type) => isAnyType(type) || isOffered(type));
}

function answerV2(exchange: Exchange, documents: Documents, build: () => object): ApiResponse {
  const type = accepts(exchange, (name) => name === jsonType || askedProtobufV2.has(name));
  if (type === undefined) return notAcceptable;
  if (askedProtobufV2.has(type)) {
    const document = documents.get('v2.pb', () => encodeOpenApiV2(build() as Record<string, unknown>));
    return answerDocument(exchange, document, protobufV2);
  }
  const document = documents.get('v2', () => JSON.stringify(build()));
  return answerDocument(exchange, document, jsonType);
}
