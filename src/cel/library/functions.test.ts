// The table of functions in docs/cel.md, compared with the tables of the engine.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Library } from '../declarations.ts';
import { macroNames } from '../macros.ts';
import { encoders } from './encoders.ts';
import { jsonPatch } from './json-patch.ts';
import { standardLibraries } from './standard.ts';
import { reversedStrings } from './strings.ts';

const page = readFileSync(new URL('../../../docs/cel.md', import.meta.url), 'utf8');

interface Row {
  readonly since: string;
  readonly functions: readonly string[];
}

/** `| 1.28 | quantities | `quantity` `isQuantity` |` */
const rows: readonly Row[] = [...page.matchAll(/^\| (1\.\d+|macros|elsewhere) +\| [^|]+ \| ([^|]+) \|$/gm)].map(
  ([, since = '', functions = '']) => ({
    since,
    functions: [...functions.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  }),
);

/** Operators, and functions that only macros call, have names that cannot be written. */
const isWritten = (name: string) => /^[A-Za-z][\w.]*$/.test(name);
const namesOf = (libraries: readonly Library[]) =>
  [...new Set(libraries.flatMap(({ functions }) => Object.keys(functions)))].filter(isWritten).sort();
const listed = (matches: (row: Row) => boolean) =>
  rows
    .filter(matches)
    .flatMap(({ functions }) => functions)
    .sort();

test('docs/cel.md lists the functions that every expression has, each once', () => {
  expect(listed(({ since }) => since.startsWith('1.'))).toEqual(namesOf(standardLibraries));
});

test('docs/cel.md lists the macros', () => {
  expect(listed(({ since }) => since === 'macros')).toEqual([...macroNames, 'cel.bind'].sort());
});

test('docs/cel.md lists what only some expressions have', () => {
  const some = [jsonPatch, encoders, reversedStrings].flatMap(({ functions }) => Object.keys(functions)).sort();
  expect(listed(({ since }) => since === 'elsewhere')).toEqual(some);
});
