// One global, monotonic revision orders every write; the wire shows it as an opaque resourceVersion.

declare const brand: unique symbol;
export type Revision = number & { readonly [brand]: 'Revision' };

export const zeroRevision = 0 as Revision;

export function revision(value: number): Revision {
  return value as Revision;
}

/** The revision a resourceVersion text stands for, or undefined when it is none. */
export function parseRevision(text: string): Revision | undefined {
  if (!/^\d{1,16}$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? (value as Revision) : undefined;
}

/** How fresh a read has to be. */
export type ReadAt =
  | { readonly mode: 'latest' }
  | { readonly mode: 'any' }
  | { readonly mode: 'notOlderThan' | 'exact'; readonly revision: Revision };
