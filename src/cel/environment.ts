// What an expression may use: variables, functions and types.

import { memoized } from '../base/memoized.ts';
import type { Library, Overload } from './declarations.ts';
import { standardLibraries } from './library/standard.ts';
import {
  bool,
  bytes,
  type CelType,
  double,
  duration,
  dyn,
  int,
  list,
  map,
  nullType,
  type ObjectType,
  runtimeName,
  string,
  timestamp,
  uint,
} from './types.ts';

interface EnvironmentOptions {
  readonly variables: Readonly<Record<string, CelType>>;
  /** Object types that an expression may construct by name. */
  readonly objects?: readonly ObjectType[];
  /** Those of them that are too many to be listed. */
  readonly objectNamed?: (name: string) => ObjectType | undefined;
  /** Whether an expression may name values by `cel.bind`, which most of Kubernetes' may not. */
  readonly bindings?: true;
  /** The minor release beyond which nothing may be used; without one, everything may. */
  readonly newest?: number | undefined;
  /** Instead of the functions that Kubernetes has in every expression. */
  readonly libraries?: readonly Library[];
}

const namedTypes: readonly CelType[] = [
  bool,
  bytes,
  double,
  duration,
  int,
  list(dyn),
  map(dyn, dyn),
  nullType,
  string,
  timestamp,
  uint,
  { is: 'type' },
];

/** Declarations, looked up by name. Made once and used for many expressions. */
export class Environment {
  readonly #variables: ReadonlyMap<string, CelType>;
  readonly #types: ReadonlyMap<string, CelType>;
  readonly #objectNamed: EnvironmentOptions['objectNamed'];
  readonly bindings: boolean;
  readonly newest: number;
  readonly #functions: ReadonlyMap<string, readonly Overload[]>;
  readonly #slots = new Map<string, number>();

  constructor(options: EnvironmentOptions) {
    const { variables, objects = [], objectNamed, bindings = false, newest = Number.POSITIVE_INFINITY } = options;
    const libraries = librariesUpTo(newest, options.libraries ?? standardLibraries);
    this.#variables = new Map(Object.entries(variables));
    const types = [...namedTypes, ...libraries.flatMap((library) => library.types ?? []), ...objects];
    this.#types = new Map(types.map((type) => [runtimeName(type), type]));
    this.#objectNamed = objectNamed;
    this.bindings = bindings;
    this.newest = newest;
    this.#functions = functionsOf(libraries);
  }

  variable(name: string): CelType | undefined {
    return this.#variables.get(name);
  }

  get variables(): ReadonlyMap<string, CelType> {
    return this.#variables;
  }

  /** Where runs keep the value of a variable: the same for all expressions, so that one run finds what another one read. */
  slotOf(name: string): number {
    const slot = this.#slots.get(name) ?? this.#slots.size;
    this.#slots.set(name, slot);
    return slot;
  }

  /** The type that a name stands for. */
  typeNamed(name: string): CelType | undefined {
    return this.#types.get(name) ?? this.#objectNamed?.(name);
  }

  overloads(name: string): readonly Overload[] | undefined {
    return this.#functions.get(name);
  }
}

const upTo = new WeakMap<readonly Library[], Map<number, readonly Library[]>>();

/** One list for a release, so that its functions are merged once. */
function librariesUpTo(newest: number, libraries: readonly Library[]): readonly Library[] {
  if (libraries.every(({ since = 0 }) => since <= newest)) return libraries;
  const byRelease = upTo.get(libraries) ?? new Map<number, readonly Library[]>();
  upTo.set(libraries, byRelease);
  const enabled = byRelease.get(newest) ?? libraries.filter(({ since = 0 }) => since <= newest);
  byRelease.set(newest, enabled);
  return enabled;
}

/** Merged once for a list of libraries. */
const functionsOf = memoized(
  (libraries: readonly Library[]): ReadonlyMap<string, readonly Overload[]> => merge(libraries),
);

function merge(libraries: readonly Library[]): ReadonlyMap<string, readonly Overload[]> {
  const functions = new Map<string, Overload[]>();
  for (const library of libraries) {
    for (const [name, overloads] of Object.entries(library.functions)) {
      const sameName = functions.get(name);
      if (sameName === undefined) functions.set(name, [...overloads]);
      else sameName.push(...overloads);
    }
  }
  return functions;
}
