// All checks in phases, one after the other: tests that wait for a browser or a peer need the cores.
//
//   node scripts/test.mjs [PATH...]             everything, or all checks and the tests of these paths
//   node scripts/test.mjs --changed [PATH...]   what daily work needs: files that differ from main, and the unit tests that they can break
//   node scripts/test.mjs --plan                prints the commands
//
// Two cores: the whole takes minutes, --changed less than one.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const cache = join(root, 'node_modules', '.keelson');
const env = { ...process.env, PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter) };
const args = process.argv.slice(2);
const onlyChanged = args.includes('--changed');
const onlyPlan = args.includes('--plan');
const paths = args.filter((word) => !word.startsWith('--'));

const say = (text) => console.log(`\n${text}`);

/** Ends with the exit code and, where it is kept, the output. */
function run(command, words, { isKept = false, more = {} } = {}) {
  if (onlyPlan) {
    console.log([command, ...words].join(' '));
    return { code: 0, output: '' };
  }
  const child = spawn(command, words, {
    cwd: root,
    env: { ...env, ...more },
    stdio: isKept ? ['ignore', 'pipe', 'pipe'] : 'inherit',
  });
  let output = '';
  child.stdout?.on('data', (data) => (output += data));
  child.stderr?.on('data', (data) => (output += data));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: 1, output: String(error) }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();

/** The commit in which the work began: where this branch left main. */
function base() {
  for (const branch of ['main', 'origin/main', 'HEAD']) {
    try {
      return git('merge-base', 'HEAD', branch);
    } catch {
      // no such branch
    }
  }
  throw new Error('--changed needs a checkout of git');
}

function changedFiles(since) {
  const tracked = git('diff', '--name-only', since).split('\n');
  const added = git('ls-files', '--others', '--exclude-standard').split('\n');
  return [...tracked, ...added].filter((file) => file !== '' && existsSync(join(root, file)));
}

/** Commands that read sources. */
function staticChecks(since) {
  mkdirSync(cache, { recursive: true });
  const types = ['tsc', ['--noEmit', '--incremental', '--tsBuildInfoFile', join(cache, 'types.tsbuildinfo')]];
  const ofConsole = ['tsc', ['-p', 'console']];
  if (since === undefined) return [['biome', ['ci', '.']], ['tsc', ['--noEmit']], ofConsole, ['oxlint', []]];
  const files = changedFiles(since);
  const typed = files.filter((file) => /^(src|test)\/.*\.ts$/.test(file));
  return [
    // cycles of imports need all files: the whole run finds them
    ...(files.length > 0
      ? [['biome', ['ci', '--skip=suspicious/noImportCycles', '--no-errors-on-unmatched', ...files]]]
      : []),
    types,
    ...(files.some((file) => file.startsWith('console/')) ? [ofConsole] : []),
    ...(typed.length > 0 ? [['oxlint', typed]] : []),
  ];
}

async function checkSources(since) {
  const began = Date.now();
  let failures = 0;
  for (const [command, words] of staticChecks(since)) {
    const { code, output } = await run(command, words, { isKept: true });
    if (code === 0) continue;
    failures++;
    say(`2/4 ${command} failed:\n${output}`);
  }
  say(`2/4 formatting, lint and types: ${failures === 0 ? 'good' : 'failed'} after ${seconds(began)} s`);
  return failures === 0;
}

const seconds = (began) => Math.round((Date.now() - began) / 1000);

async function test(phase, words) {
  const { code } = await run('vitest', ['run', ...words], { more: { KEELSON_TEST_PHASE: phase } });
  return code === 0;
}

async function main() {
  const began = Date.now();
  say(`1/4 ${onlyChanged ? 'build, where sources changed' : 'build with declarations'}`);
  const { code } = await run('node', ['scripts/build.mjs', onlyChanged ? '--if-stale' : '--types']);
  if (code !== 0) return false;
  const since = onlyChanged ? base() : undefined;
  say('2/4 formatting, lint and types');
  const results = [await checkSources(since)];
  if (since === undefined)
    results.push(await test('3/4 tests', ['--project', '!timed', '--passWithNoTests', ...paths]));
  else {
    results.push(await test('3/4 tests', ['--project', 'unit', '--passWithNoTests', '--changed', since, ...paths]));
    // these read all files instead of importing them
    results.push(
      await test(
        '3/4 tests of all files',
        ['tidy', 'exports', 'architecture'].map((name) => `test/${name}.test.ts`),
      ),
    );
  }
  // measures how long clients wait: nothing else may run
  if (!onlyChanged) results.push(await test('4/4 timed tests', ['--project', 'timed', '--passWithNoTests', ...paths]));
  const isGood = results.every((result) => result);
  say(`${isGood ? 'all checks passed' : 'there were failures, see above'}: ${seconds(began)} s`);
  return isGood;
}

process.exitCode = (await main()) ? 0 : 1;
