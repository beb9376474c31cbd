// Warnings about each item of a list.

/** Texts for a client about an object that is valid. */
export type Warnings = readonly string[];

/** Together they must fit into headers of 4096 characters: the server could not send more than these. */
export const maxWarnings = 200;

const none: Warnings = [];

/** The warnings about all items in order; ends at the item with which they are as many as can be sent. */
export function warnEach<T>(items: readonly T[], rule: (item: T, index: number) => Warnings): Warnings {
  let warnings: string[] | undefined;
  for (let index = 0; index < items.length && (warnings === undefined || warnings.length < maxWarnings); index++) {
    const more = rule(items[index] as T, index);
    if (more.length === 0) continue;
    warnings ??= [];
    for (const text of more) warnings.push(text);
  }
  return warnings ?? none;
}
