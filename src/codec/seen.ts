// What a reader notices in a large JSON text on the way, so that the text need not be read again for it.

import type { JsonVisitor, PathPart } from '../base/json-scan.ts';

/** More than any honest document has; what comes after them is not told. */
const maxNoticed = 1000;

interface SeenNumber {
  readonly literal: string;
  readonly path: readonly PathPart[];
}

export class Seen implements JsonVisitor {
  /** Paths of the first keys that repeat. */
  readonly repeated: (readonly PathPart[])[] = [];
  /** The first numbers that are written with a fraction or an exponent. */
  readonly fractions: SeenNumber[] = [];

  key = (_: string, path: readonly PathPart[], repeats: boolean): void => {
    if (repeats && this.repeated.length < maxNoticed) this.repeated.push([...path]);
  };

  number = (literal: string, path: readonly PathPart[]): void => {
    if (this.fractions.length < maxNoticed && /[.eE]/.test(literal)) this.fractions.push({ literal, path: [...path] });
  };
}
