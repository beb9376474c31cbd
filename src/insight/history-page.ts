// /debug/keelson/history: what happened to an object or to a list, as far as the store remembers. It needs the right to get the
// object or to list the resource. Of confidential kinds it names the changed fields, and shows no value.

import { changedPaths } from '../admission/changed-fields.ts';
import { yieldTurn } from '../base/time/turns.ts';
import { json, type Routes, requireRead } from '../discovery/routes.ts';
import { type AccessAttributes, resourceAccess } from '../meta/access.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import type { ApiObject } from '../meta/object.ts';
import { parseRevision, type Revision, revision } from '../meta/revision.ts';
import { badRequest, unknownResource } from '../meta/status.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resources } from '../registry/resources.ts';
import type { StoredEntry, StoreEvent } from '../storage/store.ts';
import { type LastWriter, lastWriter } from './last-writer.ts';
import { replay } from './replay.ts';

const historyPath = '/debug/keelson/history';

const limits = { name: 512, rows: 200, usualRows: 50, changes: 50, objectBytes: 4 * 1024 * 1024 } as const;

export interface HistoryRow {
  readonly revision: Revision;
  readonly verb: 'create' | 'update' | 'apply' | 'delete';
  readonly namespace: string;
  readonly name: string;
  /** Who wrote it and when, as far as the object records it. */
  readonly writer: LastWriter | undefined;
  /** Paths of the changed fields, at most 50. */
  readonly changes: readonly string[];
  /** The object after the write; for the history of one object, and not for confidential kinds. */
  readonly object?: ApiObject;
}

interface Place {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

export function addHistoryPage(routes: Routes, resources: Resources): void {
  routes.addAbout(historyPath, requiredRight, (exchange) => answer(exchange, resources));
}

function requiredRight(exchange: Exchange): AccessAttributes {
  const place = placeIn(exchange);
  return resourceAccess({ user: exchange.user, verb: place.name === '' ? 'list' : 'get', ...place });
}

async function answer(exchange: Exchange, resources: Resources): Promise<ApiResponse> {
  requireRead(exchange);
  const place = placeIn(exchange);
  const registry = registryOf(resources, place).during(exchange);
  const most = numberIn(exchange, 'limit', limits.rows) ?? limits.usualRows;
  const { namespace, name } = place;
  // a namespaced object has its key below the one of its namespace
  const key = name === '' ? undefined : registry.key({ namespace, name });
  const read = await replay(
    registry.store,
    {
      prefix: key ?? registry.scope(namespace),
      isWanted: (one) => key === undefined || one === key,
      before: beforeIn(exchange),
      most,
    },
    exchange,
  );
  const rows = new HistoryRows(registry, name !== '');
  for (const event of read.events) {
    await yieldTurn();
    exchange.throwIfEnded();
    await rows.add(event);
  }
  const isConfidential = registry.definition.confidential === true;
  const { newest, oldest, next } = read;
  return json({ ...place, isConfidential, newest, oldest, next, rows: rows.all, base: rows.base });
}

class HistoryRows {
  readonly all: HistoryRow[] = [];
  /** The object before the oldest row. */
  base: ApiObject | undefined;
  readonly #registry: Registry;
  readonly #showsObjects: boolean;
  #bytes = 0;

  constructor(registry: Registry, ofOne: boolean) {
    this.#registry = registry;
    this.#showsObjects = ofOne && registry.definition.confidential !== true;
  }

  /** Rows come newest first. */
  async add(event: StoreEvent): Promise<void> {
    const { key, revision: at, value } = event;
    const previous = event.previous();
    const before = previous && (await this.#objectOf(previous));
    const after = value && (await this.#objectOf({ key, value, revision: at }));
    const writer = after && lastWriter(before, after);
    const path = key.slice(this.#registry.prefix.length).split('/');
    this.all.push({
      revision: at,
      verb: verbOf(before, after, writer),
      namespace: this.#registry.definition.namespaced ? (path[0] ?? '') : '',
      name: path.at(-1) ?? '',
      writer,
      changes: before && after ? changedPaths(withoutNoise(before), withoutNoise(after), limits.changes) : [],
      ...this.#shown('object', after),
    });
    this.base = this.#shown('base', before).base;
  }

  /** Undefined for a value that this server cannot read. */
  async #objectOf(entry: StoredEntry): Promise<ApiObject | undefined> {
    const stored = this.#registry.kind.materialize(entry);
    return stored && (await this.#registry.view.of(stored)).parse();
  }

  #shown<Name extends string>(name: Name, object: ApiObject | undefined): { readonly [K in Name]?: ApiObject } {
    if (object === undefined || !this.#showsObjects) return {};
    const plain = withoutNoise(object);
    this.#bytes += JSON.stringify(plain).length;
    return this.#bytes > limits.objectBytes ? {} : ({ [name]: plain } as { [K in Name]: ApiObject });
  }
}

function verbOf(
  before: ApiObject | undefined,
  after: ApiObject | undefined,
  writer: LastWriter | undefined,
): HistoryRow['verb'] {
  if (after === undefined) return 'delete';
  if (before === undefined || before.metadata.uid !== after.metadata.uid) return 'create';
  return writer?.operation === 'Apply' ? 'apply' : 'update';
}

/** What differs after every write. */
function withoutNoise(object: ApiObject): ApiObject {
  const { managedFields: _, resourceVersion: __, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function registryOf(resources: Resources, { group, version, resource, namespace, name }: Place): Registry {
  const served = resources.find(group, version, resource);
  if (served === undefined || served.definition.action !== undefined || served.definition.computed !== undefined)
    throw unknownResource();
  if (!served.definition.namespaced && namespace !== '') throw badRequest(`${resource} are in no namespace`);
  if (served.definition.namespaced && namespace === '' && name !== '') throw badRequest('a namespace is expected');
  return served.registry;
}

function placeIn({ query }: Exchange): Place {
  const text = (name: string) => {
    const value = query.get(name) ?? '';
    if (value.length > limits.name)
      throw badRequest(`query parameter ${name}: at most ${limits.name} characters are expected`);
    return value;
  };
  const place = {
    ...{ group: text('group'), version: text('version'), resource: text('resource') },
    ...{ namespace: text('namespace'), name: text('name') },
  };
  if (place.version === '' || place.resource === '') throw badRequest('version and resource are expected in the query');
  return place;
}

function numberIn({ query }: Exchange, name: string, most: number): number | undefined {
  const text = query.get(name) ?? '';
  if (text === '') return undefined;
  const value = Number(text);
  if (!/^\d{1,6}$/.test(text) || value < 1 || value > most)
    throw badRequest(`query parameter ${name}: a whole number from 1 to ${most} is expected`);
  return value;
}

function beforeIn({ query }: Exchange): Revision | undefined {
  const text = query.get('before') ?? '';
  if (text === '') return undefined;
  const before = parseRevision(text);
  if (before === undefined || before < 1) throw badRequest('query parameter before: a resource version is expected');
  return revision(before);
}
