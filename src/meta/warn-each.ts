// What is said about each item of a list that is in order: with pauses where the list is long.

/** Texts for the client; where there is none, others may have their turn before the next. */
export type Warnings = Iterable<string | undefined>;

/** How many items are looked at between two pauses. */
const stepItems = 32;

/** What is said about all items in order. */
export function* warnEach<T>(items: Iterable<T>, rule: (item: T, index: number) => Warnings): Warnings {
  let index = 0;
  for (const item of items) {
    yield* rule(item, index++);
    if (index % stepItems === 0) yield;
  }
}
