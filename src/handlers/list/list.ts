// GET of a collection: a header, the items and a footer, streamed with back-pressure.

import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { yieldTurn } from '../../base/time/turns.ts';
import { isPlain, type Representation } from '../../codec/accept.ts';
import type { ApiResponse } from '../../meta/exchange.ts';
import { zeroRevision } from '../../meta/revision.ts';
import { type ListPage, list as listObjects } from '../../registry/list.ts';
import type { Registry } from '../../registry/registry.ts';
import { parseSelection, type Selection } from '../../registry/selection.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import type { Call, VerbHandler } from '../call.ts';
import { isMadeOfText } from '../forms/object-form.ts';
import { noted } from '../noted-work.ts';
import { listPosition } from '../read-at.ts';
import { representationOf } from '../representation.ts';
import { type Shape, shapeOf } from '../shape.ts';
import { gzipListBody } from './gzip-list.ts';
import { listBody, wholeList } from './list-body.ts';
import {
  bytesOf,
  jsonWriter,
  type ListWriter,
  plainWriter,
  protobufWriter,
  streamedBytes,
  yamlWriter,
} from './list-writer.ts';
import { warnOfUnreadable } from './unreadable.ts';

export const list: VerbHandler = (call) => {
  const { exchange, registry, services } = call;
  const form = representationOf(call);
  const shape = shapeOf(call, form);
  const position = listPosition(exchange.query, services);
  const request = { ...position, selection: selectionOf(call) };
  // many long lists may arrive, or get their seats, in one tick: others are served between them
  const page = andThen(yieldTurn(), () => noted(exchange, 'cacher.GetList', () => listObjects(registry, request)));
  return andThen(page, (found) => {
    if (!isMadeOfText(shape)) for (const { size } of found.objects) exchange.moveIfLarge(size);
    const answer = () => answerShapedPage(shape, withoutFlaws(registry, found));
    return andThen(warnOfUnreadable(call), () => noted(exchange, 'SerializeObject', answer));
  });
};

/** The page; throws where clients cannot be shown one of its objects. */
function withoutFlaws(registry: Registry, page: ListPage): ListPage {
  registry.refuseFlawed(page.objects);
  const { rest } = page;
  if (rest === undefined) return page;
  return {
    ...page,
    async *rest() {
      for await (const objects of rest()) {
        registry.refuseFlawed(objects);
        yield objects;
      }
    },
  };
}

export function selectionOf(call: Call): Selection {
  const { exchange } = call;
  return parseSelection(call.resource.definition, {
    namespace: call.ref.namespace,
    labels: exchange.labelSelector,
    fields: exchange.fieldSelector,
  });
}

export function answerPage(call: Call, page: ListPage, form: Representation): MaybePromise<ApiResponse> {
  return answerShapedPage(shapeOf(call, form), page);
}

function answerShapedPage(shape: Shape, found: ListPage): MaybePromise<ApiResponse> {
  const page = inRowOrder(shape, found);
  return andThen(writerFor(shape, page), (writer) => answerWith(shape, page, writer));
}

/** Tables of a few kinds have an order of their own. */
function inRowOrder({ definition, form }: Shape, page: ListPage): ListPage {
  const compare = definition.rows?.compare;
  if (form.as !== 'Table' || compare === undefined) return page;
  const rows = page.objects.map((stored) => ({ stored, object: stored.parse() }));
  const objects = rows.sort((a, b) => compare(a.object, b.object)).map(({ stored }) => stored);
  return { ...page, objects };
}

function writerFor(whole: Shape, page: ListPage): MaybePromise<ListWriter> {
  const shape = keepsPage(whole, page) ? whole : unkept(whole);
  const metadata = listMeta(page);
  switch (shape.form.format) {
    case 'json':
      return isPlain(shape.form) ? plainWriter(shape, metadata, bytesOf(page)) : jsonWriter(shape, metadata);
    case 'yaml':
      return yamlWriter(shape, metadata);
    case 'protobuf':
      return protobufWriter(shape, page, metadata);
  }
}

/** What is made of the objects of a long list is not kept: it would take the place of everything else. */
const keepsPage = ({ kept }: Shape, page: ListPage): boolean =>
  page.rest === undefined && kept?.holds(bytesOf(page)) === true;

const unkept = ({ kept: _, ...shape }: Shape): Shape => shape;

/** A list of objects that have no version, and so has none itself. */
export function answerUnversioned(
  call: Call,
  objects: readonly StoredObject[],
  form: Representation,
): MaybePromise<ApiResponse> {
  return answerPage(call, { objects, revision: zeroRevision }, form);
}

/** The list's own metadata. */
function listMeta(page: ListPage): object {
  if (page.revision === zeroRevision) return {};
  return {
    resourceVersion: String(page.revision),
    ...(page.continue === undefined ? {} : { continue: page.continue }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
}

function answerWith(shape: Shape, page: ListPage, writer: ListWriter): ApiResponse {
  const headers = { 'content-type': shape.form.mediaType };
  const size = writer.head.length + bytesOf(page);
  if (size < streamedBytes && page.rest === undefined)
    return { status: 200, headers, body: wholeList(page.objects, writer) };
  const answer = { status: 200, headers, body: listBody(page, writer), expectedLength: size };
  const gzipBody = keepsPage(shape, page) ? gzipListBody(shape, page.objects, writer) : undefined;
  return gzipBody === undefined ? answer : { ...answer, gzipBody };
}
