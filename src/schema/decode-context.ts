// What decoding knows while it walks over a value.

import type { JsonObject } from '../base/json/json.ts';

interface TypeMeta {
  readonly kind: string;
  readonly apiVersion: string;
}

/** Where the walk stands, and what it found on the way. */
export class DecodeContext {
  /** Names of the fields the walk went through. */
  readonly path: string[] = [];
  /** Whether a field was met that the schema does not know. */
  metUnknown = false;

  /** Whether a null is a value, also where a user's schema does not allow it: validation has to refuse it then. */
  readonly keepsNulls: boolean;
  /** Whether what is not given gets its default. */
  readonly fillsDefaults: boolean;
  readonly #typeMeta: TypeMeta | undefined;

  /** `typeMeta` is what stands before the fields of the outermost type. */
  constructor(typeMeta?: TypeMeta, keepsNulls = false, fillsDefaults = true) {
    this.#typeMeta = typeMeta;
    this.keepsNulls = keepsNulls;
    this.fillsDefaults = fillsDefaults;
  }

  /** What a value of a type begins with. */
  begin(): Record<string, unknown> {
    const head = this.path.length === 0 ? this.#typeMeta : undefined;
    return head === undefined ? {} : { kind: head.kind, apiVersion: head.apiVersion };
  }

  /** How many of kind and apiVersion the outermost value has itself. */
  typeMetaFieldsOf({ kind, apiVersion }: JsonObject): number {
    if (this.path.length > 0 || this.#typeMeta === undefined) return 0;
    return (kind === undefined ? 0 : 1) + (apiVersion === undefined ? 0 : 1);
  }
}

/**
 * `known` is a decoded value of the same type that `value` was made from: what is still the very same in both needs
 * no second decoding.
 */
export type Decoder = (value: unknown, context: DecodeContext, known?: unknown) => unknown;
