import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtInDeclarations } from './kind-declarations.ts';

const folder = join(import.meta.dirname, 'kinds');
const written = () => readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]);

test('types of built-in kinds: those that the build wrote are those of the data; npm run build writes them', () => {
  const files = builtInDeclarations();
  expect(files.size).toBeGreaterThan(15);
  const expected = [...files].map(([name, text]) => [`${name}.ts`, text]);
  expect(Object.fromEntries(written())).toEqual(Object.fromEntries(expected));
});
