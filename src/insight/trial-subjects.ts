// The writes that a policy is tried on: one that the question describes, one that was recorded, or the last ones.

import { type AdmissionRequest, type Operation, Rounds } from '../admission/plugin.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json/json.ts';
import { yieldTurn } from '../base/time/turns.ts';
import { decodeObject } from '../codec/decode-object.ts';
import { type AccessControl, pathAccess, resourceAccess } from '../meta/access.ts';
import type { Exchange } from '../meta/exchange.ts';
import { forbiddenRequest } from '../meta/forbidden-request.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import { requireAllowed } from '../meta/require-access.ts';
import { revision } from '../meta/revision.ts';
import { badRequest, expired, unknownResource } from '../meta/status.ts';
import type { UserInfo } from '../meta/user.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resources, ServedResource } from '../registry/resources.ts';
import type { StoredEntry, StoreEvent } from '../storage/store.ts';
import type { RequestRecord } from '../trace/request-trace.ts';
import { requestsPath } from '../trace/tracer.ts';
import { replay } from './replay.ts';

/** The newest recorded request with this sequence number; undefined where it is not kept. */
export type ReadRecord = (sequence: number) => Promise<RequestRecord | undefined>;

export interface TrialSubject {
  readonly request: AdmissionRequest;
  readonly shown: {
    readonly operation: Operation;
    readonly namespace: string;
    readonly name: string;
    readonly revision?: number;
    readonly user: string;
  };
}

interface Subjects {
  readonly subjects: readonly TrialSubject[];
  /** Whether older writes were left out. */
  readonly isCut: boolean;
}

interface SubjectParts {
  readonly resources: Resources;
  readonly access: AccessControl;
  readonly readRecord: ReadRecord;
}

const limits = { last: 200, usualLast: 50, name: 512 } as const;
const unknownUser: UserInfo = { name: '', groups: [] };

export function subjectsIn(exchange: Exchange, question: JsonObject, parts: SubjectParts): Promise<Subjects> {
  const { object, oldObject, request, writes } = question;
  const targets = [object ?? oldObject, request, writes].filter((one) => one !== undefined && one !== null);
  if (targets.length !== 1) throw badRequest('one of object, request and writes is expected');
  if (isJsonObject(writes)) return lastWrites(exchange, writes, parts);
  if (typeof request === 'number') return recordedWrite(exchange, request, parts);
  return describedWrite(exchange, question, parts);
}

/** Objects in the question are the caller's own words: no right to read is needed. */
async function describedWrite(
  exchange: Exchange,
  question: JsonObject,
  { resources }: SubjectParts,
): Promise<Subjects> {
  const served = servedKind(resources, question['object'] ?? question['oldObject']);
  const decode = (value: JsonValue | undefined): ApiObject | undefined => {
    if (value === undefined || value === null) return undefined;
    const { object } = decodeObject(served.definition, value);
    const { strategy, context } = served.registry;
    return strategy.defaults?.(object, context) ?? object;
  };
  const [object, oldObject] = [decode(question['object']), decode(question['oldObject'])];
  const subject = subjectOf(exchange, served, { object, oldObject, user: exchange.user });
  return { subjects: [subject], isCut: false };
}

async function lastWrites(
  exchange: Exchange,
  writes: JsonObject,
  { resources, access }: SubjectParts,
): Promise<Subjects> {
  const text = (name: string) => textIn(writes, name);
  const [group, version, resource] = [text('group'), text('version'), text('resource')];
  const namespace = text('namespace');
  const most = writes['last'] ?? limits.usualLast;
  if (typeof most !== 'number' || !Number.isInteger(most) || most < 1 || most > limits.last)
    throw badRequest(`writes.last: a whole number from 1 to ${limits.last} is expected`);
  const right = resourceAccess({ user: exchange.user, verb: 'list', group, version, resource, namespace });
  await requireAllowed(access, right, ({ reason }) => forbiddenRequest(right, reason));
  const served = resources.find(group, version, resource);
  if (served === undefined || served.definition.action !== undefined || served.definition.computed !== undefined)
    throw unknownResource();
  const registry = served.registry.during(exchange);
  const prefix = registry.scope(namespace);
  const { events, next } = await replay(
    registry.store,
    { prefix, isWanted: () => true, before: undefined, most },
    exchange,
  );
  const subjects: TrialSubject[] = [];
  for (const event of events) {
    await yieldTurn();
    exchange.throwIfEnded();
    subjects.push(await subjectOfEvent(exchange, served, registry, event, unknownUser));
  }
  return { subjects, isCut: next !== undefined };
}

/** Found in the history of the object by the revision that the request has made. */
async function recordedWrite(exchange: Exchange, sequence: number, parts: SubjectParts): Promise<Subjects> {
  const { access, resources, readRecord } = parts;
  const toRead = pathAccess(exchange.user, 'get', requestsPath);
  await requireAllowed(access, toRead, ({ reason }) => forbiddenRequest(toRead, reason));
  const record = await readRecord(sequence);
  if (record === undefined) throw badRequest('the request is not recorded any more');
  const { group, version, resource, namespace } = record;
  const made = record.verdicts.store?.find(({ outcome }) => outcome === 'committed')?.revision;
  const served = resources.find(group, version, resource);
  if (made === undefined || served === undefined) throw badRequest('the request has stored nothing');
  const registry = served.registry.during(exchange);
  const at = revision(Number(made));
  const query = { prefix: registry.scope(namespace), isWanted: () => true, before: revision(at + 1), most: 1 };
  const { events } = await replay(registry.store, query, exchange);
  const [event] = events;
  if (event?.revision !== at) throw expired('the store does not remember the write of this request');
  const user = { name: record.user, groups: record.groups };
  const subject = await subjectOfEvent(exchange, served, registry, event, user);
  const name = subject.shown.name;
  const right = resourceAccess({ user: exchange.user, verb: 'get', group, version, resource, namespace, name });
  await requireAllowed(access, right, ({ reason }) => forbiddenRequest(right, reason));
  return { subjects: [subject], isCut: false };
}

async function subjectOfEvent(
  exchange: Exchange,
  served: ServedResource,
  registry: Registry,
  { key, revision: at, value, ...event }: StoreEvent,
  user: UserInfo,
): Promise<TrialSubject> {
  const objectOf = async (entry: StoredEntry | undefined) => {
    const stored = entry && registry.kind.materialize(entry);
    return stored && (await registry.view.of(stored)).parse();
  };
  const oldObject = await objectOf(event.previous());
  const object = value && (await objectOf({ key, value, revision: at }));
  return subjectOf(exchange, served, { object, oldObject, user, revision: at });
}

interface Written {
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
  readonly user: UserInfo;
  readonly revision?: number;
}

function subjectOf(
  exchange: Exchange,
  { definition }: ServedResource,
  { object, oldObject, user, revision: at }: Written,
): TrialSubject {
  const operation = object === undefined ? 'DELETE' : oldObject === undefined ? 'CREATE' : 'UPDATE';
  const { namespace = '', name = '' } = (object ?? oldObject)?.metadata ?? {};
  const request: AdmissionRequest = {
    ...{ operation, verb: operation.toLowerCase(), definition, subresource: '', kind: definition, namespace, name },
    ...{ object, oldObject, options: undefined, user, dryRun: true },
    ...{ deadline: exchange.deadline, signal: exchange.signal, rounds: new Rounds() },
    withObject: (next) => ({ ...request, object: next }),
    warn() {},
    annotate() {},
  };
  const summary = {
    operation,
    namespace,
    name,
    user: user.name,
    ...(at === undefined ? {} : { revision: at }),
  } as const;
  return { request, shown: summary };
}

/** The resource of an object's own kind and version. */
function servedKind(resources: Resources, value: JsonValue | undefined): ServedResource {
  const { apiVersion, kind } = isJsonObject(value) ? value : {};
  for (const served of resources.all()) {
    const { definition } = served;
    const isStored = definition.action === undefined && definition.computed === undefined;
    if (isStored && definition.kind === kind && formatApiVersion(definition) === apiVersion) return served;
  }
  throw badRequest('object: an object with the apiVersion and kind of a served resource is expected');
}

function textIn(fields: JsonObject, name: string): string {
  const value = fields[name] ?? '';
  if (typeof value !== 'string' || value.length > limits.name) throw badRequest(`writes.${name}: a text is expected`);
  return value;
}
