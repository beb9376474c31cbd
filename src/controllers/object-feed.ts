// All that is stored, as one stream for all controllers: keys and bytes, parsed only by those who want to know more.
// One feed costs one watch of the store, however many kinds and controllers there are.

import { bufferOf } from '../base/bytes.ts';
import { findValue, UnexpectedJsonError } from '../base/json/json-member.ts';
import { apiPath } from '../meta/group-version.ts';
import type { ApiObject, ObjectMeta, ObjectRef } from '../meta/object.ts';
import { largeBytes, withoutManagers } from '../meta/without-managers.ts';

/** A resource whose objects are stored, in the version by which it is best reached. */
export interface StoredResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

export interface StoredChange extends ObjectRef {
  readonly resource: StoredResource;
  readonly revision: number;
  /** The stored JSON, without its resourceVersion; undefined when the object is gone. */
  readonly json: Uint8Array | undefined;
}

export interface FeedListener {
  /** Whether changes of a resource are wanted; all are when absent. */
  wants?(resource: StoredResource): boolean;
  onChange(change: StoredChange): void;
  /** Every object that was there at the start has been shown. */
  onSynced?(): void;
  /** The stream was lost: what was known is void, everything is told again. */
  onRestart?(): void;
}

export interface ObjectFeed {
  /** Before the feed starts; it then shows every object there is and, in order, every change after. */
  subscribe(listener: FeedListener): void;
}

/** Picks one resource by group and plural name. */
export function only(group: string, ...plurals: readonly string[]): (resource: StoredResource) => boolean {
  return (resource) => resource.group === group && plurals.includes(resource.plural);
}

const plainName = /^[\w.:~-]*$/;

/**
 * The path of an object, or of a collection when the name is empty. Some kinds have names with any character: a question mark
 * must not make another path of it.
 */
export function pathOf(resource: StoredResource, { namespace, name }: ObjectRef): string {
  const scope = resource.namespaced && namespace !== '' ? `/namespaces/${namespace}` : '';
  return `${apiPath(resource)}${scope}/${resource.plural}${name === '' ? '' : `/${plainName.test(name) ? name : encodeURIComponent(name)}`}`;
}

/** Large objects are parsed once for all listeners. */
const parsed = new WeakMap<Uint8Array, ApiObject>();

/** Metadata without the managers of its fields, which are often most of it. Undefined for bytes that are no JSON of ours. */
export function metadataOf(json: Uint8Array): ObjectMeta | undefined {
  const known = parsed.get(json);
  if (known !== undefined) return known.metadata;
  const head = bufferOf(beforeManagers(json));
  if (head.length === json.length) return wholeMetadataOf(json);
  const end = head[head.length - 1] === 0x2c ? head.length - 1 : head.length;
  // where the mark stands in a field of the object itself, metadata has come to its end before
  return objectOf(Buffer.concat([head.subarray(0, end), Buffer.from('}}')]))?.metadata ?? wholeMetadataOf(json);
}

function wholeMetadataOf(json: Uint8Array): ObjectMeta | undefined {
  try {
    const found = findValue(json, ['metadata']);
    return found === undefined ? undefined : (JSON.parse(bufferOf(found).toString()) as ObjectMeta);
  } catch (error) {
    if (error instanceof UnexpectedJsonError) return objectOf(json)?.metadata;
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Specs of large objects, which have other large parts. */
const specs = new WeakMap<Uint8Array, unknown>();

/** Undefined for an object without a spec, and for invalid JSON. */
export function specOf<T extends ApiObject & { readonly spec?: unknown }>(json: Uint8Array): T['spec'] | undefined {
  if (json.length < largeBytes) return objectOf<T>(json)?.spec;
  if (!specs.has(json)) specs.set(json, readSpec(json));
  return specs.get(json) as T['spec'];
}

function readSpec(json: Uint8Array): unknown {
  try {
    const spec = findValue(json, ['spec']);
    return spec && JSON.parse(bufferOf(spec).toString());
  } catch {
    return objectOf<ApiObject & { readonly spec?: unknown }>(json)?.spec;
  }
}

/** Undefined for bytes that are no JSON. A large object comes without the managers of its fields. */
export function objectOf<T extends ApiObject = ApiObject>(json: Uint8Array): T | undefined {
  try {
    if (json.length < largeBytes) return JSON.parse(bufferOf(json).toString()) as T;
    const object = parsed.get(json) ?? (JSON.parse(bufferOf(withoutManagers(json)).toString()) as ApiObject);
    parsed.set(json, object);
    return object as T;
  } catch {
    return undefined;
  }
}

const managers = Buffer.from('"managedFields":[');

/** An object up to the managers of its fields: everything else in metadata stands before them. */
export function beforeManagers(json: Uint8Array): Uint8Array {
  const at = bufferOf(json).indexOf(managers);
  return at < 0 ? json : json.subarray(0, at);
}

/** Tells whether a piece of text occurs; quotes inside strings are escaped, so `"field":` finds only fields. */
export function mentioning(text: string): (json: Uint8Array) => boolean {
  const mark = Buffer.from(text);
  return (json) => bufferOf(json).indexOf(mark) >= 0;
}
