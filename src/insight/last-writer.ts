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
  const textsBefore = new Map(entriesOf(before).map((entry) => [keyOf(entry), JSON.stringify(entry)]));
  const changed = entriesOf(after).filter((entry) => textsBefore.get(keyOf(entry)) !== JSON.stringify(entry));
  // times have seconds only; a manager that only lost fields to another one has written nothing
  const gains = (entry: Entry) => JSON.stringify(entry).length - (textsBefore.get(keyOf(entry))?.length ?? 0);
  const [newest] = changed.sort((a, b) => compareTimes(b, a) || gains(b) - gains(a));
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

const keyOf = ({ manager, operation, subresource }: Entry) => JSON.stringify([manager, operation, subresource]);

const compareTimes = ({ time: a = '' }: Entry, { time: b = '' }: Entry) => (a < b ? -1 : a > b ? 1 : 0);
