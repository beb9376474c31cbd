// GET of a collection: a header, the items' own bytes and a footer, streamed with back-pressure.

import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import type { Representation } from '../codec/accept.ts';
import { partialMetadata, table, tableRow } from '../codec/render.ts';
import { listOfType, partialObjectMetadata } from '../groups/meta/v1/types.ts';
import { metaGroup } from '../meta/dialect.ts';
import type { ApiResponse, BodyStream } from '../meta/exchange.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import { type ListPage, list as listObjects } from '../registry/list.ts';
import { parseSelection, type Selection } from '../registry/selection.ts';
import type { StoredObject } from '../registry/stored-object.ts';
import { answerValue, type Shaped, tableOptions } from './answer.ts';
import { type Call, representationOf, type VerbHandler } from './call.ts';
import { listPosition } from './read-at.ts';

export const list: VerbHandler = (call) => {
  const { exchange, registry, services } = call;
  const form = representationOf(call);
  const position = listPosition(exchange.query, registry, services.dialect);
  const page = listObjects(registry, { ...position, selection: selectionOf(call) });
  return andThen(page, (found) => answerPage(call, found, form));
};

export function selectionOf(call: Call): Selection {
  const { query } = call.exchange;
  return parseSelection(call.resource.definition, {
    namespace: call.ref.namespace,
    labelSelector: query.get('labelSelector'),
    fieldSelector: query.get('fieldSelector'),
  });
}

/** The list's own metadata. */
export function listMeta(page: ListPage): object {
  return {
    resourceVersion: String(page.revision),
    ...(page.continue === undefined ? {} : { continue: page.continue }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
}

/** A list of objects that have no version, and so has none itself. */
export function answerUnversioned(
  call: Call,
  objects: readonly StoredObject[],
  form: Representation,
): MaybePromise<ApiResponse> {
  const { value, type } = shapeObjects(call, objects, {}, form);
  return answerValue(value, type, form);
}

export function answerPage(call: Call, page: ListPage, form: Representation): MaybePromise<ApiResponse> {
  if (form.as === 'Object' && form.format === 'json' && !form.pretty) return streamPage(call, page);
  const { value, type } = shapePage(call, page, form);
  return answerValue(value, type, form);
}

function shapePage(call: Call, page: ListPage, form: Representation): Shaped {
  return shapeObjects(call, page.objects, listMeta(page), form);
}

function shapeObjects(call: Call, stored: readonly StoredObject[], metadata: object, form: Representation): Shaped {
  const objects = stored.map((one) => one.parse());
  const type = listOfType(call.resource.definition.type);
  switch (form.as) {
    case 'Object': {
      const items = objects.map(({ kind: _, apiVersion: __, ...item }) => item);
      return { value: { ...listType(call), metadata, items }, type };
    }
    case 'PartialObjectMetadata': {
      const { dialect } = call.services;
      const items = objects.map((object) => partialMetadata(object, dialect, form.version));
      const value = {
        kind: 'PartialObjectMetadataList',
        apiVersion: `${metaGroup(dialect)}/${form.version}`,
        metadata,
        items,
      };
      return { value, type: listOfType(partialObjectMetadata) };
    }
    case 'Table': {
      const options = tableOptions(call, form);
      return {
        value: table(
          objects.map((object) => tableRow(object, options)),
          metadata,
          options,
        ),
        type,
      };
    }
  }
}

function listType({ resource: { definition } }: Call): { kind: string; apiVersion: string } {
  return { kind: `${definition.kind}List`, apiVersion: formatApiVersion(definition) };
}

/** Items are joined into chunks of about this size, so that small objects do not cost a write each. */
const chunkBytes = 64 * 1024;

function streamPage(call: Call, page: ListPage): ApiResponse {
  const { kind, apiVersion } = listType(call);
  const head = `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${JSON.stringify(listMeta(page))},"items":[`;
  const chunks = pageChunks(head, page.objects, typePrefixLength(call));
  const headers = { 'content-type': 'application/json' };
  const first = chunks.next();
  const second = chunks.next();
  if (second.done) return { status: 200, headers, body: first.value as Uint8Array };
  return { status: 200, headers, body: sendChunks([first.value as Uint8Array, second.value], chunks) };
}

function sendChunks(begun: readonly Uint8Array[], rest: Iterable<Uint8Array>): BodyStream {
  return async (sink) => {
    for (const chunk of begun) sink.write(chunk);
    for (const chunk of rest) {
      if (sink.signal.aborted) return;
      if (!sink.write(chunk)) await sink.drained();
    }
  };
}

/** Items of a list do not repeat their kind and apiVersion: this is how long that beginning is. */
function typePrefixLength({ resource: { definition } }: Call): number {
  return Buffer.byteLength(`{"kind":"${definition.kind}","apiVersion":"${formatApiVersion(definition)}",`);
}

const brace = Buffer.from('{');
const separator = Buffer.from(',{');
const footer = Buffer.from(']}');

function* pageChunks(head: string, objects: readonly StoredObject[], skip: number): Generator<Uint8Array, void> {
  let parts: Uint8Array[] = [Buffer.from(head)];
  let size = 0;
  for (const [index, stored] of objects.entries()) {
    parts.push(index === 0 ? brace : separator, stored.bytes.subarray(skip));
    size += stored.bytes.length;
    if (size < chunkBytes) continue;
    yield Buffer.concat(parts);
    parts = [];
    size = 0;
  }
  parts.push(footer);
  yield Buffer.concat(parts);
}
