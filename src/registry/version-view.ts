// Stored objects as one version has them. Most are stored in that version and shown as they are; others are converted, many at
// a time, and remembered.

import type { JsonObject } from '../base/json/json.ts';
import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import { forEachInTurns } from '../base/time/turns.ts';
import type { ApiObject } from '../meta/object.ts';
import type { RequestLife } from '../meta/request-life.ts';
import { settleStored } from '../schema/object-type.ts';
import { inDeclaredOrder } from '../schema/order.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { CacheEvent } from '../storage/cache/watch-cache.ts';
import { ConvertedObjects } from './converted-objects.ts';
import { StoredObject } from './stored-object.ts';
import { tooLargeDefaults } from './stored-value.ts';
import type { KindVersions } from './versions.ts';

type Change = CacheEvent<StoredObject>;

/** So many objects are converted together, by one call of another server. */
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

  /**
   * Converted again, even if it was converted lately, where another server converts: it may convert otherwise by now, or be gone.
   * So does kube-apiserver for a GET, which reads the store; its lists and watches come from a cache of converted objects.
   */
  again(stored: StoredObject): MaybePromise<StoredObject> {
    if (stored.definition === this.#definition || !this.#versions.waits) return this.of(stored);
    return andThen(this.#convert([stored]), ([shown]) => shown as StoredObject);
  }

  /** The same array where every object is stored in this version. */
  ofAll(objects: readonly StoredObject[]): MaybePromise<readonly StoredObject[]> {
    if (objects.every((stored) => stored.definition === this.#definition)) return objects;
    return this.#show(objects);
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

  #show(objects: readonly StoredObject[]): MaybePromise<readonly StoredObject[]> {
    const shown: StoredObject[] = [];
    const show = (slice: readonly StoredObject[]) =>
      andThen(this.#showSlice(slice), (ofSlice) => void shown.push(...ofSlice));
    return andThen(forEachInTurns(slicesOf(objects), show), () => shown);
  }

  #showSlice(objects: readonly StoredObject[]): MaybePromise<readonly StoredObject[]> {
    const known = objects.map((stored) => this.#known(stored));
    return andThen(this.#convert(objects.filter((_, index) => known[index] === undefined)), (converted) => {
      const next = converted[Symbol.iterator]();
      return known.map((shown) => shown ?? (next.next().value as StoredObject));
    });
  }

  #known(stored: StoredObject): StoredObject | undefined {
    return stored.definition === this.#definition ? stored : this.#converted.find(stored);
  }

  #convert(objects: readonly StoredObject[]): MaybePromise<readonly StoredObject[]> {
    const read = objects.map((stored) => this.#read(stored));
    const originals = read.map(({ object }) => object);
    return andThen(this.#versions.convertAll(originals, this.#definition, this.#during), (converted) =>
      objects.map((stored, index) => this.#make(stored, converted[index] as ApiObject, read[index]?.flaw)),
    );
  }

  #make(stored: StoredObject, converted: ApiObject, flaw: string | undefined): StoredObject {
    const object = inDeclaredOrder(this.#definition.type, converted) as ApiObject;
    const made = StoredObject.make(this.#definition, stored, object, flaw);
    this.#converted.keep(stored, made);
    return made;
  }

  /** The object as its version has it now: the definition may have changed since it was read. */
  #read(stored: StoredObject): { object: ApiObject; flaw: string | undefined } {
    const object = stored.parse();
    const definition = this.#versions.find(object.apiVersion);
    if (definition === undefined || definition === stored.definition) return { object, flaw: stored.flaw };
    const settled = settleStored(definition.type, object as unknown as JsonObject);
    const flaw = settled.lacksDefaults ? tooLargeDefaults(definition) : undefined;
    return { object: settled.object as unknown as ApiObject, flaw };
  }
}

function slicesOf(objects: readonly StoredObject[]): (readonly StoredObject[])[] {
  const slices: (readonly StoredObject[])[] = [];
  for (let from = 0; from < objects.length; ) {
    const end = endOfSlice(objects, from);
    slices.push(objects.slice(from, end));
    from = end;
  }
  return slices;
}

/** Where the slice that begins at `from` ends: it has at least one object. */
function endOfSlice(objects: readonly StoredObject[], from: number): number {
  let bytes = 0;
  let end = from;
  while (end < objects.length && end - from < sliceSize) {
    bytes += objects[end]?.size ?? 0;
    if (bytes > sliceBytes && end > from) break;
    end++;
  }
  return end;
}
