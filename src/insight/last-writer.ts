// Who wrote an object last and when, as far as metadata.managedFields has recorded it.

import type { ApiObject } from '../meta/object.ts';

export interface LastWriter {
  /** Usually made from the user agent. */
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly time?: string;
}

interface Entry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: unknown;
}

/** The newest of the entries that a write has changed; undefined where it changed none. */
export function lastWriter(before: ApiObject | undefined, after: ApiObject): LastWriter | undefined {
  const known = new Set(entriesOf(before).map((entry) => JSON.stringify(entry)));
  const changed = entriesOf(after).filter((entry) => !known.has(JSON.stringify(entry)));
  const [newest] = changed.sort((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1));
  if (newest === undefined) return undefined;
  const { manager = '', operation = '', subresource = '', time } = newest;
  return {
    ...{ manager, operation },
    ...(subresource === '' ? {} : { subresource }),
    ...(time === undefined ? {} : { time }),
  };
}

const entriesOf = (object: ApiObject | undefined): readonly Entry[] =>
  (object?.metadata as { readonly managedFields?: readonly Entry[] } | undefined)?.managedFields ?? [];
