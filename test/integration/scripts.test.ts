// Every script of package.json, in a form that takes seconds: one that does not start is noticed here.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-scripts-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A command of a script, what it gets instead of or besides its own words, and what it prints. */
interface Short {
  readonly command: string;
  /** Takes the place of these words at its end. */
  readonly instead?: string;
  readonly words: string;
  readonly prints: RegExp;
}

const biome = { instead: ' .', words: ' package.json', prints: /Checked 1 file/ };
/** Declarations take the compiler a while: here it only starts. */
const types = { command: 'node scripts/build.mjs --types', words: ' --help', prints: /^usage/m };
const ifStale = () => ({ command: 'node scripts/build.mjs --if-stale', words: out(), prints: /^/ });
const out = () => ` --out ${join(folder, 'dist')}`;

const shortForms: Readonly<Record<string, () => readonly Short[]>> = {
  start: () => [{ command: 'node bin/keelson.cjs serve --enable-ui', words: ' --version', prints: /^keelson \d/m }],
  build: () => [{ command: 'node scripts/build.mjs', words: out(), prints: /^/ }],
  dependencies: () => [ifStale()],
  prepack: () => [types],
  check: () => [
    { command: 'node scripts/test.mjs --changed', words: ' --plan', prints: /^vitest run --project unit/m },
  ],
  test: () => [{ command: 'node scripts/test.mjs', words: ' --plan', prints: /^oxlint\s*$/m }],
  'test:crash': () => [
    { command: 'node scripts/crash.mjs', words: ' --duration 1s --store embedded', prints: /1 passed/ },
  ],
  'test:fuzz': () => [
    { command: 'node scripts/fuzz.mjs', words: ' --factor 0.1 src/meta/label-selector', prints: /passed/ },
  ],
  sbom: () => [
    { command: 'npm sbom --sbom-format=cyclonedx --omit=dev', words: '', prints: /"bomFormat": "CycloneDX"/ },
  ],
  format: () => [{ command: 'biome check --write .', ...biome }],
  probe: () => [
    { command: 'node scripts/probe.mjs', words: ' --area discovery', prints: /steps agree|nothing to compare/ },
  ],
  bench: () => [{ command: 'node bench/run.mjs', words: ' --quick --only ready', prints: /ready after start/ }],
};

test('every script has a short form, which is made of its own commands', () => {
  const commands = Object.entries(shortForms).map(([name, forms]) => [
    name,
    forms()
      .map(({ command }) => command)
      .join(' && '),
  ]);
  expect(Object.fromEntries(commands)).toEqual(scripts);
});

type Ran = Promise<{ code: unknown; output: string }>;

/** Scripts share commands; each is run once. */
const ran = new Map<string, Ran>();

function once(line: string): Ran {
  const running = ran.get(line) ?? run(line);
  ran.set(line, running);
  return running;
}

/** As npm runs it: by a shell, with the programs of the packages at hand. */
function run(line: string): Ran {
  const path = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env['PATH'] ?? ''}`;
  // a run within a run must not take itself for the one around it
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  const options = { cwd: root, env: { ...env, PATH: path, NO_COLOR: '1' }, maxBuffer: 1 << 26 };
  return new Promise((resolve) => {
    execFile('sh', ['-c', line], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });
}

describe.each(Object.keys(shortForms))('npm run %s', (name) => {
  for (const { command, instead = '', words, prints } of shortForms[name]?.() ?? []) {
    test(`${command} …`, { timeout: 180_000 }, async () => {
      const [short] = (shortForms[name]?.() ?? []).filter((form) => form.command === command);
      const line = command.slice(0, command.length - instead.length) + (short?.words ?? words);
      const { code, output } = await once(line);
      expect(output).toMatch(prints);
      expect(code, output).toBe(0);
    });
  }
});
