// The titles of tests, as pages name them.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const titles = new Map<string, ReadonlySet<string>>();

/** After `test(`, `describe.each(...)(` and the like comes a title. */
const titled = /(?:\b(?:test|describe)(?:\.\w+)*(?:<[^()]*>)?\(|\)\()\s*(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g;

function titlesIn(file: string): ReadonlySet<string> {
  let known = titles.get(file);
  if (known === undefined) {
    const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '';
    known = new Set([...text.matchAll(titled)].map(([, , title = '']) => title.replace(/\\(.)/g, '$1')));
    titles.set(file, known);
  }
  return known;
}

export const hasTest = (file: string, title: string): boolean => titlesIn(file).has(title);
