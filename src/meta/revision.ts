// One global, monotonic revision orders every write; the wire shows it as an opaque resourceVersion.

declare const brand: unique symbol;
export type Revision = number & { readonly [brand]: 'Revision' };

export const zeroRevision = 0 as Revision;

export function revision(value: number): Revision {
  return value as Revision;
}

const largest = 2n ** 64n - 1n;

/** The revision of a resourceVersion text, or undefined if the text is invalid. Revisions beyond any store are not distinguished. */
export function parseRevision(text: string): Revision | undefined {
  if (!/^\d{1,20}$/.test(text) || (text.length === 20 && BigInt(text) > largest)) return undefined;
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER) as Revision;
}

/** How fresh a read has to be. */
export type ReadAt =
  | { readonly mode: 'latest' }
  | { readonly mode: 'any' }
  | { readonly mode: 'notOlderThan' | 'exact'; readonly revision: Revision };
