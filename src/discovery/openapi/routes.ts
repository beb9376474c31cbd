// /openapi/v2 and /openapi/v3, built on first use and again after a change.

import { parseAccept } from '../../codec/accept.ts';
import type { Dialect } from '../../meta/dialect.ts';
import type { ApiResponse, Exchange } from '../../meta/exchange.ts';
import { apiPath } from '../../meta/group-version.ts';
import type { Resources } from '../../registry/resources.ts';
import { answerDocument, type Document, Documents } from '../documents.ts';
import { json, type Routes } from '../routes.ts';
import { openApiV2, openApiV3 } from './document.ts';
import { encodeOpenApiV2 } from './v2-protobuf.ts';

/** Clients ask with an @, which no media type may contain; the answer therefore has a dot. */
const protobufV2 = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const askedProtobufV2 = new Set([protobufV2, 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf']);

export function addOpenApi(routes: Routes, resources: Resources, dialect: Dialect): void {
  const documents = new Documents(resources);
  const v3 = (path: string) => {
    const groupVersion = resources.groupVersions.find((gv) => apiPath(gv) === `/${path}`);
    return groupVersion && documents.get(`v3/${path}`, () => JSON.stringify(openApiV3(groupVersion, dialect)));
  };
  routes.add('/openapi/v2', (exchange) =>
    answerV2(exchange, documents, () => openApiV2(resources.groupVersions, dialect)),
  );
  routes.add('/openapi/v3', () => json({ paths: v3Index(resources, v3) }));
  routes.addBelow('/openapi/v3', (exchange) => {
    const document = v3(exchange.request.path.slice('/openapi/v3/'.length));
    return document && answerDocument(exchange, document, 'application/json');
  });
}

function v3Index(resources: Resources, v3: (path: string) => Document | undefined): object {
  const paths = resources.groupVersions.map((gv) => apiPath(gv).slice(1));
  return Object.fromEntries(
    paths.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${v3(path)?.hash}` }]),
  );
}

function answerV2(exchange: Exchange, documents: Documents, build: () => object): ApiResponse {
  const accepted = parseAccept(exchange.request.header('accept') ?? '').map(({ type }) => type);
  if (accepted.some((type) => askedProtobufV2.has(type))) {
    const document = documents.get('v2.pb', () => encodeOpenApiV2(build() as Record<string, unknown>));
    return answerDocument(exchange, document, protobufV2);
  }
  const document = documents.get('v2', () => JSON.stringify(build()));
  return answerDocument(exchange, document, 'application/json');
}
