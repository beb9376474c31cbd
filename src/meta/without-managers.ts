// Stored JSON without the managers of its fields, which can be most of a large object, and which only their own code reads.

import { UnexpectedJsonError, withoutMember } from '../base/json/json-member.ts';

/** Smaller objects are read as they are: to look for the managers would take longer. */
export const largeBytes = 256 * 1024;

const path = ['metadata', 'managedFields'] as const;

/** Returns the argument if there are no managers, and for bytes in another form than the server's JSON. */
export function withoutManagers(json: Uint8Array): Uint8Array {
  try {
    return withoutMember(json, path);
  } catch (error) {
    if (error instanceof UnexpectedJsonError) return json;
    throw error;
  }
}
