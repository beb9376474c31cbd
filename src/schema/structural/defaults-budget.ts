// What the defaults of one object may amount to. A default in a list's items is filled in once for each item, so that a
// small body could become an object of any size.

import { type JsonValue, stringifyJson } from '../../base/json/json.ts';
import { countValues } from '../../base/maps/count-values.ts';
import { maxBodyBytes, maxBodyValues } from '../../meta/body-limits.ts';
import { ApiError } from '../../meta/status.ts';

/** The defaults of an object need more than a body may hold. */
export class DefaultsTooLargeError extends ApiError {
  constructor() {
    const message =
      `Request entity too large: the defaults that its schema fills in need more than ` +
      `${maxBodyBytes} bytes or ${maxBodyValues} values`;
    super({ code: 413, reason: 'RequestEntityTooLarge', message });
  }
}

interface Size {
  readonly bytes: number;
  readonly values: number;
}

const sizes = new WeakMap<object, Size>();

function sizeOf(value: JsonValue): Size {
  if (typeof value !== 'object' || value === null) return measured(value);
  let size = sizes.get(value);
  if (size === undefined) {
    size = measured(value);
    sizes.set(value, size);
  }
  return size;
}

function measured(value: JsonValue): Size {
  if (typeof value === 'string') return { bytes: Buffer.byteLength(value), values: 1 };
  if (typeof value !== 'object') return { bytes: 1, values: 1 };
  return { bytes: Buffer.byteLength(stringifyJson(value)), values: countValues(value, maxBodyValues + 1) };
}

export class DefaultsBudget {
  #bytes = maxBodyBytes;
  #values = maxBodyValues;

  /** Throws a `DefaultsTooLargeError` for a default that does not fit any more. */
  charge(value: JsonValue, key: string): void {
    const { bytes, values } = sizeOf(value);
    this.#bytes -= bytes + key.length;
    this.#values -= values;
    if (this.#bytes < 0 || this.#values < 0) throw new DefaultsTooLargeError();
  }
}
