// What is wrong with each item of a list: in steps where the list is long and the object is judged in turns.

import { atOnce, type Steps } from '../base/steps.ts';
import type { FieldError } from './status.ts';

type Found = readonly FieldError[];

/** More than a client is told: who sends a list with so many faults does not want to know them all. */
const enough = 2000;

/** How many items are looked at in one step. */
const stepItems = 32;

/**
 * Whether what is found in long lists may be left for later, and whether something was: all that comes after it is, too.
 * Both hold for one call of rules, which never waits, and are put back when it ends: nothing else of the process sees them.
 */
let mayDefer = false;
let hasDeferred = false;

/** Stands for validation errors that are not found yet, among those of an object that is judged in turns. */
class Deferred implements FieldError {
  readonly reason = 'InternalError';
  readonly field = '';
  readonly message = 'not judged yet';
  readonly finding: Steps<Found>;

  constructor(finding: Steps<Found>) {
    this.finding = finding;
  }
}

function defer(finding: Steps<Found>): Found {
  hasDeferred = true;
  return [new Deferred(finding)];
}

const isDeferred = (one: FieldError): one is Deferred => one instanceof Deferred;

function deferring<T>(work: () => T): T {
  const [mightDefer, haveDeferred] = [mayDefer, hasDeferred];
  mayDefer = true;
  hasDeferred = false;
  try {
    return work();
  } finally {
    mayDefer = mightDefer;
    hasDeferred = haveDeferred;
  }
}

/**
 * The validation errors of all items in order; no further item is looked at once there are more than are told.
 * Rules may remember what they saw for rules that come later; who needs what is found takes `findAfter`.
 */
export function findEach<T>(items: readonly T[], rule: (item: T, index: number) => Found): Found {
  if (mayDefer && (hasDeferred || items.length > stepItems)) return defer(findingEach(items, rule));
  const found: FieldError[] = [];
  for (let index = 0; index < items.length && found.length < enough; index++)
    for (const validationError of rule(items[index] as T, index)) found.push(validationError);
  return found;
}

/** The same for the entries of a map. By keys: of a large map V8 takes three times as long to list entries. */
export function findEachEntry<T>(map: Readonly<Record<string, T>>, rule: (key: string, value: T) => Found): Found {
  return findEach(Object.keys(map), (key) => rule(key, map[key] as T));
}

/** What steps about so many items find. */
export function findIn(items: number, finding: Steps<Found>): Found {
  return mayDefer && (hasDeferred || items > stepItems) ? defer(finding) : atOnce(finding);
}

/** For rules that depend on what was found before: they are told all of it, and say what is told in the end. */
export function findAfter(first: Found, next: (found: Found) => Found): Found {
  return mayDefer && first.some(isDeferred) ? defer(findingAfter(first, next)) : next(first);
}

function* findingAfter(first: Found, next: (found: Found) => Found): Steps<Found> {
  const found = yield* complete(first);
  return yield* findingIn(() => next(found));
}

/** Each validation error as `change` has it. */
export function changeEach(found: Found, change: (one: FieldError) => FieldError): Found {
  return found.map((one) => (isDeferred(one) ? new Deferred(changing(one.finding, change)) : change(one)));
}

function* changing(finding: Steps<Found>, change: (one: FieldError) => FieldError): Steps<Found> {
  return (yield* finding).map(change);
}

/** Rules about an object: those that look at long lists, or are steps by themselves, do not find all of it at once. */
export type Rules = () => Found | Steps<Found> | undefined;

/** What rules find, in steps where it takes long. */
export function* findingIn(rules: Rules): Steps<Found> {
  const found = deferring(rules) ?? [];
  return yield* isSteps(found) ? found : complete(found);
}

const isSteps = (found: Found | Steps<Found>): found is Steps<Found> => !Array.isArray(found);

/** What is found in a list that may be long, in steps. */
export function* findingEach<T>(items: readonly T[], rule: (item: T, index: number) => Found): Steps<Found> {
  const found: FieldError[] = [];
  for (let index = 0; index < items.length && found.length < enough; index++) {
    const some = deferring(() => rule(items[index] as T, index));
    if (some.length > 0) for (const one of yield* complete(some)) found.push(one);
    if (index % stepItems === stepItems - 1) yield;
  }
  return found;
}

function* complete(found: Found): Steps<Found> {
  if (!found.some(isDeferred)) return found;
  const all: FieldError[] = [];
  for (const one of found)
    if (!isDeferred(one)) all.push(one);
    else for (const later of yield* one.finding) all.push(later);
  return all;
}
