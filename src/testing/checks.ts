// What tests of operators check: objects, conditions, owners, finalizers and events. The assertions of the kit and the matchers
// of vitest and jest are made of these.

import type { ApiObject, OwnerReference } from '../meta/object.ts';
import { differencesOf } from './object-differences.ts';
import type { TestServer } from './test-server.ts';
import type { Identified } from './typed-client.ts';

/** A kind, a name, and any other fields that the object must have. */
export type ExpectedObject = Identified & Readonly<Record<string, unknown>>;

type AnyObject = Pick<ApiObject, 'metadata'> & Readonly<Record<string, unknown>>;

export interface ExpectedCondition {
  /** `True` when not given. */
  readonly status?: 'True' | 'False' | 'Unknown';
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly observedGeneration?: unknown;
}

export interface ExpectedEvent {
  readonly reason?: unknown;
  readonly type?: unknown;
  readonly message?: unknown;
}

/** Why a check fails; empty if it holds. */
export type Problems = readonly string[];

interface Condition {
  readonly type: string;
  readonly status: string;
}

export function conditionProblems(object: unknown, type: string, expected: ExpectedCondition = {}): Problems {
  const status = (object as { readonly status?: { readonly conditions?: readonly Condition[] } }).status;
  const conditions = status?.conditions ?? [];
  const condition = conditions.find((one) => one.type === type);
  if (condition !== undefined) return differencesOf(condition, { status: 'True', ...expected }, `condition ${type}`);
  const others = conditions.map((one) => `${one.type}=${one.status}`).join(', ');
  return [`there is no condition ${type}; the object has ${others || 'no conditions'}`];
}

export function ownerProblems(object: unknown, owner: unknown): Problems {
  const { uid, name } = (owner as AnyObject).metadata;
  const owners: readonly OwnerReference[] = (object as AnyObject).metadata.ownerReferences ?? [];
  if (uid === undefined) return ['the owner has no uid: take the object that the server answered'];
  if (owners.some((reference) => reference.uid === uid)) return [];
  const others = owners.map((one) => `${one.kind} ${one.name}`).join(', ');
  return [`${String(name)} is not an owner; the owners are: ${others || 'no objects'}`];
}

export function finalizerProblems(object: unknown, finalizer: string): Problems {
  const finalizers = (object as AnyObject).metadata.finalizers ?? [];
  if (finalizers.includes(finalizer)) return [];
  return [`${finalizer} is not among the finalizers: ${finalizers.join(', ') || 'there are no finalizers'}`];
}

/** The object of the server that has the kind and the name; undefined if it does not exist. */
async function objectOn(server: TestServer, expected: Identified): Promise<ApiObject | undefined> {
  const { apiVersion, kind, metadata } = expected;
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { resources } = await server.client.raw.get<{ resources: readonly ServedResource[] }>(base);
  const resource = resources.find((one) => one.kind === kind && !one.name.includes('/'));
  if (resource === undefined) throw new Error(`kind ${kind} of ${apiVersion} is not served`);
  const { namespace = 'default', name = '' } = metadata;
  const scope = resource.namespaced ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return server.client.raw.find(`${base}${scope}/${resource.name}/${encodeURIComponent(name)}`);
}

interface ServedResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

export async function objectProblems(server: TestServer, expected: ExpectedObject): Promise<Problems> {
  const object = await objectOn(server, expected);
  const { namespace, name } = expected.metadata;
  if (object === undefined)
    return [`there is no ${expected.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`];
  return differencesOf(object, expected);
}

interface ClusterEvent {
  readonly involvedObject?: { readonly uid?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
}

export async function eventProblems(server: TestServer, about: unknown, expected: ExpectedEvent): Promise<Problems> {
  const { uid, name, namespace } = (about as AnyObject).metadata;
  if (uid === undefined) return ['the object has no uid: take the object that the server answered'];
  // events about objects without a namespace are in the namespace default
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace ?? 'default')}/events`;
  const { items } = await server.client.raw.list(path);
  const events = (items as readonly ClusterEvent[]).filter((event) => event.involvedObject?.uid === uid);
  if (events.some((event) => differencesOf(event, expected).length === 0)) return [];
  const others = events.map((event) => `${event.type} ${event.reason}: ${event.message}`).join('; ');
  return [`no such event about ${String(name)}; the events are: ${others || 'no events'}`];
}
