// What a walk over a value finds, in the words that users of custom resources know.

import { invalidValue, notSupported, required, tooLong, tooMany, typeInvalid } from '../../meta/field-errors.ts';
import type { FieldError } from '../../meta/status.ts';
import { ValidationTooLongError } from '../../meta/write-errors.ts';

interface ReportOptions {
  readonly anyType?: boolean;
  readonly effort?: { spent: number };
  readonly onLong?: (() => void) | undefined;
}

/**
 * Validation errors about one value. `name` is always the path inside that value, empty for the value itself; `matches` counts the
 * checks that were made, by which the best of several alternatives that do not fit is chosen.
 */
export class Report {
  readonly errors: FieldError[] = [];
  matches = 0;
  /** Whether what may be an integer or a string may be anything else, too. */
  readonly anyType: boolean;
  /** What validating the whole value has cost, in all reports about it. */
  readonly effort: { spent: number };
  /** Called once when the effort is long. */
  readonly onLong: (() => void) | undefined;
  readonly #at: string;

  /** `at` is where the value stands; empty for a whole object. */
  constructor(at: string, { anyType = false, effort = { spent: 0 }, onLong }: ReportOptions = {}) {
    this.#at = at;
    this.effort = effort;
    this.onLong = onLong;
    this.anyType = anyType;
  }

  spendOnCheck(): void {
    this.spend(perCheck);
  }

  /** Throws where a definition asks for too much, such as hundreds of patterns for each of many items. */
  spend(units: number): void {
    const before = this.effort.spent;
    this.effort.spent += units;
    if (before <= longEffort && this.effort.spent > longEffort) this.onLong?.();
    if (this.effort.spent > maxEffort) throw new ValidationTooLongError();
  }

  get isValid(): boolean {
    return this.errors.length === 0;
  }

  /** A report about the same value, to be merged or thrown away. */
  fork(): Report {
    return new Report(this.#at, this);
  }

  /** Takes back everything after the first `count` validation errors. */
  forget(count: number): void {
    this.errors.length = count;
  }

  merge(other: Report): void {
    this.errors.push(...other.errors.slice(0, most));
    this.matches += other.matches;
  }

  /** `wanted` and `found` are names of types, or of a format and its text. */
  wrongType(name: string, wanted: string, found: string): void {
    const detail = `${name} in body must be of type ${wanted}: ${JSON.stringify(found)}`;
    this.#add(typeInvalid(this.#field(name), found, detail));
  }

  invalid(name: string, value: unknown, problem: string): void {
    this.#add(invalidValue(this.#field(name), value, `${name} in body ${problem}`));
  }

  /** A value cannot be a multiple of nothing. */
  noFactor(name: string, factor: number): void {
    const detail = `factor MultipleOf declared for ${name} must be positive: ${factor}`;
    this.#add(invalidValue(this.#field(name), factor, detail));
  }

  missing(name: string): void {
    this.#add(required(this.#field(name)));
  }

  unsupported(name: string, value: unknown, texts: readonly string[]): void {
    this.#add(notSupported(this.#field(name), value, texts));
  }

  tooLong(name: string, limit: number): void {
    this.#add(tooLong(this.#field(name), limit));
  }

  tooMany(name: string, count: number, limit: number): void {
    this.#add(tooMany(this.#field(name), count, limit));
  }

  /** compat: validation errors about alternatives are reported at the whole value, which has no name in an object */
  alternatives(name: string, problem: string): void {
    this.whole(`${JSON.stringify(name)} ${problem}`);
  }

  /** Something about the whole value. */
  whole(problem: string): void {
    this.#add(invalidValue(this.#at || '<nil>', '', problem));
  }

  #field(name: string): string {
    if (name === '') return this.#at || '<nil>';
    return this.#at === '' ? name : `${this.#at}.${name}`;
  }

  #add(error: FieldError): void {
    if (this.errors.length < most) this.errors.push(error);
  }
}

/** Of effort: a check. A text that is held to a pattern counts its characters times the weight of the pattern. */
const perCheck = 100;
/** Some 20 milliseconds. */
const longEffort = 3_000_000;
/** One or two seconds. */
const maxEffort = 200_000_000;

/** No client reads more; a value of a million wrong items must not become an answer of a million causes. */
const most = 1000;
