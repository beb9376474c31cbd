// The versions of one kind, and how objects of one become objects of another.

import type { JsonObject } from '../base/json/json.ts';
import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import type { Dialect } from '../meta/dialect.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import type { RequestLife } from '../meta/request-life.ts';
import { settleConverted } from '../schema/object-type.ts';
import type { BatchConversion, ResourceDefinition } from '../schema/resource.ts';

/** Twice the usual limit of a request. */
const longestRequestMs = 120_000;

/** All known versions of what is kept below one prefix of the store. */
export class KindVersions {
  readonly #byApiVersion = new Map<string, ResourceDefinition>();
  readonly #dialect: Dialect;
  #stored: ResourceDefinition | undefined;
  #waits = false;
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Adds a version, or replaces it. */
  add(definition: ResourceDefinition): void {
    const apiVersion = formatApiVersion(definition);
    const before = this.#byApiVersion.get(apiVersion);
    // a registry that is made again adds the definition that is there
    if (before !== undefined && before !== definition) this.#changedAt = performance.now();
    this.#byApiVersion.set(apiVersion, definition);
    if (definition.conversion === undefined && definition.batchConversion === undefined) this.#stored = definition;
    else if (this.#stored === before) this.#stored = undefined;
    this.#lookAgain();
  }

  remove(definition: ResourceDefinition): void {
    const apiVersion = formatApiVersion(definition);
    if (this.#byApiVersion.get(apiVersion) !== definition) return;
    this.#byApiVersion.delete(apiVersion);
    this.#changedAt = performance.now();
    if (this.#stored === definition) this.#stored = undefined;
    this.#lookAgain();
  }

  #lookAgain(): void {
    this.#waits = [...this.#byApiVersion.values()].some(({ batchConversion }) => batchConversion !== undefined);
  }

  /** Whether a version was replaced or removed so lately that requests which began before may still write. */
  get haveChanged(): boolean {
    return performance.now() - this.#changedAt < longestRequestMs;
  }

  /** Which versions there are, as one text to compare. */
  get names(): string {
    return [...this.#byApiVersion.keys()].sort().join();
  }

  get isEmpty(): boolean {
    return this.#byApiVersion.size === 0;
  }

  /** The version that objects are stored in. */
  get stored(): ResourceDefinition {
    if (this.#stored === undefined) throw new Error('no version of the kind is the stored one');
    return this.#stored;
  }

  /** Whether another server converts some of the versions, so that conversions may wait. */
  get waits(): boolean {
    return this.#waits;
  }

  /** Undefined for a version that is not known, or not known any more. */
  find(apiVersion: string): ResourceDefinition | undefined {
    return this.#byApiVersion.get(apiVersion);
  }

  /** The object as another version has it; waits only where another server converts, and no longer than the request lasts. */
  convert(object: ApiObject, to: ResourceDefinition, during?: RequestLife): MaybePromise<ApiObject> {
    if (object.apiVersion === formatApiVersion(to)) return object;
    return andThen(this.convertAll([object], to, during), ([converted]) => converted as ApiObject);
  }

  /** The same for many, which may be of several versions: a server that converts is asked once. */
  convertAll(
    objects: readonly ApiObject[],
    to: ResourceDefinition,
    during?: RequestLife,
  ): MaybePromise<readonly ApiObject[]> {
    const apiVersion = formatApiVersion(to);
    const others = objects.filter((object) => object.apiVersion !== apiVersion);
    if (others.length === 0) return objects;
    const batch = this.#batchConversion(others, to);
    const raw = batch ? batch.convert(others, apiVersion, during) : others.map((object) => this.#changed(object, to));
    return andThen(raw, (changed) => {
      const next = changed[Symbol.iterator]();
      return objects.map((object) =>
        object.apiVersion === apiVersion ? object : withVersion(next.next().value as ApiObject, to, apiVersion),
      );
    });
  }

  #batchConversion(objects: readonly ApiObject[], to: ResourceDefinition): BatchConversion | undefined {
    const versions = [to, ...objects.map(({ apiVersion }) => this.find(apiVersion))];
    return versions.find((version) => version?.batchConversion !== undefined)?.batchConversion;
  }

  /** By the functions of built-in kinds; objects of other kinds have one shape in all their versions. */
  #changed(object: ApiObject, to: ResourceDefinition): ApiObject {
    const stored = this.find(object.apiVersion)?.conversion?.toStorage(object, this.#dialect) ?? object;
    return to.conversion?.fromStorage(stored, this.#dialect) ?? stored;
  }
}

function withVersion(object: ApiObject, { kind, type }: ResourceDefinition, apiVersion: string): ApiObject {
  const named = { ...object, kind, apiVersion } as unknown as JsonObject;
  return settleConverted(type, named) as unknown as ApiObject;
}
