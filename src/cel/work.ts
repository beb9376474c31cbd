// The work of the run at hand. Kubernetes does not charge for everything that a call looks at: the length of a long text costs
// one step, and so does the comparison of two large lists. Functions report such work here while they do it, and a run
// costs the charge of Kubernetes or its real work, whichever is more.

/** One step of cost pays for so many units. A unit is about a nanosecond: a million steps are a tenth of a second, as in Kubernetes. */
export const workPerCost = 100;

/** Work that every run may do at no cost: most runs cost exactly what Kubernetes charges. */
export const freeWork = 20_000;

/** Looking at an item of a list. */
export const perItem = 100;
/** Looking up an entry of a map, or a field of an object. */
export const perEntry = 300;

/** The run that pays. Throws where the work is too much. */
interface Payer {
  work(units: number): void;
  occupy(units: number): void;
}

/** Runs are synchronous, so that there is one at a time. Outside of runs, work is not counted. */
let payer: Payer | undefined;

export function work(units: number): void {
  payer?.work(units);
}

/** Work that costs nothing, and that others may have to wait for. */
export function occupy(units: number): void {
  payer?.occupy(units);
}

/** The cost of a call pays for texts up to this length. */
const shortText = 100;

/** Reading a character of a text. */
const perCharacterRead = 2;

/** A call reads the text once. */
export function workOnText(text: string, factor = perCharacterRead): void {
  if (text.length > shortText) payer?.work(text.length * factor);
}

/** Two texts are compared, which is quicker than reading them. */
export const perComparedCharacter = 0.25;

/** The run in which `body` is part of another one: it has its own budget. */
export function paidBy<T>(next: Payer, body: () => T): T {
  const outer = payer;
  payer = next;
  try {
    return body();
  } finally {
    payer = outer;
  }
}
