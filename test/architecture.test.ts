// The structure is a promise: layers, names and the documents that speak of them.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { kubernetes } from '../src/meta/dialect.ts';
import { type PipelineConfig, stagesOf } from '../src/pipeline/pipeline.ts';
import { hasTest } from './named-tests.ts';

const root = resolve(import.meta.dirname, '..');
const src = join(root, 'src');

/** A folder imports from lower layers; `besides` names neighbours of its own layer that it may use too. */
const layers: readonly (readonly { readonly folder: string; readonly besides?: readonly string[] }[])[] = [
  [{ folder: 'base' }, { folder: 'runtime', besides: ['base'] }, { folder: 'wording', besides: ['base'] }],
  [
    { folder: 'meta' },
    // errors of values are found by their types: these two use each other
    { folder: 'wording/types', besides: ['meta', 'schema'] },
    { folder: 'schema', besides: ['meta', 'wording/types'] },
    { folder: 'codec', besides: ['meta', 'schema', 'wording/types'] },
    { folder: 'http2' },
  ],
  [
    { folder: 'cel' },
    { folder: 'groups', besides: ['cel'] },
    { folder: 'patch' },
    { folder: 'apply' },
    { folder: 'client' },
  ],
  [
    { folder: 'storage' },
    { folder: 'controllers' },
    { folder: 'simulation', besides: ['controllers'] },
    { folder: 'webhooks' },
  ],
  [
    { folder: 'registry' },
    { folder: 'authn' },
    { folder: 'authz' },
    { folder: 'admission' },
    { folder: 'audit' },
    { folder: 'flow-control' },
    { folder: 'trace' },
  ],
  [{ folder: 'discovery' }, { folder: 'custom-resources' }],
  [{ folder: 'handlers' }, { folder: 'insight', besides: ['handlers'] }],
  [{ folder: 'pipeline' }, { folder: 'transport' }, { folder: 'aggregation', besides: ['transport'] }],
  [
    { folder: 'config' },
    { folder: 'pki', besides: ['config'] },
    { folder: 'metrics' },
    { folder: 'bootstrap' },
    { folder: 'console' },
  ],
  [{ folder: 'threads' }],
  [{ folder: 'server' }],
  [{ folder: 'testing' }, { folder: 'cli', besides: ['testing'] }, { folder: 'index.ts' }],
];

/** Controllers are clients that happen to run inside: they see these folders only, and simulations see controllers too. */
const controllersSee = new Set(['client', 'groups', 'meta', 'base']);

function layerOf(folder: string): number {
  return layers.findIndex((layer) => layer.some((entry) => entry.folder === folder));
}

function mayImport(from: string, to: string): boolean {
  if (from === to) return true;
  if (from === 'controllers') return controllersSee.has(to);
  if (from === 'simulation') return controllersSee.has(to) || to === 'controllers';
  const besides = layers[layerOf(from)]?.find((entry) => entry.folder === from)?.besides ?? [];
  return layerOf(to) < layerOf(from) || besides.includes(to);
}

const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => join(src, file));
const production = sources.filter(
  (file) => !file.endsWith('.test.ts') && !/(storage\/(contract\/.*|model)|apply\/scenario)\.ts$/.test(file),
);

/** Every page of documentation by its path, with its text. */
const pages = new Map(
  ['README.md', 'CONTRIBUTING.md', 'bench/README.md', ...markdownIn('docs')].map((page) => [
    page,
    readFileSync(join(root, page), 'utf8'),
  ]),
);

function markdownIn(folder: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.md')).map((file) => `${folder}/${file}`);
}

/** The longest entry of the layers that a file is in; a new folder by its name. */
function folderOf(file: string): string {
  const [first = '', second = ''] = relative(src, file).split('/');
  return layerOf(`${first}/${second}`) < 0 ? first : `${first}/${second}`;
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(
    ([, specifier]) => specifier as string,
  );
  return specifiers.map((specifier) => resolve(dirname(file), specifier));
}

/** Imports that are there as soon as the file is: neither types nor what is imported later. */
function loadedWith(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const statements = [...text.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^;'(]*\sfrom\s+)?'(\.[^']+)'/gm)];
  return statements.map(([, specifier]) => resolve(dirname(file), specifier as string));
}

describe('layers', () => {
  test('every folder has its place', () => {
    expect(production.map(folderOf).filter((folder) => layerOf(folder) < 0)).toEqual([]);
  });

  test('imports point downwards only', () => {
    const offending = production.flatMap((file) =>
      importsOf(file)
        .filter((target) => !mayImport(folderOf(file), folderOf(target)))
        .map((target) => `${relative(src, file)} imports ${relative(src, target)}`),
    );
    expect(offending).toEqual([]);
  });

  test('no two files of groups import each other: what rules need of a kind is in its type', () => {
    const groups = production.filter((file) => folderOf(file) === 'groups');
    // an import() inside a function is meant to break a circle
    const named = (file: string) =>
      [...readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) =>
        resolve(dirname(file), path),
      );
    const imports = new Map(groups.map((file) => [file, named(file)]));
    const pairs = groups.flatMap((file) =>
      named(file)
        .filter((target) => file < target && imports.get(target)?.includes(file))
        .map((target) => `${relative(src, file)} and ${relative(src, target)}`),
    );
    expect(pairs).toEqual([]);
  });

  test('the language of expressions is not loaded with the server', () => {
    const loaded = new Set([join(src, 'index.ts'), join(src, 'cli/main.ts')]);
    for (const file of loaded) for (const target of loadedWith(file)) loaded.add(target);
    const language = [...loaded].filter((file) => folderOf(file) === 'cel').map((file) => relative(src, file));
    expect(loaded.size).toBeGreaterThan(500);
    expect(language).toEqual([]);
  });

  test('imported files exist', () => {
    const missing = sources.flatMap((file) => importsOf(file).filter((target) => !existsSync(target)));
    expect(missing).toEqual([]);
  });
});

describe('what Node and V8 do not document', () => {
  const undocumented = /setFlagsFromString|getOwnPropertySymbols|cachedData|\.push = |createSecureContext\(\)/;
  const isRuntime = (file: string) => folderOf(file) === 'runtime';
  const reliesOnIt = production.filter((file) => undocumented.test(readFileSync(file, 'utf8')));

  test('is relied on in src/runtime only', () => {
    expect(reliesOnIt.filter((file) => !isRuntime(file)).map((file) => relative(src, file))).toEqual([]);
  });

  test('is turned off by the one switch', () => {
    expect(reliesOnIt.length).toBeGreaterThan(2);
    const deaf = reliesOnIt.filter((file) => !importsOf(file).includes(join(src, 'runtime/plain-runtime.ts')));
    expect(deaf.map((file) => relative(src, file))).toEqual([]);
    const readers = production.filter((file) => readFileSync(file, 'utf8').includes("env['KEELSON_PLAIN_RUNTIME']"));
    expect(readers.map((file) => relative(src, file))).toEqual(['runtime/plain-runtime.ts']);
  });
});

describe('names of the product', () => {
  const words = /k8s\.io|kubernetes\.io|kube-system|kube-public|kube-node-lease|vnd\.kubernetes|x-kubernetes/;

  test('stand in the dialect and nowhere else', () => {
    const spelled = production
      .filter((file) => !file.endsWith('meta/dialect.ts'))
      .flatMap((file) =>
        codeLines(file)
          .filter((line) => words.test(line))
          .map((line) => `${relative(src, file)}: ${line.trim()}`),
      );
    expect(spelled).toEqual([]);
  });

  function codeLines(file: string): string[] {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(\/\/|\*|\/\*\*)/.test(line));
  }
});

describe('habits', () => {
  test('every source file opens with a line that says what it is for', () => {
    const silent = production.filter((file) => !readFileSync(file, 'utf8').startsWith('// '));
    expect(silent.map((file) => relative(src, file))).toEqual([]);
  });

  test('errors for clients are worded in src/meta', () => {
    const worded = production
      .filter((file) => folderOf(file) !== 'meta' && readFileSync(file, 'utf8').includes('new ApiError('))
      .map((file) => relative(src, file));
    expect(worded).toEqual([]);
  });

  test('no folder is a drawer for everything', () => {
    const drawers = sources.filter((file) => /\/(utils?|common|helpers?|internal)\//.test(file));
    expect(drawers).toEqual([]);
  });

  test('texts name who acts: the client, the server, a controller', () => {
    const words = /\b(?:somebody|nobody|whoever|whom|anybody|everybody)\b/i;
    const texts = [...pages, ...sources.map((file) => [relative(root, file), readFileSync(file, 'utf8')] as const)];
    const lines = texts.flatMap(([file, text]) => text.split('\n').map((line) => `${file}: ${line}`));
    expect(lines.filter((line) => words.test(line))).toEqual([]);
  });
});

describe('docs', () => {
  test('the lists of options and flags are those of the tables', () => {
    const check = () => execFileSync(process.execPath, ['scripts/write-options.mjs', '--check'], { cwd: root });
    expect(check).not.toThrow();
  });

  const architecture = pages.get('docs/architecture.md') as string;

  test('there are pages to look at', () => {
    expect([...pages.keys()]).toEqual(expect.arrayContaining(['README.md', 'docs/recipes.md', 'bench/README.md']));
  });

  test.each([...pages])('%s names files that exist', (page, text) => {
    const named = [...text.matchAll(/`((?:src|test|bench|docs|scripts|bin)\/[\w./-]+)`/g)].map(
      ([, path]) => path as string,
    );
    if (page === 'docs/architecture.md') expect(named.length).toBeGreaterThan(30);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test.each([...pages])('%s has links that lead to files', (page, text) => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link as string);
    const inside = links.filter((link) => !/^(https?:|#)/.test(link)).map((link) => link.replace(/#.*$/, ''));
    expect(inside.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
  });

  test.each([...pages])('%s has no line that is too long to read', (_, text) => {
    expect(text.split('\n').filter((line) => line.length >= 160)).toEqual([]);
  });

  test.each(['docs/architecture.md', 'CONTRIBUTING.md'])('%s leads to the recipes and the glossary', (page) => {
    const text = pages.get(page);
    expect(text).toMatch(/\]\((docs\/)?recipes\.md\)/);
    expect(text).toMatch(/\]\((docs\/)?glossary\.md\)/);
  });

  test('the security page names tests that exist', () => {
    const page = readFileSync(join(root, 'docs/guides/security.md'), 'utf8');
    const named = new Set([...page.matchAll(/`([\w.-]+\.test\.ts)`/g)].map(([, file]) => file as string));
    const files = ['src', 'test'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => file.split(/[\\/]/).at(-1)),
    );
    expect(named.size).toBeGreaterThan(15);
    expect([...named].filter((file) => !files.includes(file))).toEqual([]);
  });

  test('the security page names the tests of each hole of the first review', () => {
    const page = readFileSync(join(root, 'docs/guides/security.md'), 'utf8').replace(/\n +/g, ' ');
    const review = /## The holes of the first review\n([\s\S]*?)\n## /.exec(page)?.[1] ?? '';
    const files = ['src', 'test'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
    );
    expect([...review.matchAll(/^(\d+)\. .*Tests: `/gm)].map(([, number]) => Number(number))).toEqual(
      Array.from({ length: 15 }, (_, index) => index + 1),
    );
    const named = [...review.matchAll(/`([\w.-]+\.test\.ts)`(?:: ((?:“[^”]*”(?:, )?)+))?/g)].flatMap(
      ([, file, titles = '']) => [...titles.matchAll(/“([^”]*)”/g)].map(([, title = '']) => ({ file, title })),
    );
    expect(named.length).toBeGreaterThan(40);
    const isThere = (file = '', title: string) =>
      files.some((path) => path.endsWith(`/${file}`) && hasTest(path, title));
    expect(named.filter(({ file, title }) => !isThere(file, title))).toEqual([]);
  });

  test('what the security page says of attacks names tests of the files it names', () => {
    const page = readFileSync(join(root, 'docs/guides/security.md'), 'utf8').replace(/\n +/g, ' ');
    const rows = page.split(/^##+ /m).flatMap((section) => {
      const file = /\bstand\sin\s`([\w-]+\.test\.ts)`/.exec(section)?.[1];
      return file === undefined ? [] : [...section.matchAll(/“([^”]*)”/g)].map(([, title = '']) => ({ file, title }));
    });
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter(({ file, title }) => !hasTest(`test/integration/${file}`, title))).toEqual([]);
  });

  test('the architecture page lists the stages in the order in which they run', () => {
    const stages = stagesOf({ authenticators: [], audit: {}, dialect: kubernetes } as unknown as PipelineConfig).map(
      (stage) => stage.name,
    );
    const listed = [...architecture.matchAll(/^\d+\. \*\*(\w+)\*\*/gm)].map(([, name]) => name);
    expect(listed).toEqual(stages);
  });

  test('every difference between the dialects is explained', () => {
    const dialect = readFileSync(join(src, 'meta/dialect.ts'), 'utf8');
    const rules = /interface DialectRules \{([\s\S]*?)\n\}/.exec(dialect)?.[1] ?? '';
    const names = [...rules.matchAll(/readonly (\w+):/g)].map(([, name]) => name as string);
    const page = readFileSync(join(root, 'docs/guides/compatibility.md'), 'utf8');
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  test('every note on odd behaviour in the code is listed', () => {
    const notes = production.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/compat: (.+?)(?: \*\/)?$/gm)].map(([, note]) => (note as string).trim()),
    );
    const page = readFileSync(join(root, 'docs/guides/compatibility.md'), 'utf8');
    expect(notes.filter((note) => !page.includes(note))).toEqual([]);
  });
});
