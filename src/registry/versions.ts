// The versions of one kind: whichever version a value was stored in, a registry sees its own.

import type { Dialect } from '../meta/dialect.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import { inDeclaredOrder } from '../schema/order.ts';
import type { ResourceDefinition } from '../schema/resource.ts';

/** All known versions of what is kept below one prefix of the store. */
export class KindVersions {
  readonly #byApiVersion = new Map<string, ResourceDefinition>();
  readonly #dialect: Dialect;
  #stored: ResourceDefinition | undefined;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  add(definition: ResourceDefinition): void {
    this.#byApiVersion.set(formatApiVersion(definition), definition);
    if (definition.conversion === undefined) this.#stored = definition;
  }

  /** The version that objects are stored in. */
  get stored(): ResourceDefinition {
    if (this.#stored === undefined) throw new Error('a kind has no version to be stored in');
    return this.#stored;
  }

  /** Undefined for a version that is not known, or not known any more. */
  find(apiVersion: string): ResourceDefinition | undefined {
    return this.#byApiVersion.get(apiVersion);
  }

  /** The object as the stored version has it. */
  toStored(object: ApiObject): ApiObject {
    const from = this.#byApiVersion.get(object.apiVersion);
    if (from?.conversion === undefined) return object;
    const { kind } = this.stored;
    return { ...from.conversion.toStorage(object, this.#dialect), kind, apiVersion: formatApiVersion(this.stored) };
  }

  /** The object as another version has it. */
  convert(object: ApiObject, to: ResourceDefinition): ApiObject {
    const apiVersion = formatApiVersion(to);
    if (object.apiVersion === apiVersion) return object;
    const stored = this.toStored(object);
    const converted = to.conversion?.fromStorage(stored, this.#dialect) ?? stored;
    return inDeclaredOrder(to.type, { ...converted, kind: to.kind, apiVersion }) as ApiObject;
  }
}

/** How canonical JSON of a version begins, so that most values need not be parsed to know theirs. */
export function headOf(definition: ResourceDefinition): Buffer {
  const { kind } = definition;
  const text = JSON.stringify({ kind, apiVersion: formatApiVersion(definition) });
  return Buffer.from(text.slice(0, -1));
}
