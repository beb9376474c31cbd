// Stored objects as one version has them. Most are stored in that version and shown as they are; others are converted, many at
// a time, and remembered.

import type { JsonObject } from '../base/json.ts';
import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import { YieldTimer } from '../base/yield-timer.ts';
import type { ApiObject } from '../meta/object.ts';
import type { RequestLife } from '../meta/request-life.ts';
import { asStored } from '../schema/object-type.ts';
import { inDeclaredOrder } from '../schema/order.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { CacheEvent } from '../storage/cache/watch-cache.ts';
import { ConvertedObjects } from './converted-objects.ts';
import { StoredObject } from './stored-object.ts';
import type { KindVersions } from './versions.ts';

type Change = CacheEvent<StoredObject>;

/** So many objects are converted at once, by a call of another server or before others get their turn. */
const sliceSize = 200;
/** And so many bytes of them: these cannot hold more values than a webhook's answer may. */
const sliceBytes = 256 * 1024;

export class VersionView {
  readonly #definition: ResourceDefinition;
  readonly #versions: KindVersions;
  readonly #converted: ConvertedObjects;
  readonly #during: RequestLife | undefined;
  /** Watches of one version share what they are told, so that it is encoded once. */
  readonly #changes = new WeakMap<Change, Change>();

  constructor(
    definition: ResourceDefinition,
    versions: KindVersions,
    converted = new ConvertedObjects(),
    during?: RequestLife,
  ) {
    this.#definition = definition;
    this.#versions = versions;
    this.#converted = converted;
    this.#during = during;
  }

  /** The same for one request: what another server converts for it is waited for as long as it lasts. */
  during(request: RequestLife): VersionView {
    return new VersionView(this.#definition, this.#versions, this.#converted, request);
  }

  of(stored: StoredObject): MaybePromise<StoredObject> {
    if (stored.definition === this.#definition) return stored;
    return andThen(this.ofAll([stored]), ([shown]) => shown as StoredObject);
  }

  /** The same array where every object is stored in this version. */
  ofAll(objects: readonly StoredObject[]): MaybePromise<readonly StoredObject[]> {
    if (objects.every((stored) => stored.definition === this.#definition)) return objects;
    return endOfSlice(objects, 0) === objects.length ? this.#ofSlice(objects) : this.#ofSlices(objects);
  }

  /** Changes whose objects are in this version. */
  ofChanges(changes: readonly Change[]): MaybePromise<readonly Change[]> {
    if (changes.every((change) => this.#isOwn(change))) return changes;
    const unknown = changes.filter((change) => !this.#isOwn(change) && !this.#changes.has(change));
    const objects = unknown.flatMap(({ current, previous }) => [current, previous].filter((one) => one !== undefined));
    return andThen(this.ofAll(objects), (shown) => {
      const next = shown[Symbol.iterator]();
      const show = (stored: StoredObject | undefined) => stored && (next.next().value as StoredObject);
      for (const change of unknown)
        this.#changes.set(change, { ...change, current: show(change.current), previous: show(change.previous) });
      return changes.map((change) => this.#changes.get(change) ?? change);
    });
  }

  #isOwn({ current, previous }: Change): boolean {
    const definition = this.#definition;
    return (
      (current === undefined || current.definition === definition) &&
      (previous === undefined || previous.definition === definition)
    );
  }

  async #ofSlices(objects: readonly StoredObject[]): Promise<readonly StoredObject[]> {
    const pace = new YieldTimer();
    const shown: StoredObject[] = [];
    for (let from = 0; from < objects.length; ) {
      const end = endOfSlice(objects, from);
      shown.push(...(await this.#ofSlice(objects.slice(from, end))));
      from = end;
      if (pace.isDue) await pace.rest();
    }
    return shown;
  }

  #ofSlice(objects: readonly StoredObject[]): MaybePromise<readonly StoredObject[]> {
    const known = objects.map((stored) => this.#known(stored));
    const missing = objects.filter((_, index) => known[index] === undefined);
    return andThen(this.#convert(missing), (converted) => {
      const next = converted[Symbol.iterator]();
      return known.map((shown) => shown ?? (next.next().value as StoredObject));
    });
  }

  #known(stored: StoredObject): StoredObject | undefined {
    return stored.definition === this.#definition ? stored : this.#converted.find(stored);
  }

  #convert(objects: readonly StoredObject[]): MaybePromise<readonly StoredObject[]> {
    const parsed = objects.map((stored) => this.#current(stored));
    return andThen(this.#versions.convertAll(parsed, this.#definition, this.#during), (converted) =>
      objects.map((stored, index) => this.#made(stored, converted[index] as ApiObject)),
    );
  }

  #made(stored: StoredObject, converted: ApiObject): StoredObject {
    const object = inDeclaredOrder(this.#definition.type, converted) as ApiObject;
    const made = StoredObject.made(this.#definition, stored, object);
    this.#converted.keep(stored, made);
    return made;
  }

  /** The object as its version has it now: the definition may have changed since it was read. */
  #current(stored: StoredObject): ApiObject {
    const object = stored.parse();
    const definition = this.#versions.find(object.apiVersion);
    if (definition === undefined || definition === stored.definition) return object;
    return asStored(definition.type, object as unknown as JsonObject) as unknown as ApiObject;
  }
}

/** Where the slice that begins at `from` ends: it has at least one object. */
function endOfSlice(objects: readonly StoredObject[], from: number): number {
  let bytes = 0;
  let end = from;
  while (end < objects.length && end - from < sliceSize) {
    bytes += objects[end]?.bytes.length ?? 0;
    if (bytes > sliceBytes && end > from) break;
    end++;
  }
  return end;
}
