// Whether an applied configuration fits its type. Unlike other writes it may hold nothing that the schema does not
// know, because no manager could own it.

import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { goPlain, goSyntax, goTypeName } from '../../wording/go-format.ts';
import { fieldElement, showElement } from '../fields/element.ts';
import { elementOf, MissingKeyError } from './list-items.ts';
import type { Accepts, KeyedList, SetTopology, Topology } from './topology.ts';

/** Everything wrong with a configuration. */
export class MisfitError extends Error {}

/** More than a client reads. */
const maxErrors = 100;

/** Throws a `MisfitError` that names every place. What is stored may have items of one element more than once. */
export function checkFit(topology: Topology, object: object, isStored = false): void {
  const walk = new Walk(isStored);
  walk.check(topology, object);
  const errors = walk.errors.sort();
  if (errors.length === 0) return;
  throw new MisfitError(
    errors.length === 1 ? (errors[0] as string) : `errors:\n${errors.map((text) => `  ${text}`).join('\n')}`,
  );
}

/** compat: values of a wrong type are shown as the reference implementation's language prints them */
const scalarFindings: Readonly<Record<Exclude<Accepts, 'anything'>, (value: unknown) => string>> = {
  string: (value) => `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`,
  number: (value) => `expected numeric (int or float), got ${goTypeName(value)}`,
  boolean: (value) => `expected boolean, got ${pointed(value)}`,
  any: (value) => `expected any scalar, got ${pointed(value)}`,
};

const pointed = (value: unknown): string => `&{${goPlain(value)}}`;

type Members = Extract<Topology, { is: 'struct' | 'map' }>;
type Items = Extract<Topology, { is: 'list' | 'set' | 'keyed' }>;

class Walk {
  readonly errors: string[] = [];
  readonly #mayRepeat: boolean;
  /** Path elements, and positions in lists; put into words only when something is found. */
  readonly #path: (string | number)[] = [];

  constructor(mayRepeat: boolean) {
    this.#mayRepeat = mayRepeat;
  }

  check(topology: Topology, value: unknown): void {
    if (value === null) return;
    switch (topology.is) {
      case 'scalar':
        this.#checkScalar(topology.accepts, value);
        return;
      case 'list':
      case 'set':
      case 'keyed':
        if (Array.isArray(value)) this.#checkItems(topology, value);
        else this.#find(`expected list, got ${pointed(value)}`);
        return;
      case 'struct':
      case 'map':
        if (isJsonObject(value)) this.#checkMembers(topology, value);
        else this.#find(`expected map, got ${pointed(value)}`);
        return;
      case 'untyped':
    }
  }

  #find(what: string): void {
    if (this.errors.length >= maxErrors) return;
    const path = this.#path.map((part) => (typeof part === 'number' ? `[${part}]` : showElement(part))).join('');
    this.errors.push(`${path}: ${what}`);
  }

  #checkScalar(accepts: Accepts, value: unknown): void {
    if (accepts === 'anything') return;
    const found = typeof value === 'bigint' ? 'number' : typeof value;
    const fits = accepts === 'any' ? found !== 'object' : found === accepts;
    if (!fits) this.#find(scalarFindings[accepts](value));
  }

  #checkItems(topology: Items, list: readonly unknown[]): void {
    const seen = new Set<string>();
    for (const [index, item] of list.entries()) {
      if (!this.#enterItem(topology, item, index, seen)) return;
      this.check(topology.of, item);
      this.#path.pop();
    }
  }

  /** Goes on to an item, if it can be named. */
  #enterItem(topology: Items, item: unknown, index: number, seen: Set<string>): boolean {
    const element = topology.is === 'list' ? index : this.#checkElement(topology, item, index, seen);
    if (element !== undefined) this.#path.push(element);
    return element !== undefined;
  }

  /** Items of an associative list need keys, and their own keys. Undefined for an item that cannot be named. */
  #checkElement(
    topology: KeyedList | SetTopology,
    item: unknown,
    index: number,
    seen: Set<string>,
  ): string | undefined {
    try {
      const element = elementOf(topology, item);
      if (seen.has(element) && !this.#mayRepeat) this.#find(`duplicate entries for key ${showElement(element)}`);
      seen.add(element);
      return element;
    } catch (error) {
      if (!(error instanceof MissingKeyError)) throw error;
      this.#find(`element ${index}: ${error.message}`);
      return undefined;
    }
  }

  #checkMembers(topology: Members, object: JsonObject): void {
    for (const key of Object.keys(object)) {
      const type = this.#enterMember(topology, key);
      if (type !== undefined) this.check(type, object[key]);
      this.#path.pop();
    }
  }

  /** Goes on to a member. Undefined where the schema does not know it. */
  #enterMember(topology: Members, key: string): Topology | undefined {
    const isTop = this.#path.length === 0;
    this.#path.push(fieldElement(key));
    const type = topology.is === 'map' ? topology.of : (topology.fields.get(key)?.type ?? topology.rest);
    if (type === undefined && !(isTop && typeMeta.has(key))) this.#find('field not declared in schema');
    return type;
  }
}

const typeMeta: ReadonlySet<string> = new Set(['kind', 'apiVersion']);
