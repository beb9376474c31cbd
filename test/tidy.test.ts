// Plain words and tidy files. Each number is a limit that only goes down: lower it when you remove hits, never raise it.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

interface WordLimit {
  readonly word: RegExp;
  readonly instead: string;
  readonly most: number;
}

/** Words that stop a reader, each with its replacement and the hits that are left in sources, tests and pages. */
const words: readonly WordLimit[] = [
  { word: /\b(?:told|tells)\b/gi, instead: 'reported, logged, notified, returned', most: 858 },
  { word: /\b(?:said|says)\b/gi, instead: 'given, specified, sent', most: 985 },
  { word: /\b(?:is|are) none\b/gi, instead: 'is invalid, is absent, is empty', most: 223 },
  { word: /(?:\/\/|\*) ?The same\b/g, instead: 'the name of the thing', most: 86 },
  { word: /\b(?:what|who) (?:is|it|was)\b/gi, instead: 'the X of …, which X', most: 1352 },
  { word: /\bbeliev(?:e|es|ed|ing)\b/gi, instead: 'trust, accept', most: 69 },
  { word: /\b(?:hear|hears|heard)\b/gi, instead: 'receive, read', most: 104 },
  { word: /\brooms?\b/gi, instead: 'buffer, buffer space, disk space, quota', most: 120 },
  { word: /\bturns?\b/gi, instead: 'time slice, tick, lock', most: 389 },
  { word: /\b(?:goes|gone)\b/gi, instead: 'is deleted, is removed, expires', most: 713 },
  { word: /\banew\b/gi, instead: 'again, from the start', most: 3 },
  { word: /\balike\b/gi, instead: 'equal, identical', most: 3 },
  { word: /\bof (?:ours|its own)\b/gi, instead: 'our, its', most: 80 },
  { word: /\bodd\b/gi, instead: 'unusual, unexpected, wrong', most: 475 },
  { word: /\bdear\b/gi, instead: 'expensive', most: 3 },
  { word: /\bbeside\b/gi, instead: 'next to, besides, together with', most: 8 },
  { word: /\b(?:wanted|asked)\b/gi, instead: 'expected, required, requested', most: 1603 },
  { word: /\b(?:tell|tells|told) apart\b/gi, instead: 'distinguish', most: 18 },
  { word: /\bin vain\b/gi, instead: 'ignored', most: 2 },
  { word: /\b(?:somebody|nobody)\b/gi, instead: 'the client, the server, a controller', most: 6 },
  {
    word: /\b(?:const|let) (?:found|known|shown|given|asked|told|wanted|kept|said|heard)\b/g,
    instead: 'a noun: match, owner, cached…',
    most: 841,
  },
  { word: /\bfunction [a-z]+ing\b/g, instead: 'a verb: reconcile, manage', most: 40 },
];

const maxLineLength = 160;
const maxLines = 400;

/** Lines that are too long, as a rule because of a text that must be exact. */
const mostLongLines = 21;

/** Lookups that make what is absent, written by hand: results of a function of an object are kept by `src/base/memoized.ts`. */
const handWrittenMemo = /let (\w+) = [\w.#]+\.get\([^\n]*\);\n\s+if \(\1 === undefined\)/g;
const mostHandWrittenMemos = 58;

/** Source files over the limit, with their lines. */
const longFiles: Readonly<Record<string, number>> = {
  'src/cel/parser.ts': 442,
  'src/codec/protobuf/text-transcoder.ts': 517,
  'src/groups/apiextensions/v1/definition-rules.ts': 436,
  'src/meta/status.ts': 479,
  'src/patch/strategic-merge-patch.ts': 472,
  'src/server/server.ts': 501,
  'src/simulation/workloads/job/job-sync.ts': 502,
  'src/storage/cache/watch-cache.ts': 484,
  'src/testing/http2-cases.ts': 492,
  'src/transport/http2/http2-session.ts': 513,
};

/** Sources that only tests import, and that are not in `src/testing`. */
const testOnly: readonly string[] = [
  'src/admission/testing.ts',
  'src/apply/scenario.ts',
  'src/cel/conformance/extended-libraries.ts',
  'src/cel/conformance/not-in-kubernetes.ts',
  'src/cel/conformance/official-case.ts',
  'src/cel/conformance/official-values.ts',
  'src/cel/conformance/print.ts',
  'src/cel/library/encoders.ts',
  'src/storage/contract/contract.ts',
  'src/storage/contract/history.ts',
  'src/storage/contract/mapped.ts',
  'src/storage/contract/reads.ts',
  'src/storage/contract/steps.ts',
  'src/storage/contract/watches.ts',
  'src/storage/contract/writes.ts',
  'src/storage/encryption/kms/memory-plugin.ts',
  'src/storage/model.ts',
];

/** Sources that are loaded by name: entries of the package, threads and programs. */
const entries: readonly string[] = [
  'src/cli/main.ts',
  'src/index.ts',
  'src/runtime/load.ts',
  'src/server/threads/serving-thread.ts',
  'src/testing/index.ts',
  'src/testing/fixture.ts',
  'src/testing/jest.ts',
  'src/testing/node-test.ts',
  'src/testing/vitest.ts',
];

function filesBelow(folder: string, ending: RegExp): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

/** Without those that the build makes. */
const sources = filesBelow('src', /\.ts$/).filter((file) => !file.startsWith('src/testing/kinds/'));
const tests = filesBelow('test', /\.ts$/).filter((file) => file !== 'test/tidy.test.ts');
const pages = [...filesBelow('docs', /\.md$/).filter((file) => !file.includes('/decisions/')), 'README.md'];
const texts = new Map([...sources, ...tests, ...pages].map((file) => [file, readFileSync(join(root, file), 'utf8')]));

const isTest = (file: string) => file.endsWith('.test.ts') || file.startsWith('test/');
const production = sources.filter((file) => !isTest(file));

/** The hits of a pattern as `file:line`. */
function hitsOf(pattern: RegExp): readonly string[] {
  const hits: string[] = [];
  for (const [file, text] of texts)
    for (const { index } of text.matchAll(pattern)) hits.push(`${file}:${text.slice(0, index).split('\n').length}`);
  return hits;
}

function countOf(pattern: RegExp): number {
  let count = 0;
  for (const text of texts.values()) count += text.match(pattern)?.length ?? 0;
  return count;
}

/** A limit may be this much higher than the count, since several changes land at the same time. */
const slackOf = (most: number) => Math.max(10, Math.ceil(most / 10));

describe('words', () => {
  test.each(words)('$word is replaced by: $instead', ({ word, instead, most }) => {
    const count = countOf(word);
    if (count > most) {
      const hits = hitsOf(word);
      expect.fail(`${word} is used ${count} times, at most ${most}; write ${instead}:\n${hits.join('\n')}`);
    }
    if (count < most - slackOf(most))
      expect.fail(`${word} is used ${count} times: lower its limit ${most} to ${count}`);
  });
});

test('memos: results of a function of an object are kept by memoized()', () => {
  const hits = production.flatMap((file) => Array.from((texts.get(file) ?? '').matchAll(handWrittenMemo), () => file));
  expect(hits.length, `written by hand in:\n${hits.join('\n')}`).toBeLessThanOrEqual(mostHandWrittenMemos);
});

describe('lines and files', () => {
  test('no line is too long to read', () => {
    const long = [...texts]
      .filter(([file]) => !/^docs\/(conformance|compatibility)\.md$/.test(file))
      .flatMap(([file, text]) =>
        text
          .split('\n')
          .map((line, index) => ({ line, at: `${file}:${index + 1}` }))
          .filter(({ line }) => line.length > maxLineLength && !/^\s*(\||'|`|")/.test(line)),
      );
    expect(long.length, long.map(({ at }) => at).join('\n')).toBeLessThanOrEqual(mostLongLines);
  });

  test('no source file grows beyond the limit, or beyond its listed length', () => {
    const lengths = production.map((file) => [file, (texts.get(file) ?? '').split('\n').length - 1] as const);
    const grown = lengths.filter(([file, lines]) => lines > (longFiles[file] ?? maxLines));
    expect(grown).toEqual([]);
  });

  test('the list of long files names files that are long', () => {
    const stale = Object.keys(longFiles).filter((file) => (texts.get(file) ?? '').split('\n').length - 1 <= maxLines);
    expect(stale, 'remove these from the list of long files').toEqual([]);
  });
});

/** Files that a file imports, or loads by a relative address. */
function importsOf(file: string): readonly string[] {
  const found = (texts.get(file) ?? '').matchAll(/(?:from|import|import\(|new URL\()\s*'(\.{1,2}\/[^']+\.ts)'/g);
  return [...found].map(([, path]) => join(dirname(file), path as string));
}

describe('imports', () => {
  const importers = new Map<string, string[]>();
  for (const file of [...sources, ...tests])
    for (const target of importsOf(file)) importers.set(target, [...(importers.get(target) ?? []), file]);
  const isLoaded = (file: string) => entries.includes(file);

  test('every source file is imported, or is an entry', () => {
    expect(production.filter((file) => !importers.has(file) && !isLoaded(file))).toEqual([]);
  });

  test('entries and test-only files exist', () => {
    expect([...entries, ...testOnly].filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  test('code for tests only is in test/ and src/testing', () => {
    const used = new Set(entries);
    const visit = (file: string): void => {
      for (const target of importsOf(file))
        if (!used.has(target)) {
          used.add(target);
          visit(target);
        }
    };
    for (const entry of entries) visit(entry);
    const unused = production.filter((file) => !used.has(file) && !file.startsWith('src/testing/'));
    expect(unused.filter((file) => !testOnly.includes(file))).toEqual([]);
  });
});
