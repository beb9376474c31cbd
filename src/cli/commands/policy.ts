// `keelson policy test`: tables of cases against admission policies.

import { readFileSync } from 'node:fs';
import { fileProblem } from '../../base/file-problem.ts';
import { oneOf } from '../../config/value-types.ts';
import { chooseWord, type Guide, parseCommandLine } from '../flags/command-line.ts';
import { readPolicyTable } from '../policy-test/policy-cases.ts';
import { type CaseResult, runPolicyCases } from '../policy-test/run-policy-cases.ts';
import { UsageError } from '../usage-error.ts';

const flags = {
  output: { name: 'output', short: 'o', type: oneOf('text', 'json'), help: 'How results are printed (default text).' },
} as const;

export const policyGuide: Guide = {
  usage: 'test FILE [FILE]... [-o text|json]',
  actions: { 'test FILE': 'Runs the cases of a table in YAML against admission policies.' },
  notes: ['docs/guides/policy-test.md explains the tables. The exit code is 1 if a case fails.'],
  flags,
};

export async function policy(args: readonly string[]): Promise<number> {
  const { words, given } = parseCommandLine('policy', flags, args);
  const [action = '', ...files] = words;
  const usage = `usage: keelson policy ${policyGuide.usage}`;
  chooseWord('policy', action, ['test']);
  if (files.length === 0) throw new UsageError(`no file given; ${usage}`);
  const results: { file: string; cases: readonly CaseResult[] }[] = [];
  for (const file of files)
    results.push({ file, cases: await runPolicyCases(await readPolicyTable(file, textOf(file))) });
  const all = results.flatMap(({ cases }) => cases);
  const failed = all.filter(({ problem }) => problem !== undefined).length;
  process.stdout.write(
    given.output === 'json' ? `${JSON.stringify(results, undefined, 2)}\n` : report(results, all.length, failed),
  );
  return failed === 0 ? 0 : 1;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file}: ${fileProblem(error as NodeJS.ErrnoException) ?? (error as Error).message}`);
  }
}

function report(
  results: readonly { file: string; cases: readonly CaseResult[] }[],
  count: number,
  failed: number,
): string {
  const lines = results.flatMap(({ file, cases }) =>
    cases.map(({ name, line, problem }) =>
      problem === undefined ? `ok      ${name}` : `FAILED  ${name} (${file}:${line})\n        ${problem}`,
    ),
  );
  return `${lines.join('\n')}\n${count} cases, ${failed} failed\n`;
}
