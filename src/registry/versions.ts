// The versions of one kind, and how objects of one become objects of another.

import type { JsonObject } from '../base/json.ts';
import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import type { Dialect } from '../meta/dialect.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import type { RequestLife } from '../meta/request-life.ts';
import { asConverted } from '../schema/object-type.ts';
import type { BatchConversion, ResourceDefinition } from '../schema/resource.ts';

/** All known versions of what is kept below one prefix of the store. */
export class KindVersions {
  readonly #byApiVersion = new Map<string, ResourceDefinition>();
  readonly #dialect: Dialect;
  #stored: ResourceDefinition | undefined;
  #waits = false;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Adds a version, or replaces it. */
  add(definition: ResourceDefinition): void {
    const apiVersion = formatApiVersion(definition);
    const before = this.#byApiVersion.get(apiVersion);
    this.#byApiVersion.set(apiVersion, definition);
    if (definition.conversion === undefined && definition.batchConversion === undefined) this.#stored = definition;
    else if (this.#stored === before) this.#stored = undefined;
    this.#lookAgain();
  }

  remove(definition: ResourceDefinition): void {
    const apiVersion = formatApiVersion(definition);
    if (this.#byApiVersion.get(apiVersion) !== definition) return;
    this.#byApiVersion.delete(apiVersion);
    if (this.#stored === definition) this.#stored = undefined;
    this.#lookAgain();
  }

  #lookAgain(): void {
    this.#waits = [...this.#byApiVersion.values()].some(({ batchConversion }) => batchConversion !== undefined);
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
    if (batch === undefined) return objects.map((object) => this.convertPure(object, to));
    return batch.convert(others, apiVersion, during).then((converted) => {
      const next = converted[Symbol.iterator]();
      return objects.map((object) =>
        object.apiVersion === apiVersion ? object : shaped(next.next().value as ApiObject, to, apiVersion),
      );
    });
  }

  #batchConversion(objects: readonly ApiObject[], to: ResourceDefinition): BatchConversion | undefined {
    const versions = [to, ...objects.map(({ apiVersion }) => this.find(apiVersion))];
    return versions.find((version) => version?.batchConversion !== undefined)?.batchConversion;
  }

  /** For kinds that are known to be converted by functions, such as all that are built in. */
  convertPure(object: ApiObject, to: ResourceDefinition): ApiObject {
    const apiVersion = formatApiVersion(to);
    if (object.apiVersion === apiVersion) return object;
    const stored = this.find(object.apiVersion)?.conversion?.toStorage(object, this.#dialect) ?? object;
    return shaped(to.conversion?.fromStorage(stored, this.#dialect) ?? stored, to, apiVersion);
  }
}

const shaped = (object: ApiObject, { kind, type }: ResourceDefinition, apiVersion: string): ApiObject =>
  asConverted(type, { ...object, kind, apiVersion } as unknown as JsonObject) as unknown as ApiObject;
