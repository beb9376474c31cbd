// What a file exports, another file imports: anything else is its own business, or dead.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const filesBelow = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|mjs)$/.test(file))
    .map((file) => join(root, folder, file));

const texts = new Map(
  ['src', 'test', 'bench', 'scripts', 'bin'].flatMap(filesBelow).map((file) => [file, readFileSync(file, 'utf8')]),
);
/** What these export is for users of the package, or for the bundle that is made of them. */
const bundled = [...texts]
  .filter(([file]) => relative(root, file).startsWith('scripts/'))
  .flatMap(([, text]) => [...text.matchAll(/'(src\/[\w/-]+\.ts)'/g)].map(([, file]) => file ?? ''));
const entries = new Set(['src/index.ts', 'src/testing/index.ts', ...bundled].map((file) => join(root, file)));

/** Names after which a file is imported or exported again: `{ a, type B as C } from './x.ts'`. */
const named = /(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'(\.[^']+)'/g;
/** Imports that may use anything: `* as x`, `import('./x.ts')` and the like. */
const whole = /(?:\*\s+as\s+\w+\s+from\s+|export\s+\*\s+from\s+|import\(\s*|new URL\(\s*)'(\.[^']+)'/g;
/** `(await import('./x.ts')).a`, `const { a } = await import('./x.ts')`, `typeof import('./x.ts').a` */
const picked = /import\('(\.[^']+)'\)\)?\.(\w+)|const \{([^}]*)\} = await import\('(\.[^']+)'\)/g;

const original = (name: string) =>
  name
    .trim()
    .replace(/^type\s+/, '')
    .split(/\s+as\s+/)[0] ?? '';

function usesIn(file: string, text: string): string[] {
  const at = (specifier: string, name: string) => `${resolve(dirname(file), specifier)}#${name}`;
  const uses = [...text.matchAll(named)].flatMap(([, names = '', from = '']) =>
    names.split(',').map((name) => at(from, original(name))),
  );
  for (const [, from, name, names, source] of text.matchAll(picked)) {
    if (from !== undefined && name !== undefined && name !== 'then') uses.push(at(from, name));
    for (const one of names?.split(',') ?? []) uses.push(at(source ?? '', one.split(':')[0]?.trim() ?? ''));
  }
  const rest = text.replaceAll(picked, (match, _, name) => (name === 'then' ? match : ''));
  return [...uses, ...[...rest.matchAll(whole)].map(([, from = '']) => at(from, '*'))];
}

const used = new Set([...texts].flatMap(([file, text]) => usesIn(file, text)));
const declared =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;

/** Types that the declarations in the package name, though no source does. */
const inDeclarations: ReadonlySet<string> = new Set(['FieldSpec', 'JsonSchemaProps']);

/** Texts of programs that a source writes have exports of their users. */
const withoutTemplates = (text: string) => text.replace(/`(?:[^`\\]|\\.)*`/gs, '``');

function unusedIn(file: string, text: string): string[] {
  if (entries.has(file) || used.has(`${file}#*`)) return [];
  const names = new Set([...withoutTemplates(text).matchAll(declared)].map(([, name]) => name ?? ''));
  return [...names].filter((name) => !used.has(`${file}#${name}`) && !inDeclarations.has(name));
}

test('a name is exported only where another file imports it', () => {
  const sources = [...texts].filter(([file]) => relative(root, file).startsWith('src/'));
  const unused = sources.flatMap(([file, text]) =>
    unusedIn(file, text).map((name) => `${relative(root, file)}: ${name}`),
  );
  expect(sources.length).toBeGreaterThan(500);
  expect(used.size).toBeGreaterThan(2000);
  expect(unused).toEqual([]);
});
